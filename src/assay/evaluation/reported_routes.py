"""reported_routes: routes and gate decisions that a provider reports with its hits, scored beside its rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from assay.errors import DataError
from assay.evaluation.added_columns import with_columns, without_scores
from assay.evaluation.answers import Answer
from assay.evaluation.result import Result
from assay.evaluation.routing import notes_on_experts, notes_on_routing, routing_table, usual_metrics
from assay.metrics import BoundMetric
from assay.model import Query
from assay.text import counted
from assay.views import GATED, NEEDED, OPTIMAL, ROUTE, SAID, Decision, Routing, decision_of

ROUTING = "routing"
TRUTH = (*OPTIMAL, *NEEDED)
"""What a dataset's queries say in their metadata."""


class Reports(NamedTuple):
    """The decisions about all queries, and what could not be read of them."""

    routing: Routing
    notes: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Whether the provider reported anything."""
        return any(one.routes is not None or one.gated is not None for one in self.routing.decisions)

    @property
    def has_truth(self) -> bool:
        """Whether the benchmark says of any query what would have been right."""
        return any(one.optimal is not None or one.needs_retrieval is not None for one in self.routing.decisions)


def with_routing(
    result: Result, queries: Mapping[str, Query], answers: Mapping[str, Answer], asked: Sequence[BoundMetric]
) -> Result:
    """The result with metrics of routes: those asked for; and the usual ones beside it, where the provider reports any."""
    reports = reports_of(queries, answers)
    if not reports.is_there:
        return _without_reports(result, asked, reports)
    usual = [metric for metric in usual_metrics(reports.routing) if metric.name not in {one.name for one in asked}]
    table, shown = routing_table(reports.routing, [*asked, *usual])
    notes = [*result.notes, *reports.notes, *notes_on_experts(reports.routing, asked)]
    if asked or reports.has_truth:
        notes += notes_on_routing(reports.routing)
    merged = with_columns(result, table, shown, [metric.name for metric in usual])
    picture = {ROUTING: reports.routing.to_dict()}
    return replace(merged, notes=tuple(notes), provenance={**result.provenance, **picture})


def _without_reports(result: Result, asked: Sequence[BoundMetric], reports: Reports) -> Result:
    notes = [*result.notes, *reports.notes]
    if asked:
        names = ", ".join(metric.name for metric in asked)
        notes.append(f"{result.name} reports neither route nor gated with its hits: {names} cannot be scored.")
    return replace(without_scores(result, asked), notes=tuple(notes))


def reports_of(queries: Mapping[str, Query], answers: Mapping[str, Answer]) -> Reports:
    """The decision about each query: what the provider says, and what the query's metadata say would be right."""
    has_truth = knows_routes(queries)
    decisions: list[Decision] = []
    unread: list[str] = []
    for name, query in queries.items():
        truth = {key: value for key, value in (query.metadata or {}).items() if key in TRUTH}
        try:
            decisions.append(decision_of(name, {**truth, **said_of_route(answers.get(name), has_truth=has_truth)}))
        except DataError as error:
            decisions.append(Decision(name))
            unread.append(f"{name}: {error}")
    notes = (f"{counted(len(unread), 'query')} whose route cannot be read ({unread[0]}).",) if unread else ()
    return Reports(Routing(tuple(decisions)), notes)


def knows_routes(queries: Mapping[str, Query]) -> bool:
    """Whether any query says in its metadata what would be right for it."""
    return any(name in (query.metadata or {}) for query in queries.values() for name in TRUTH)


def said_of_route(answer: Answer | None, *, has_truth: bool) -> dict[str, Any]:
    """What was said beside the hits; else, where the dataset knows about routes, what the best hit's metadata say."""
    if answer is None or answer.error is not None:
        return {}
    said = {name: value for name, value in (answer.said or {}).items() if name in SAID}
    if said or not has_truth or not answer.docs:
        return said
    metadata = (answer.extra or {}).get(answer.docs[0]) or {}
    tells = any(name in metadata for name in (*ROUTE, *GATED))
    return {name: value for name, value in metadata.items() if name in SAID} if tells else {}
