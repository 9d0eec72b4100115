"""Plain functions over lists of scores, one per query: what most people need of statistics, in one call each."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.arrays import Floats
from assay.errors import BadParameter, DataError
from assay.stats.catalog.resampling import bootstrap
from assay.stats.mean_intervals import BOOTSTRAP, Resampled, T, check_request, ends, mean_intervals, unknown
from assay.stats.numeric import checked_fraction, exact_mean
from assay.stats.resampling import checked_resamples, checked_seed, index_blocks
from assay.stats.significance import Pairs
from assay.stats.student import chance_of_gap, two_samples

MEANS: tuple[Any, ...] = (np.mean, np.average, statistics.mean, statistics.fmean)
"""Known to be the mean, which all resamples share in one matrix product."""

LARGEST = 1e300


def bootstrap_confidence_interval(
    values: ArrayLike,
    n_bootstrap: int = 1000,
    confidence_level: float = 0.95,
    metric_fn: Callable[[Any], Any] = np.mean,
    seed: int = 0,
) -> tuple[Any, Any, Any]:
    """(estimate, low, high) of the mean, or of what `metric_fn` makes of scores, by the percentile bootstrap.

    One list of scores gives three floats; queries × metrics gives three arrays, one figure per metric. A single query
    tells nothing about the spread: low and high are nan.
    """
    check_request(BOOTSTRAP, confidence_level, n_bootstrap, seed, (BOOTSTRAP,))
    if not callable(metric_fn):
        raise BadParameter(f"metric_fn is a function that makes one number of scores, not {metric_fn!r}")
    scores = _scores("values", values, (1, 2))
    columns = scores[:, np.newaxis] if scores.ndim == 1 else scores
    if metric_fn in MEANS:
        interval = mean_intervals(columns, BOOTSTRAP, confidence_level, n_bootstrap, seed)
        three = (exact_mean(columns), *interval)
    else:
        three = _of_any_figure(columns, metric_fn, confidence_level, n_bootstrap, seed)
    return three if scores.ndim == 2 else (float(three[0][0]), float(three[1][0]), float(three[2][0]))


def paired_bootstrap_test(
    values_a: ArrayLike, values_b: ArrayLike, n_bootstrap: int = 10_000, seed: int = 0, alpha: float = 0.05
) -> tuple[float, bool]:
    """(p, whether it is significant, p ≤ alpha): do two systems differ on the same queries? Shift method, two-sided.

    p = (1 + extreme) / (1 + n_bootstrap), so it is never 0. Equal systems and a single query have p = 1.
    """
    a, b = _scores("values_a", values_a, (1,)), _scores("values_b", values_b, (1,))
    if len(a) != len(b):
        raise DataError(f"a paired test needs the same queries for both systems: {len(a)} scores against {len(b)}")
    checked_fraction("alpha", alpha)
    pairs = Pairs(a[:, np.newaxis], b[:, np.newaxis], checked_seed(seed))
    p = float(bootstrap(pairs, "shift", checked_resamples(n_bootstrap), "two_sided").p[0])
    return p, p <= alpha


def calculate_confidence_interval(scores: ArrayLike, confidence_level: float = 0.95) -> tuple[float, float]:
    """(low, high) of the mean by Student's t, with the quantile of the level asked for. One score: (nan, nan)."""
    values = _scores("scores", scores, (1,))
    interval = mean_intervals(values[:, np.newaxis], T, confidence_level)
    return float(interval.low[0]), float(interval.high[0])


def statistical_significance_test(scores_a: ArrayLike, scores_b: ArrayLike, alpha: float = 0.05) -> dict[str, Any]:
    """Student's t test of two independent samples with pooled variance: t_statistic, p_value, significant, mean_a, mean_b.

    For two systems on the same queries a paired test sees far more: `paired_bootstrap_test`, or `assay compare`. Means
    that differ by rounding only have t 0 and p 1. Where neither sample varies and they differ, t is infinite and p is the
    chance of dealing the scores out like that; one score each has p 1.
    """
    a, b = _scores("scores_a", scores_a, (1,)), _scores("scores_b", scores_b, (1,))
    checked_fraction("alpha", alpha)
    mean_a, mean_b = float(exact_mean(a)), float(exact_mean(b))
    samples = two_samples(b[:, np.newaxis], a[:, np.newaxis])
    t, p = float(samples.t[0]), float(chance_of_gap(samples, "two_sided")[0])
    return {"t_statistic": t, "p_value": p, "significant": p <= alpha, "mean_a": mean_a, "mean_b": mean_b}


def _of_any_figure(
    columns: Floats, metric_fn: Callable[[Any], Any], level: float, resamples: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Calls the function once per column and resample."""
    estimate = np.array([_figure(metric_fn, column) for column in columns.T])
    if len(columns) < 2:
        return estimate, *unknown(len(estimate))
    low, high = np.empty(len(estimate)), np.empty(len(estimate))
    for number, column in enumerate(columns.T):
        blocks = index_blocks(len(column), resamples, seed)
        figures = np.array([[_figure(metric_fn, column[row]) for block in blocks for row in block]])
        (low[number],), (high[number],) = ends(Resampled(estimate[:1], figures, np.zeros(1)), BOOTSTRAP, level)
    return estimate, low, high


def _figure(metric_fn: Callable[[Any], Any], scores: Floats) -> float:
    figure = np.asarray(metric_fn(scores), dtype=float)
    if figure.size != 1 or not np.isfinite(figure).all():
        raise DataError(
            f"metric_fn has to make one finite number of any resample of the scores; it made {figure} of {scores}"
        )
    return float(figure.item())


def _scores(name: str, values: ArrayLike, dimensions: Sequence[int]) -> Floats:
    """The scores as an array, or an error that says what is wrong with them."""
    try:
        scores = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{name}: expected numbers, one per query, all rows alike") from None
    if scores.ndim not in dimensions:
        shape = "a list of scores" if dimensions == (1,) else "a list of scores, or queries × metrics"
        raise DataError(f"{name}: expected {shape}, found {scores.ndim} dimensions")
    if not scores.size:
        raise DataError(f"{name}: no scores at all; statistics need at least one query")
    if not np.isfinite(scores).all():
        place = int(np.argwhere(~np.isfinite(scores))[0][0])
        raise DataError(f"{name}: the score of query {place + 1} is nan or infinite; leave such queries out of both systems")
    if np.abs(scores).max() > LARGEST:
        raise DataError(f"{name}: scores beyond {LARGEST:g} leave no room to compute with; scale them down")
    return scores
