"""What the tests of similarity metrics share: a small ontology, and a run seen as similarities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.metrics import parse_metric
from assay.model import Policy, Run
from assay.ontology import Ontology, TermRecord, build_ontology
from assay.ontology.similarity_view import Expected, Similarities

PARENTS = {"R": (), "A": ("R",), "B": ("R",), "C": ("A", "B"), "D": ("C",), "E": ("B",), "S": ()}
"""Depths: R and S 0, A and B 1, C and E 2, D 3."""


def terms() -> Ontology:
    """The small ontology; OLD was replaced by C."""
    current = [TermRecord(one, parents=above) for one, above in PARENTS.items()]
    return build_ontology([*current, TermRecord("OLD", is_obsolete=True, replaced_by=("C",))])


def view(run: Mapping[str, Sequence[str]], expected: Mapping[str, Sequence[str]], **how: int) -> Similarities:
    """A run as similarities; the queries are those of the run and those that expect something."""
    queries = tuple(dict.fromkeys((*run, *expected)))
    return Similarities.of(queries, Run(run), Policy().rank_rule, Expected(expected, terms()), **how)


def score(metric: str, ranking: Sequence[str], expected: Sequence[str]) -> float:
    """The score of one query."""
    return float(parse_metric(metric).score(view({"q": ranking}, {"q": expected}))[0])
