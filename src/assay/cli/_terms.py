"""Flags about the terms of an ontology: which ontology, and what of its terms is searched."""

from __future__ import annotations

import argparse

TERMS = ("ontology", "labels", "fields")
"""What the flags are called in a plan."""


def add_term_arguments(parser: argparse.ArgumentParser) -> None:
    """An ontology, and what of its terms is indexed for HPO cases."""
    parser.add_argument("--ontology", metavar="FILE", help="OBO or OWL, for metrics by similar terms (default: HPO)")
    parser.add_argument(
        "--labels", nargs="+", metavar="FILE", help="HPO cases: index labels of their language, from a Babelon table"
    )
    parser.add_argument(
        "--fields", nargs="+", metavar="FIELD", help="HPO cases: index only these of label, synonyms, definition"
    )
