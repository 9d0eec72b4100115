from assay.ontology.case_findings import cases_of as cases_of
from assay.ontology.hpo import DEFAULT_HPO_SIZE as DEFAULT_HPO_SIZE
from assay.ontology.hpo import language_of as language_of
from assay.ontology.hpo import load_hpo as load_hpo
from assay.ontology.hpo_cases import HPO_PREFIX as HPO_PREFIX
from assay.ontology.hpo_cases import LANGUAGES as LANGUAGES
from assay.ontology.multilingual import evaluate_multilingual_model as evaluate_multilingual_model
from assay.ontology.ontology import Ontology as Ontology
from assay.ontology.ontology import Synonym as Synonym
from assay.ontology.ontology import Term as Term
from assay.ontology.ontology import TermRecord as TermRecord
from assay.ontology.ontology import build_ontology as build_ontology
from assay.ontology.reading import default_ontology as default_ontology
from assay.ontology.reading import load_ontology as load_ontology
from assay.ontology.search import Case as Case
from assay.ontology.search import Match as Match
from assay.ontology.search import TermFault as TermFault
from assay.ontology.search import check_cases as check_cases
from assay.ontology.search import id_widths as id_widths
from assay.ontology.search import near_ids as near_ids
from assay.ontology.search import search_terms as search_terms
from assay.ontology.similarity import BoundSimilarity as BoundSimilarity
from assay.ontology.similarity import Similarity as Similarity
from assay.ontology.similarity import all_similarities as all_similarities
from assay.ontology.similarity import parse_similarity as parse_similarity

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
