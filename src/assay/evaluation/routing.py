"""Routing: score what a router and a retrieval gate decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.errors import UsageError
from assay.evaluation.grader import score_views
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Evidence, Provenance, Scores
from assay.files import read_routes
from assay.metrics import BoundMetric, Given, WrittenMetric, find_metrics, parse_metrics, written_metrics
from assay.model import Policy, Query, ScoreTable
from assay.text import counted, some_of
from assay.views import Decision, Routing

VIEW = "routing"
DEFAULT_METRIC_NAMES = (
    *("routing_accuracy", "routing_accuracy@2", "load_balance"),
    *("gate_efficiency", "gate_accuracy", "gate_recall", "wrongly_skipped", "wasted_retrievals", "retrievals_saved"),
    "gate_cost_saved",
)
"""Metrics of a router and a gate, where nobody asks for others and there is something to score."""


def evaluate_routing(records: Any, metrics: Given | Iterable[Given] | None = None, *, name: str = "") -> Result:
    """Score routes and gate decisions. Records are a file (JSON lines, JSON, CSV, Parquet), a frame, or a list of dicts.

    Each has a `query_id` and some of `route`, `optimal_expert`, `gated` (retrieval was skipped), `needs_retrieval` and
    `cost`; whatever else it has is a tag to slice by. Without `metrics`, all that have something to say.
    `result.provenance["routing"]` has experts, confusion matrix and gate.
    """
    routes = read_routes(records)
    routing = Routing(tuple(routes.decisions))
    return score_routing(routing, routes.queries, parse_routing_metrics(written_metrics(metrics)), name or routes.name)


def parse_routing_metrics(metrics: WrittenMetric | Iterable[WrittenMetric] | None) -> list[BoundMetric] | None:
    """The metrics that were asked for; None where none were. Those that read something else are refused."""
    if metrics is None:
        return None
    asked = parse_metrics(metrics)
    if others := [metric.name for metric in asked if metric.metric.view != VIEW]:
        usual = ", ".join(DEFAULT_METRIC_NAMES[:4])
        raise UsageError(f"{others[0]} does not read routes; metrics that do are {usual} … (assay metrics lists all)")
    return asked


def score_routing(
    routing: Routing, queries: Mapping[str, Query], metrics: Sequence[BoundMetric] | None, name: str
) -> Result:
    """The result of some decisions; queries are what is known of them besides."""
    table, shown_metrics = routing_table(routing, metrics)
    n = len(routing.query_ids)
    counts = {"judged": n, "scored": n, "missing": 0, "without_relevant": 0, "extra": 0, "constant": 0}
    notes = (*notes_on_routing(routing), *notes_on_experts(routing, shown_metrics))
    picture = {"routing": routing.to_dict()}
    return Result(
        name,
        Scores(table, tuple(shown_metrics), counts),
        Provenance(Policy(), notes=notes, provenance=picture, recorded=routing.fingerprints()),
        Evidence(queries={query: queries[query] for query in routing.query_ids if query in queries}),
    )


def routing_table(routing: Routing, metrics: Sequence[BoundMetric] | None) -> tuple[ScoreTable, list[BoundMetric]]:
    """The scores of the metrics asked for; else of the usual ones that are defined for some query."""
    used_metrics = list(metrics) if metrics is not None else default_routing_metrics(routing)
    table = score_views({VIEW: routing}, used_metrics)
    return table, used_metrics


def default_routing_metrics(routing: Routing) -> list[BoundMetric]:
    """The usual metrics that have a score for some query."""
    has_choices = any(len(decision.routes or ()) > 1 for decision in routing.decisions)
    known = find_metrics([name for name in DEFAULT_METRIC_NAMES if has_choices or "@" not in name])
    table = score_views({VIEW: routing}, known)
    return [metric for metric in known if table.columns[metric.name].counts.any()]


def notes_on_routing(routing: Routing) -> list[str]:
    """Which queries do not count, and why."""
    decisions = routing.decisions
    has_routes, has_gate = (
        any(decision.routes for decision in decisions),
        any(decision.gated is not None for decision in decisions),
    )
    unrouted = [decision for decision in decisions if has_routes and decision.optimal and not decision.routes]
    groups = [
        (NO_OPTIMAL, [decision for decision in decisions if has_routes and decision.routes and not decision.optimal]),
        ("answered without an expert, left out of routing", [decision for decision in unrouted if decision.gated]),
        ("sent to no expert, which counts as wrong", [decision for decision in unrouted if not decision.gated]),
        (
            NO_NEED_STATED,
            [
                decision
                for decision in decisions
                if has_gate and decision.gated is not None and decision.needs_retrieval is None
            ],
        ),
        (
            NO_GATE_DECISION,
            [
                decision
                for decision in decisions
                if has_gate and decision.gated is None and decision.needs_retrieval is not None
            ],
        ),
        _without_cost(decisions),
    ]
    return [
        f"{counted(len(some), 'query')} {what} ({some_of([decision.query_id for decision in some])})."
        for what, some in groups
        if some
    ]


def _without_cost(decisions: Sequence[Decision]) -> tuple[str, list[Decision]]:
    """Queries that a weighing by cost leaves out, where others have one; without that of any skipped query it is void."""
    known = [decision for decision in decisions if decision.gated is not None and decision.needs_retrieval is not None]
    lacking = [decision for decision in known if decision.cost is None]
    skipped = [decision for decision in known if decision.gated]
    if len(lacking) == len(known):
        return NO_COST, []
    is_void = bool(skipped) and all(decision.cost is None for decision in skipped)
    return (f"{NO_COST}, which is undefined: no skipped query has one" if is_void else NO_COST), lacking


def notes_on_experts(routing: Routing, metrics: Iterable[BoundMetric]) -> list[str]:
    """Where more experts occur than there are said to be."""
    n = len(set(routing.first) - {None})
    n_experts = [(metric.name, metric.params.get("experts")) for metric in metrics]
    return [
        f"{name}: {n} experts were chosen, so there are {n}."
        for name, n_stated in n_experts
        if n_stated is not None and n_stated < n
    ]


NO_OPTIMAL = "without an optimal expert, left out"
NO_NEED_STATED = "of which nobody says whether retrieval is needed, left out of the gate's figures"
NO_GATE_DECISION = "without a decision of the gate, which saves nothing"
NO_COST = "without a cost, left out of gate_cost_saved"
