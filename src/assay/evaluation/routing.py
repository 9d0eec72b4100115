"""Routing: score what a router and a retrieval gate decided, and what a reranker improved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.datasets import GroundTruth
from assay.errors import UsageError
from assay.evaluation.answers import in_requested_order, with_columns, without_scores
from assay.evaluation.grader import score_views
from assay.evaluation.profile import OWN, Setting, settings_of
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Evidence, Provenance, Scores
from assay.evaluation.scoring import evaluate_metrics
from assay.files import read_routes
from assay.metrics import BoundMetric, Given, WrittenMetric, find_metric, find_metrics, parse_metrics, written_metrics
from assay.model import Policy, Query, RouteSource, RunSource, ScoreTable
from assay.text import counted, some_of
from assay.views import Decision, Reranking, Routing

VIEW = "routing"
DEFAULT_METRIC_NAMES = (
    *("routing_accuracy", "routing_accuracy@2", "load_balance"),
    *("gate_efficiency", "gate_accuracy", "gate_recall", "wrongly_skipped", "wasted_retrievals", "retrievals_saved"),
    "gate_cost_saved",
)
"""The default metrics of a router and a gate. Metrics without any score are left out."""


def evaluate_routing(records: RouteSource, metrics: Given | Iterable[Given] | None = None, *, name: str = "") -> Result:
    """Score routes and gate decisions. Records are a file (JSON lines, JSON, CSV, Parquet), a frame, or a list of dicts.

    Each record has a `query_id` and some of `route`, `optimal_expert`, `gated` (retrieval was skipped), `needs_retrieval`
    and `cost`; every other field is a tag to slice by. Without `metrics`, all default metrics with a score are used.
    `result.provenance["routing"]` has the experts, the confusion matrix and the counts of the gate.
    """
    routes = read_routes(records)
    routing = Routing(tuple(routes.decisions))
    return score_routing(routing, routes.queries, parse_routing_metrics(written_metrics(metrics)), name or routes.name)


def parse_routing_metrics(metrics: WrittenMetric | Iterable[WrittenMetric] | None) -> list[BoundMetric] | None:
    """The requested metrics, or None if there are none. A metric that does not read routes is an error."""
    if metrics is None:
        return None
    asked = parse_metrics(metrics)
    if others := [metric.name for metric in asked if metric.metric.view != VIEW]:
        usual = ", ".join(DEFAULT_METRIC_NAMES[:4])
        raise UsageError(f"{others[0]} does not read routes. Metrics that do: {usual} … (assay metrics lists all)")
    return asked


def score_routing(
    routing: Routing, queries: Mapping[str, Query], metrics: Sequence[BoundMetric] | None, name: str
) -> Result:
    """The result of routing decisions. `queries` has the texts and tags of the queries."""
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
    """The scores of the requested metrics, else of the default metrics that are defined for at least one query."""
    used_metrics = list(metrics) if metrics is not None else default_routing_metrics(routing)
    table = score_views({VIEW: routing}, used_metrics)
    return table, used_metrics


def default_routing_metrics(routing: Routing) -> list[BoundMetric]:
    """The default metrics that have a score for at least one query."""
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
        (NO_EXPERT_NEEDED, [decision for decision in unrouted if decision.gated]),
        (NO_EXPERT, [decision for decision in unrouted if not decision.gated]),
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
        f"{counted(len(some), 'query')} {_agreeing(what, len(some))} ({some_of([decision.query_id for decision in some])})."
        for what, some in groups
        if some
    ]


def _agreeing(words: str, count: int) -> str:
    """The words with their verbs in the number of the subject."""
    is_one = count == 1
    return words.format(
        are="is" if is_one else "are",
        have="has" if is_one else "have",
        do="does" if is_one else "do",
        were="was" if is_one else "were",
        count="counts" if is_one else "count",
    )


def _without_cost(decisions: Sequence[Decision]) -> tuple[str, list[Decision]]:
    """Queries without a cost, if others have one. Without the cost of any skipped query, gate_cost_saved is undefined."""
    known = [decision for decision in decisions if decision.gated is not None and decision.needs_retrieval is not None]
    lacking = [decision for decision in known if decision.cost is None]
    skipped = [decision for decision in known if decision.gated]
    if len(lacking) == len(known):
        return NO_COST, []
    is_void = bool(skipped) and all(decision.cost is None for decision in skipped)
    return (f"{NO_COST}, which is undefined because no skipped query has a cost" if is_void else NO_COST), lacking


def notes_on_experts(routing: Routing, metrics: Iterable[BoundMetric]) -> list[str]:
    """A note for each metric whose number of experts is lower than the number of experts that were chosen."""
    n = len(set(routing.first) - {None})
    n_experts = [(metric.name, metric.params.get("experts")) for metric in metrics]
    return [
        f"{name}: {n} experts were chosen, so {n} is used as the number of experts."
        for name, n_stated in n_experts
        if n_stated is not None and n_stated < n
    ]


NO_OPTIMAL = "{have} no optimal expert and {are} left out of routing_accuracy"
NO_EXPERT_NEEDED = "{were} answered without an expert and {are} left out of the routing metrics"
NO_EXPERT = "{were} sent to no expert and {count} as wrong"
NO_NEED_STATED = "{do} not say whether retrieval is needed and {are} left out of the gate metrics"
NO_GATE_DECISION = "{have} no gate decision and {count} as saving nothing"
NO_COST = "{have} no cost and {are} left out of gate_cost_saved"


RERANKING = "reranking"
DEFAULT_CUTOFF = 10


class Stage(NamedTuple):
    """One of the two runs, and its name in the result."""

    run: Any
    name: str


def evaluate_reranking(
    qrels: GroundTruth,
    before: RunSource,
    after: RunSource,
    metrics: Given | Iterable[Given] | None = None,
    *,
    name: str = "reranked",
) -> Result:
    """Score how much a reranker improved a run. `before` and `after` are anything that `evaluate` reads as a run.

    The result is that of the run after reranking. Without `metrics`, it has `ndcg@10` and `reranking_improvement@10`.
    """
    asked = None if metrics is None else parse_metrics(written_metrics(metrics))
    return reranking_stages(qrels, Stage(before, "before"), Stage(after, name), asked)[1]


def reranking_stages(qrels: Any, before: Stage, after: Stage, metrics: Sequence[BoundMetric] | None) -> list[Result]:
    """The results of both runs. Only the second has an improvement."""
    asked = list(metrics or ())
    gains = [metric for metric in asked if metric.metric.view == RERANKING]
    ranked = [metric for metric in asked if metric.metric.view != RERANKING] or _ndcg_of(gains)
    settings = settings_of(ranked, OWN)
    first, last = (evaluate_metrics(qrels, stage.run, ranked, name=stage.name) for stage in (before, after))
    gains = gains or _default_gain_metrics(settings)
    stages = [without_scores(first, gains), with_reranking_gain(last, first, gains, settings, OWN.policy)]
    return [in_requested_order(stage, [metric.name for metric in asked]) for stage in stages]


def _ndcg_of(gains: Sequence[BoundMetric]) -> list[BoundMetric]:
    """The NDCG that each improvement is about; at the default cutoff if there is none."""
    usual = find_metric(f"ndcg@{DEFAULT_CUTOFF}")
    metrics = [usual.metric.bind(k=gain.params["k"], gain=gain.params["gain"]) for gain in gains] or [usual]
    return list({metric.name: metric for metric in metrics}.values())


def with_reranking_gain(
    after: Result, first: Result, asked: Sequence[BoundMetric], settings: Sequence[Setting], policy: Policy
) -> Result:
    """The result after reranking, with the improvement over the first stage.

    Unless improvement metrics were requested, there is one for each requested NDCG, with its cutoff and gain.
    """
    graders = (first.grader, after.grader)
    if graders[0] is None or graders[1] is None:
        raise UsageError(
            "the improvement needs the rankings, but these results were read from a file. Run the evaluation again"
        )
    view = Reranking(*(grader.main_grading(settings, policy).run for grader in graders if grader is not None))
    metrics = list(asked) or _default_gain_metrics(settings)
    table = score_views({RERANKING: view}, metrics)
    beside = () if asked else [metric.name for metric in metrics]
    answered = [place for place, query in enumerate(table.query_ids) if query not in after.failures]
    undefined = (_undefined_notes(table.columns[metric.name].score[answered], metric) for metric in metrics)
    notes = (*after.notes, *(note for some in undefined for note in some))
    return with_columns(after, table, metrics, beside).with_fields(notes=notes)


def _default_gain_metrics(settings: Sequence[Setting]) -> list[BoundMetric]:
    """The improvement of each requested NDCG; at the default cutoff if there is none."""
    measured = [setting.metric for setting in settings if setting.metric.metric.name == "ndcg" and not setting.is_beside]
    usual = find_metric(f"{RERANKING}_improvement@{DEFAULT_CUTOFF}")
    metrics = [usual.metric.bind(k=metric.params["k"], gain=metric.params["gain"]) for metric in measured] or [usual]
    return list({metric.name: metric for metric in metrics}.values())


def _undefined_notes(score: Any, metric: BoundMetric) -> list[str]:
    """A note on queries without a percentage, because their NDCG was 0 before."""
    n = int(np.count_nonzero(np.isnan(score)))
    if not n:
        return []
    share = f"{n:,} of {len(score):,} queries"
    reason = "had an NDCG of 0 before reranking, so their change in per cent is undefined"
    return [f"{metric.name}: {share} {reason}. They still count in the means."]
