"""Plain functions over lists of scores, one score per query: the statistics that most people need."""

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
from assay.text import shortened

MEANS: tuple[Any, ...] = (np.mean, np.average, statistics.mean, statistics.fmean)
"""Functions known to be the mean, which one matrix product computes for all resamples."""

LARGEST = 1e300


def bootstrap_confidence_interval(
    values: ArrayLike,
    n_bootstrap: int = 1000,
    confidence_level: float = 0.95,
    metric_fn: Callable[[Any], Any] = np.mean,
    seed: int = 0,
) -> tuple[Any, Any, Any]:
    """(estimate, low, high) of the mean, or of another function `metric_fn` of the scores, by the percentile bootstrap.

    One list of scores gives three floats; queries × metrics gives three arrays, one value per metric. With a single query,
    low and high are nan.
    """
    check_request(BOOTSTRAP, confidence_level, n_bootstrap, seed, (BOOTSTRAP,))
    if not callable(metric_fn):
        raise BadParameter(f"metric_fn must be a function that turns scores into one number, not {metric_fn!r}")
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
    """(p, whether p ≤ alpha) of the difference between two systems on the same queries; shift method, two-sided.

    p = (1 + extreme) / (1 + n_bootstrap), so it is never 0. Equal systems and a single query have p = 1.
    """
    a, b = _scores("values_a", values_a, (1,)), _scores("values_b", values_b, (1,))
    if len(a) != len(b):
        raise DataError(
            f"a paired test needs scores for the same queries: values_a has {len(a)} scores, values_b has {len(b)}"
        )
    checked_fraction("alpha", alpha)
    pairs = Pairs(a[:, np.newaxis], b[:, np.newaxis], checked_seed(seed))
    p = float(bootstrap(pairs, "shift", checked_resamples(n_bootstrap), "two_sided").p[0])
    return p, p <= alpha


def calculate_confidence_interval(scores: ArrayLike, confidence_level: float = 0.95) -> tuple[float, float]:
    """(low, high): the interval of the mean by Student's t at this confidence level. For one score: (nan, nan)."""
    values = _scores("scores", scores, (1,))
    interval = mean_intervals(values[:, np.newaxis], T, confidence_level)
    return float(interval.low[0]), float(interval.high[0])


def statistical_significance_test(scores_a: ArrayLike, scores_b: ArrayLike, alpha: float = 0.05) -> dict[str, Any]:
    """Student's t test of two independent samples with pooled variance: t_statistic, p_value, significant, mean_a, mean_b.

    For two systems on the same queries, a paired test has far more power: `paired_bootstrap_test`, or `assay compare`. Means
    that differ only by rounding have t 0 and p 1. If neither sample varies and they differ, t is infinite and p is that of a
    permutation of the scores. With one score each, p is 1.
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
    """Call the function once per column and resample."""
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
            f"metric_fn must return one finite number for every resample of the scores. It returned {figure} for {scores}"
        )
    return float(figure.item())


def _scores(name: str, values: ArrayLike, dimensions: Sequence[int]) -> Floats:
    """The scores as an array, or an error that says what is wrong with them."""
    try:
        scores = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        shape = "numbers, one per query, with rows of equal length"
        raise DataError(f"{name}: expected {shape}, found {shortened(values)}") from None
    if scores.ndim not in dimensions:
        shape = "a list of scores" if dimensions == (1,) else "a list of scores or a table of queries × metrics"
        raise DataError(f"{name}: expected {shape}, found an array of {scores.ndim} dimensions")
    if not scores.size:
        raise DataError(f"{name}: there are no scores. Statistics need at least one query")
    if not np.isfinite(scores).all():
        place = int(np.argwhere(~np.isfinite(scores))[0][0])
        raise DataError(f"{name}: the score of query {place + 1} is nan or infinite. Remove such queries from both systems")
    if np.abs(scores).max() > LARGEST:
        raise DataError(f"{name}: scores beyond {LARGEST:g} are too large to compute with. Scale them down")
    return scores
