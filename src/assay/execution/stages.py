"""reported_routes: routes and gate decisions that a provider reports with its hits, scored beside its rankings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from assay.errors import DataError, UsageError
from assay.evaluation import (
    Profile,
    Result,
    Setting,
    default_routing_metrics,
    in_asked_order,
    judged_beside,
    notes_on_experts,
    notes_on_routing,
    routing_table,
    score_views,
    with_columns,
    without_scores,
)
from assay.execution.responses import Response
from assay.execution.runner import Part, score_part
from assay.metrics import BoundMetric, find_metric
from assay.model import Policy, Query
from assay.providers import RANK, REST, SCORE, first_ranking
from assay.text import counted
from assay.views import (
    ABSTAINED,
    ANSWERS,
    CONFIDENCE,
    GATED,
    NEEDED,
    OPTIMAL,
    ROUTE,
    SAID,
    Decision,
    Reranking,
    Routing,
    decision_of,
)

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
    result: Result, queries: Mapping[str, Query], answers: Mapping[str, Response], asked: Sequence[BoundMetric]
) -> Result:
    """The result with metrics of routes: those asked for; and the usual ones beside it, where the provider reports any."""
    reports = reports_of(queries, answers)
    if not reports.is_there:
        return _without_reports(result, asked, reports)
    usual = [metric for metric in default_routing_metrics(reports.routing) if metric.name not in {one.name for one in asked}]
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


def reports_of(queries: Mapping[str, Query], answers: Mapping[str, Response]) -> Reports:
    """The decision about each query: what the provider says, and what the query's metadata say would be right."""
    has_truth = knows_routes(queries)
    decisions: list[Decision] = []
    unread: list[str] = []
    for name, query in queries.items():
        truth = {key: value for key, value in (query.metadata or {}).items() if key in TRUTH}
        try:
            decisions.append(decision_of(name, {**truth, **reported_route(answers.get(name), has_truth=has_truth)}))
        except DataError as error:
            decisions.append(Decision(name))
            unread.append(f"{name}: {error}")
    notes = (f"{counted(len(unread), 'query')} whose route cannot be read ({unread[0]}).",) if unread else ()
    return Reports(Routing(tuple(decisions)), notes)


def knows_routes(queries: Mapping[str, Query]) -> bool:
    """Whether any query says in its metadata what would be right for it."""
    return any(name in (query.metadata or {}) for query in queries.values() for name in TRUTH)


def reported_route(answer: Response | None, *, has_truth: bool) -> dict[str, Any]:
    """What was said beside the hits; else, where the dataset knows about routes, what the best hit's metadata say."""
    if answer is None or answer.error is not None:
        return {}
    said = {name: value for name, value in (answer.said or {}).items() if name in SAID}
    if said or not has_truth or not answer.docs:
        return said
    metadata = (answer.extra or {}).get(answer.docs[0]) or {}
    tells = any(name in metadata for name in (*ROUTE, *GATED))
    return {name: value for name, value in metadata.items() if name in SAID} if tells else {}


def first_answers(answers: Mapping[str, Response], k: int) -> dict[str, Response]:
    """For each query what was ranked before; a query that failed has failed there too, for its ranking was not kept."""
    return {query: _first(answer, k) for query, answer in answers.items()}


def with_first(answer: Response, first: Mapping[str, float]) -> Response:
    """The answer, with its first ranking noted in it as a reranker does; for answers read back from results."""
    place = {doc: rank for rank, doc in enumerate(first, 1)}
    beyond = len(answer.docs) + 1
    extra: dict[str, dict[str, Any]] = {
        doc: {RANK: place.get(doc, beyond), SCORE: first.get(doc, 0.0)} for doc in answer.docs
    }
    rest = [[doc, score] for doc, score in first.items() if doc not in extra]
    if rest and answer.docs:
        extra[answer.docs[0]] |= {REST: rest}
    return Response(answer.query, answer.docs, answer.scores, answer.ms, extra=extra)


def _first(answer: Response, k: int) -> Response:
    if answer.error is not None:
        return answer
    hits = (first_ranking(answer.hits) or [])[:k]
    return Response(answer.query, [hit.doc_id for hit in hits], [hit.score for hit in hits], float("nan"))


RERANKING = "reranking"
USUAL_CUTOFF = 10


