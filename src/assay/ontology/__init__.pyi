from assay.ontology.ontology import Obsolete as Obsolete
from assay.ontology.ontology import Ontology as Ontology
from assay.ontology.ontology import Synonym as Synonym
from assay.ontology.ontology import Term as Term
from assay.ontology.ontology import TermRecord as TermRecord
from assay.ontology.ontology import build_ontology as build_ontology
from assay.ontology.search import Case as Case
from assay.ontology.search import Match as Match
from assay.ontology.search import TermFault as TermFault
from assay.ontology.search import check_cases as check_cases
from assay.ontology.search import id_widths as id_widths
from assay.ontology.search import near_ids as near_ids
from assay.ontology.search import notes_on_ids as notes_on_ids
from assay.ontology.search import search_terms as search_terms
from assay.ontology.similarity import FORMULA as FORMULA
from assay.ontology.similarity import BoundSimilarity as BoundSimilarity
from assay.ontology.similarity import Similarity as Similarity
from assay.ontology.similarity import all_similarities as all_similarities
from assay.ontology.similarity import parse_similarity as parse_similarity
from assay.ontology.similarity import with_annotations as with_annotations
from assay.views import UNKNOWN as UNKNOWN

__all__ = [
    "BoundSimilarity",
    "Ontology",
    "Similarity",
    "Synonym",
    "Term",
    "TermRecord",
    "all_similarities",
    "build_ontology",
    "parse_similarity",
]
