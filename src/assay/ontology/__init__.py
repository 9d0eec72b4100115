"""Ontologies: terms, what is above them, and how alike two terms are. One similarity per file; nothing here reads files."""

from assay.ontology._build import TermRecord, build_ontology
from assay.ontology._ontology import Ontology, Synonym, Term
from assay.ontology._similarity import BoundSimilarity, Similarity, all_similarities, parse_similarity

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
