"""Stages of a pipeline: score the routes, first-stage rankings and answers that a provider reports with its hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.errors import DataError
from assay.evaluation import (
    RERANKING,
    Profile,
    Result,
    Setting,
    default_routing_metrics,
    in_requested_order,
    judged_setting,
    notes_on_experts,
    notes_on_routing,
    routing_table,
    with_columns,
    with_reranking_gain,
    without_scores,
)
from assay.execution.responses import Response
from assay.execution.runner import Part, score_part
from assay.metrics import BoundMetric
from assay.model import Query
from assay.providers import RANK, REST, SCORE, first_ranking
from assay.serialize import to_json
from assay.text import counted
from assay.views import (
    ABSTAINED,
    ANSWERS,
    CONFIDENCE,
    GATED,
    NEEDED,
    OPTIMAL,
    REPORTED_ROUTE_FIELDS,
    ROUTE,
    Decision,
    Routing,
    decision_of,
)

ROUTING = "routing"
EXPECTED_ROUTE_FIELDS = (*OPTIMAL, *NEEDED)
"""Fields in the metadata of a dataset's queries."""


class ReportedRoutes(NamedTuple):
    """The routing decisions for all queries, and notes on those that could not be read."""

    routing: Routing
    notes: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Whether the provider reported any route or gate decision."""
        return any(decision.routes is not None or decision.gated is not None for decision in self.routing.decisions)

    @property
    def has_truth(self) -> bool:
        """Whether the benchmark has the right decision for any query."""
        return any(
            decision.optimal is not None or decision.needs_retrieval is not None for decision in self.routing.decisions
        )


def with_routing(
    result: Result, queries: Mapping[str, Query], answers: Mapping[str, Response], asked: Sequence[BoundMetric]
) -> Result:
    """The result with routing metrics: the requested ones, and the default ones if the provider reports routes."""
    reports = parse_reported_routes(queries, answers)
    if not reports.is_there:
        return _without_reports(result, asked, reports)
    usual = [
        metric for metric in default_routing_metrics(reports.routing) if metric.name not in {other.name for other in asked}
    ]
    table, metrics = routing_table(reports.routing, [*asked, *usual])
    notes = [*result.notes, *reports.notes, *notes_on_experts(reports.routing, asked)]
    if asked or reports.has_truth:
        notes += notes_on_routing(reports.routing)
    merged = with_columns(result, table, metrics, [metric.name for metric in usual])
    picture = {ROUTING: reports.routing.to_dict()}
    return merged.with_fields(notes=tuple(notes), provenance={**result.provenance, **picture})


def _without_reports(result: Result, asked: Sequence[BoundMetric], reports: ReportedRoutes) -> Result:
    notes = [*result.notes, *reports.notes]
    if asked:
        names = ", ".join(metric.name for metric in asked)
        notes.append(f"{result.name} reports neither `route` nor `gated` with its hits, so {names} cannot be scored.")
    return without_scores(result, asked).with_fields(notes=tuple(notes))


def parse_reported_routes(queries: Mapping[str, Query], answers: Mapping[str, Response]) -> ReportedRoutes:
    """The decision for each query: what the provider reports, and the right decision from the query's metadata."""
    has_truth = has_expected_routes(queries)
    decisions: list[Decision] = []
    unread: list[str] = []
    for name, query in queries.items():
        truth = {key: value for key, value in (query.metadata or {}).items() if key in EXPECTED_ROUTE_FIELDS}
        try:
            decisions.append(decision_of(name, {**truth, **reported_route(answers.get(name), has_truth=has_truth)}))
        except DataError as error:
            decisions.append(Decision(name))
            unread.append(f"{name}: {error}")
    notes = (f"the route of {counted(len(unread), 'query')} cannot be read ({unread[0]}).",) if unread else ()
    return ReportedRoutes(Routing(tuple(decisions)), notes)


def has_expected_routes(queries: Mapping[str, Query]) -> bool:
    """Whether any query has the right decision in its metadata."""
    return any(name in (query.metadata or {}) for query in queries.values() for name in EXPECTED_ROUTE_FIELDS)


