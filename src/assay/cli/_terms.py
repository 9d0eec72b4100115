"""Flags about the terms of an ontology: which ontology, and what of its terms is searched."""

from __future__ import annotations

import argparse

TERMS = ("ontology", "annotations", "labels", "fields")
"""What the flags are called in a plan."""


def add_term_arguments(parser: argparse.ArgumentParser) -> None:
    """An ontology, what was annotated with its terms, and what of them is indexed where terms are searched."""
    add_ontology_arguments(
        parser,
        "reads ids and compares terms; for HPO cases, and where a benchmark has no documents, its terms are searched",
    )
    parser.add_argument(
        "--labels", nargs="+", metavar="FILE", help="of terms: index labels of the queries' language, from a Babelon table"
    )
    parser.add_argument(
        "--fields", nargs="+", metavar="FIELD", help="of terms: index only these of label, synonyms, definition"
    )


def add_ontology_arguments(parser: argparse.ArgumentParser | argparse._ArgumentGroup, use: str) -> None:
    """The files that scoring by terms reads."""
    parser.add_argument("--ontology", metavar="FILE", help=f"OBO, OWL or OBO Graphs (default: HPO): {use}")
    parser.add_argument(
        "--annotations",
        metavar="FILE",
        help="phenotype.hpoa, or lines of thing and term, for max_ont_sim(formula=lin(ic=annotations))",
    )
