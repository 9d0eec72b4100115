"""Reranking: how much a reranker improved rankings, from the runs before and after it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.errors import UsageError
from assay.evaluation.answers import in_requested_order, with_columns, without_scores
from assay.evaluation.grader import score_views
from assay.evaluation.profile import OWN, Setting, settings_of
from assay.evaluation.result import Result
from assay.evaluation.scoring import evaluate_metrics
from assay.metrics import BoundMetric, Given, find_metric, parse_metrics, written_metrics
from assay.model import Policy
from assay.views import Reranking

RERANKING = "reranking"
DEFAULT_CUTOFF = 10


class Stage(NamedTuple):
    """One of the two runs, and its name in the result."""

    run: Any
    name: str


def evaluate_reranking(
    qrels: Any, before: Any, after: Any, metrics: Given | Iterable[Given] | None = None, *, name: str = "reranked"
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
