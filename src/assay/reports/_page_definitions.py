"""Definitions of a page: every metric that it shows, in words, out of the metrics' own records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from assay.metrics import BoundMetric, describe
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_metrics import definition_anchor
from assay.reports._page_parts import Section, anchor_of


@dataclass(frozen=True)
class Term:
    """One metric in words."""

    anchor: str
    name: str
    meaning: str
    formula: str
    facts: tuple[str, ...]
    edge_cases: str


@dataclass(frozen=True)
class Definitions:
    """All of them."""

    terms: tuple[Term, ...]
    part: ClassVar[str] = "definitions"


def definitions_section(matter: BenchmarkReport) -> Section:
    """One entry for each metric, however many cutoffs of it are shown."""
    known: dict[str, list[BoundMetric]] = {}
    beside = [one for one in matter.first.metrics if one.name in matter.first.beside]
    for bound in (*matter.metrics, *(beside if matter.comparison is None else ())):
        known.setdefault(bound.metric.name, []).append(bound)
    terms = tuple(_term(some, matter.group) for some in known.values())
    return Section(anchor_of("definitions", matter.group), "What the metrics mean", (Definitions(terms),))


def _term(bound: list[BoundMetric], group: str) -> Term:
    metric = bound[0].metric
    record = describe(metric)
    direction = "higher is better" if metric.higher_is_better else "lower is better"
    facts = [
        f"range {record['range']}, {direction}",
        f"summary: {record['aggregation']}",
        f"{record['citation']}" if record["citation"] else "",
    ]
    return Term(
        definition_anchor(bound[0], group),
        ", ".join(one.name for one in bound),
        record["meaning"],
        record["formula"],
        tuple(fact for fact in facts if fact),
        record["edge_cases"],
    )
