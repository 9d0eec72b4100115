"""Bands of a result: what other orders of ties, or relevant unjudged documents, could make of each summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.evaluation.grader import Grader
from assay.evaluation.setting import Setting
from assay.metrics._bands import N_SAMPLED, SEED, residual_band, tie_band
from assay.model.graded import GradedRun, Ties
from assay.model.ordering import Floats, Ints
from assay.model.scores import Column

NOT_ABOUT_QUALITY = {"judged", "unjudged", "rbp_residual"}
"""Metrics that say how complete judgments are; a residual of theirs says nothing."""


TOP = 10
"""Ranks that people look at."""


@dataclass(frozen=True)
class Band:
    """Between which scores each query could lie, and the same for the summary."""

    low: Column
    high: Column
    expected: Column | None = None
    method: str = "exact"

    def summary(self) -> dict[str, Any]:
        """The figures over all queries, as JSON has them."""
        expected = {} if self.expected is None else {"expected": self.expected.summary()}
        return {"low": self.low.summary(), **expected, "high": self.high.summary(), "method": self.method}

    @property
    def width(self) -> float:
        """How far the summary could move."""
        return self.high.summary() - self.low.summary()


def tie_bands(grader: Grader, settings: Iterable[Setting]) -> dict[str, Band]:
    """Metric → lowest, mean and highest score over all orders of tied documents."""
    found = {}
    for setting in _with_figures(settings):
        band = tie_band(setting.metric, _view(grader, setting))
        low, high, expected = (_column(setting, score) for score in (band.low, band.high, band.expected))
        sampled = f"over {N_SAMPLED} sampled orders, seed {SEED}"
        method = {
            (True, True): "exact",
            (False, True): f"ends exact, mean {sampled}",
            (True, False): f"mean exact, ends {sampled}",
            (False, False): sampled,
        }[band.mean_is_exact, band.ends_are_exact]
        found[setting.metric.name] = Band(low, high, expected, method)
    return found


def residual_bands(grader: Grader, settings: Iterable[Setting]) -> dict[str, Band]:
    """Metric → its scores if no unjudged document were relevant, and if all those within its cutoff were."""
    found = {}
    for setting in _with_figures(settings):
        if setting.metric.metric.name not in NOT_ABOUT_QUALITY:
            low, high = residual_band(setting.metric, _view(grader, setting))
            found[setting.metric.name] = Band(_column(setting, low), _column(setting, high))
    return found


def tie_report(grader: Grader, settings: Iterable[Setting]) -> dict[str, Any]:
    """How many queries have ties that could change a score shown, near the top, and across each cutoff."""
    settings = list(settings)
    run = _view(grader, settings[0])
    tied = run.undecided()
    better, equal = (run.ties or Ties(tied, tied)).where(tied)
    queries = run.retrieved.query[tied]
    cutoffs = sorted({setting.metric.params["k"] for setting in settings if isinstance(setting.metric.params.get("k"), int)})
    deepest = max((setting.metric.params.get("k") or np.inf for setting in _with_figures(settings)), default=np.inf)
    return {
        "queries": run.n_queries,
        "undecided": _n_different(queries[better < deepest]),
        "in_top_10": _n_different(queries[better < min(deepest, TOP)]),
        "at_cutoff": {str(k): _n_different(queries[(better < k) & (k < better + equal)]) for k in cutoffs},
    }


def _n_different(queries: Ints) -> int:
    return len(np.unique(queries))


def _with_figures(settings: Iterable[Setting]) -> list[Setting]:
    return [setting for setting in settings if setting.metric.metric.aggregation.summarise and not setting.is_beside]


def _view(grader: Grader, setting: Setting) -> GradedRun:
    return replace(grader.grading(setting.policy).run, tie_rule="settled")


def _column(setting: Setting, score: Floats) -> Column:
    return Column.of(score, setting.metric.metric.aggregation)