def reported_route(answer: Response | None, *, has_truth: bool) -> dict[str, Any]:
    """The route reported with the hits; else, if the dataset has routes, the route in the metadata of the best hit."""
    if answer is None or answer.error is not None:
        return {}
    reported = {name: value for name, value in (answer.said or {}).items() if name in REPORTED_ROUTE_FIELDS}
    if reported or not has_truth or not answer.docs:
        return reported
    metadata = (answer.extra or {}).get(answer.docs[0]) or {}
    tells = any(name in metadata for name in (*ROUTE, *GATED))
    return {name: value for name, value in metadata.items() if name in REPORTED_ROUTE_FIELDS} if tells else {}


def first_stage_responses(answers: Mapping[str, Response], k: int) -> dict[str, Response]:
    """The ranking of each query before reranking. A failed query has failed there too: its ranking was not stored."""
    return {query: _first_stage_response(answer, k) for query, answer in answers.items()}


def with_first_ranking(answer: Response, first: Mapping[str, float]) -> Response:
    """The response with its first-stage ranking added as a reranker does; for responses that are read from results."""
    place = {doc: rank for rank, doc in enumerate(first, 1)}
    beyond = len(answer.docs) + 1
    extra: dict[str, dict[str, Any]] = {
        doc: {RANK: place.get(doc, beyond), SCORE: first.get(doc, 0.0)} for doc in answer.docs
    }
    rest = [[doc, score] for doc, score in first.items() if doc not in extra]
    if rest and answer.docs:
        extra[answer.docs[0]] |= {REST: rest}
    return Response(answer.query, answer.docs, answer.scores, answer.ms, extra=extra)


def _first_stage_response(answer: Response, k: int) -> Response:
    if answer.error is not None:
        return answer
    hits = (first_ranking(answer.hits) or [])[:k]
    return Response(answer.query, [hit.doc_id for hit in hits], [hit.score for hit in hits], float("nan"))


ANSWER_FIELDS = frozenset((*ANSWERS, *CONFIDENCE, *ABSTAINED))
"""Fields of a reported answer that are read."""


def reported_by_query(queries: Mapping[str, Query], answers: Mapping[str, Response]) -> dict[str, dict[str, Any]]:
    """Query → the fields that metrics of answers and routes read, as plain JSON values.

    Failed queries, and queries whose provider reports only hits, are left out.
    """
    has_truth = has_expected_routes(queries)
    fields: dict[str, dict[str, Any]] = {}
    for query, answer in answers.items():
        reply = {name: value for name, value in (answer.said or {}).items() if name in ANSWER_FIELDS}
        if answer.error is None and (reported := {**reply, **reported_route(answer, has_truth=has_truth)}):
            fields[query] = to_json(reported)
    return fields


def score_stages(part: Part, answers: Mapping[str, Response], settings: Sequence[Setting], profile: Profile) -> list[Result]:
    """One result; for a reranker two, the first-stage ranking and then the final one.

    Metrics of routes and of reranking are scored here, in addition to metrics of a single ranking.
    """
    ranked = [setting for setting in settings if setting.metric.metric.view not in (ROUTING, RERANKING)] or [
        judged_setting(profile)
    ]
    routes, gains = (_metrics_of_view(view, settings) for view in (ROUTING, RERANKING))
    after = with_routing(score_part(part, answers, ranked, profile), part.queries, answers, routes)
    after = after.with_fields(said=reported_by_query(part.queries, answers))
    stages = [after]
    if part.provider.provider.keeps_first:
        first = score_part(part, first_stage_responses(answers, part.k), ranked, profile)
        after = with_reranking_gain(after, first, gains, ranked, profile.policy)
        stages = [without_scores(first, [*routes, *gains]), after]
    elif gains:
        note = f"{after.name} does not rerank, so {', '.join(metric.name for metric in gains)} cannot be scored."
        stages = [without_scores(after, gains).with_fields(notes=(*after.notes, note))]
    names = [setting.metric.name for setting in settings]
    return [in_requested_order(stage, names) for stage in stages]


def _metrics_of_view(view: str, settings: Sequence[Setting]) -> list[BoundMetric]:
    """The metrics that read a view."""
    return [setting.metric for setting in settings if setting.metric.metric.view == view]