def with_improvement(
    after: Result, first: Result, asked: Sequence[BoundMetric], settings: Sequence[Setting], policy: Policy
) -> Result:
    """The result after reranking, with how much better it is than the first; beside it, where nobody asked for that.

    Unless somebody asked, it is that of each NDCG which was asked for, with its cutoff and gain.
    """
    graders = (first.grader, after.grader)
    if graders[0] is None or graders[1] is None:
        raise UsageError("these results were read from a file; the improvement needs the rankings")
    view = Reranking(*(grader.main_grading(settings, policy).run for grader in graders if grader is not None))
    metrics = list(asked) or _usual_improvements(settings)
    table = score_views({RERANKING: view}, metrics)
    beside = () if asked else [metric.name for metric in metrics]
    answered = [place for place, query in enumerate(table.query_ids) if query not in after.failures]
    undefined = (_on_undefined(table.columns[metric.name].score[answered], metric) for metric in metrics)
    notes = (*after.notes, *(note for some in undefined for note in some))
    return replace(with_columns(after, table, metrics, beside), notes=notes)


def _usual_improvements(settings: Sequence[Setting]) -> list[BoundMetric]:
    """Those of the NDCGs that were asked for; at the usual cutoff, where none was."""
    measured = [one.metric for one in settings if one.metric.metric.name == "ndcg" and not one.is_beside]
    usual = find_metric(f"{RERANKING}_improvement@{USUAL_CUTOFF}")
    found = [usual.metric.bind(k=one.params["k"], gain=one.params["gain"]) for one in measured] or [usual]
    return list({metric.name: metric for metric in found}.values())


def _on_undefined(score: Any, metric: BoundMetric) -> list[str]:
    """How many queries have no percentage, for nothing can be one of 0."""
    n = int(np.count_nonzero(np.isnan(score)))
    if not n:
        return []
    share = f"{n:,} of {len(score):,} queries"
    return [f"{metric.name}: {share} had an NDCG of 0 before, of which nothing is a percentage; they count in the means."]


REPLY = frozenset((*ANSWERS, *CONFIDENCE, *ABSTAINED))
"""What is read of an answer in words."""


def reported_fields(queries: Mapping[str, Query], answers: Mapping[str, Response]) -> dict[str, dict[str, Any]]:
    """Query → the fields that metrics of answers and routes read, as plain JSON values.

    A query that failed says nothing, and so does one whose provider reports its hits alone.
    """
    has_truth = knows_routes(queries)
    found: dict[str, dict[str, Any]] = {}
    for query, answer in answers.items():
        reply = {name: value for name, value in (answer.said or {}).items() if name in REPLY}
        if answer.error is None and (said := {**reply, **reported_route(answer, has_truth=has_truth)}):
            found[query] = _plain(said)
    return found


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers of NumPy as numbers, what is not a number as nothing, anything else as text."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def staged(part: Part, answers: Mapping[str, Response], settings: Sequence[Setting], profile: Profile) -> list[Result]:
    """One result, or two where the provider put others' hits into a new order: the first ranking, then the last.

    Metrics that do not read one ranking are scored here, beside those that do.
    """
    ranked = [one for one in settings if one.metric.metric.view not in (ROUTING, RERANKING)] or [judged_beside(profile)]
    routes, gains = (_reading(view, settings) for view in (ROUTING, RERANKING))
    after = with_routing(score_part(part, answers, ranked, profile), part.queries, answers, routes)
    after = replace(after, said=reported_fields(part.queries, answers))
    stages = [after]
    if part.provider.provider.keeps_first:
        first = score_part(part, first_answers(answers, part.k), ranked, profile)
        after = with_improvement(after, first, gains, ranked, profile.policy)
        stages = [without_scores(first, [*routes, *gains]), after]
    elif gains:
        said = f"{after.name} does not rerank: {', '.join(metric.name for metric in gains)} cannot be scored."
        stages = [replace(without_scores(after, gains), notes=(*after.notes, said))]
    names = [one.metric.name for one in settings]
    return [in_asked_order(one, names) for one in stages]


def _reading(view: str, settings: Sequence[Setting]) -> list[BoundMetric]:
    """The metrics that read a view."""
    return [one.metric for one in settings if one.metric.metric.view == view]
