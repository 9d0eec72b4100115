from assay.ontology._build import TermRecord as TermRecord
from assay.ontology._build import build_ontology as build_ontology
from assay.ontology._check_cases import Case as Case
from assay.ontology._check_cases import TermFault as TermFault
from assay.ontology._check_cases import check_cases as check_cases
from assay.ontology._formula import FORMULA as FORMULA
from assay.ontology._information import with_annotations as with_annotations
from assay.ontology._notes import notes_on_ids as notes_on_ids
from assay.ontology._ontology import Obsolete as Obsolete
from assay.ontology._ontology import Ontology as Ontology
from assay.ontology._ontology import Synonym as Synonym
from assay.ontology._ontology import Term as Term
from assay.ontology._search import Match as Match
from assay.ontology._search import id_widths as id_widths
from assay.ontology._search import near_ids as near_ids
from assay.ontology._search import search_terms as search_terms
from assay.ontology._similarity import BoundSimilarity as BoundSimilarity
from assay.ontology._similarity import Similarity as Similarity
from assay.ontology._similarity import all_similarities as all_similarities
from assay.ontology._similarity import parse_similarity as parse_similarity
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
