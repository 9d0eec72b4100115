"""Bands of a result: the range of each summary under other orders of ties or other grades of unjudged documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Bools, Floats
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Setting
from assay.metrics import (
    N_SAMPLED,
    SEED,
    BoundMetric,
    TieBand,
    TieQuestion,
    changed_by_ties,
    residual_scores,
    score_of,
    tie_band,
)
from assay.model import GEOMETRIC_MEAN, Column, Policy
from assay.views import GradedRun, Ties

NOT_ABOUT_QUALITY = {"judged", "unjudged", "rbp_residual"}
"""Metrics that show how complete judgments are. A residual of such a metric has no meaning."""
RANKING_VIEWS = ("ranking", "subtopics")
"""Views in which ties matter."""
TOP_RANKS = 10
"""The number of top ranks that users look at."""


@dataclass(frozen=True)
class Band:
    """Several columns of one metric under different assumptions, by name; each is summarised as the metric is."""

    columns: dict[str, Column]
    method: str = ""

    def summary(self) -> dict[str, Any]:
        """The values over all queries, as written to JSON."""
        figures: dict[str, Any] = {name: column.summary() for name, column in self.columns.items()}
        return {**figures, "method": self.method} if self.method else figures

    @property
    def width(self) -> float:
        """The difference between the highest and the lowest value."""
        figures = [column.summary() for column in self.columns.values()]
        return max(figures) - min(figures)


def tie_bands(grader: Grader, settings: Iterable[Setting]) -> dict[str, Band]:
    """Metric → its lowest, mean and highest scores over all orders of tied documents: `min`, `mean`, `max`."""
    bands = {}
    for setting in _summarised_settings(settings):
        band = tie_band(setting.metric, _view(grader, setting))
        columns = {"min": band.low, "mean": band.expected, "max": band.high}
        named = {name: _column(setting, score) for name, score in columns.items()}
        bands[setting.metric.name] = Band(named, _method(setting, band))
    return bands


def _method(setting: Setting, band: TieBand) -> str:
    """How the values were computed: exactly or by sampling."""
    sampled = f"over {N_SAMPLED} sampled orders, seed {SEED}"
    method = {
        (True, True): "exact",
        (False, True): f"min and max exact, mean {sampled}",
        (True, False): f"mean exact, min and max {sampled}",
        (False, False): sampled,
    }[band.mean_is_exact, band.ends_are_exact]
    is_mean_of_means = setting.metric.metric.aggregation is not GEOMETRIC_MEAN
    steps = "the mean over orders for each query, then the geometric mean over queries"
    return method if is_mean_of_means else f"{method}; {steps}"


def residual_bands(grader: Grader, settings: Iterable[Setting]) -> dict[str, Band]:
    """Metric → its lowest and highest scores over all grades that retrieved unjudged documents could get: `min`, `max`.

    If no bounds are known, the ends come from two scenarios; `method` says so.
    """
    bands = {}
    for setting in _summarised_settings(settings):
        if setting.metric.metric.name not in NOT_ABOUT_QUALITY and setting.metric.metric.view == "ranking":
            residual = residual_scores(setting.metric, _view(grader, setting))
            low, high = residual.low, residual.high
            if setting.policy.ties == "expected":  # the bounds are those of one order of ties, the score is the mean
                mean = _column(setting, score_of(setting.metric, grader.grading(setting.policy).run)).score
                low, high = np.minimum(low, mean), np.maximum(high, mean)
            columns = {"min": _column(setting, low), "max": _column(setting, high)}
            bands[setting.metric.name] = Band(columns, residual.method)
    return bands


def tie_report(grader: Grader, settings: Iterable[Setting]) -> dict[str, Any]:
    """How many queries have ties that change a score, that begin in the top 10, and that cross each cutoff."""
    asked = _summarised_settings(settings)
    cutoffs = sorted({k for setting in asked if isinstance(k := setting.metric.params.get("k"), int)})
    tied = _TieCounts(set(), set(), {k: set() for k in cutoffs})
    n_queries = 0
    for group in _by_policy(asked):
        run = _view(grader, group[0])
        n_queries = max(n_queries, run.n_queries)
        if run.ties is not None:
            tied.add([setting.metric for setting in group], run, run.ties)
    cut = {str(k): len(queries) for k, queries in tied.at_cutoff.items()}
    return {"queries": n_queries, "undecided": len(tied.changed), "in_top_10": len(tied.near_top), "at_cutoff": cut}


def _by_policy(settings: Iterable[Setting]) -> list[list[Setting]]:
    """Settings grouped by policy. A group shares one view, so other orders of ties are computed once for the group."""
    groups: dict[Policy, list[Setting]] = {}
    for setting in settings:
        groups.setdefault(setting.policy, []).append(setting)
    return list(groups.values())


class _TieCounts(NamedTuple):
    """Queries with ties that change a score: all of them, those in the top 10, and those that cross each cutoff."""

    changed: set[str]
    near_top: set[str]
    at_cutoff: dict[int, set[str]]

    def add(self, metrics: Sequence[BoundMetric], run: GradedRun, ties: Ties) -> None:
        """Add the queries in which ties change one of the metrics."""
        tied = run.undecided()
        query, (better, equal) = run.retrieved.query[tied], ties.where(tied)
        cutoffs = [k for k in self.at_cutoff if any(metric.params.get("k") == k for metric in metrics)]
        questions = [TieQuestion(metrics, np.ones(run.n_queries, dtype=bool))]
        for k in cutoffs:
            crossed = np.zeros(run.n_queries, dtype=bool)
            crossed[query[(better < k) & (k < better + equal)]] = True
            questions.append(TieQuestion([metric for metric in metrics if metric.params.get("k") == k], crossed))
        changed, *at_cutoffs = changed_by_ties(questions, run)
        near_top = np.zeros(run.n_queries, dtype=bool)
        near_top[query[better < TOP_RANKS]] = True
        self.changed.update(_ids(run, changed))
        self.near_top.update(_ids(run, changed & near_top))
        for k, is_changed in zip(cutoffs, at_cutoffs, strict=True):
            self.at_cutoff[k].update(_ids(run, is_changed))


def _ids(run: GradedRun, queries: Bools) -> Iterable[str]:
    return compress(run.query_ids, queries.tolist())


def _summarised_settings(settings: Iterable[Setting]) -> list[Setting]:
    metrics = ((setting, setting.metric.metric) for setting in settings if not setting.is_beside)
    return [setting for setting, metric in metrics if metric.aggregation.summarise and metric.view in RANKING_VIEWS]


def _view(grader: Grader, setting: Setting) -> GradedRun:
    return replace(grader.grading(setting.policy).run, tie_rule="settled")


def _column(setting: Setting, score: Floats) -> Column:
    rounded = score if setting.digits is None else np.round(score, setting.digits)
    return Column.of(rounded, setting.metric.metric.aggregation)
