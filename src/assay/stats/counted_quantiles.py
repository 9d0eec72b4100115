"""Counted quantiles: the interval of a quantile of values that are counted in bins, for each user or other cluster."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats
from assay.model import quantile_of_counts
from assay.stats.mean_intervals import T
from assay.stats.quantiles import student_quantile


def counted_quantile_interval(counts: Floats, q: float, level: float) -> tuple[float, float, str]:
    """(low, high, method) of the q-quantile over all values; `counts` are clusters × bins.

    This is Woodruff's interval: the share of values up to the observed quantile has an interval by the delta method over the
    clusters, and the quantiles at its two ends are the interval of the quantile (Woodruff 1952, Confidence Intervals for
    Medians and Other Position Measures, JASA 47). Fewer than two clusters have no interval.
    """
    n = len(counts)
    if n < 2:
        return float("nan"), float("nan"), "none"
    total = counts.sum(axis=0)
    below = _up_to(counts, total, q)
    sizes = counts.sum(axis=1)
    rest = (below - q * sizes) / sizes.mean()
    half = student_quantile((1 + level) / 2, n - 1) * float(np.sqrt(np.square(rest).sum() / (n - 1) / n))
    low, high = (quantile_of_counts(total, min(max(share, 0.0), 1.0)) for share in (q - half, q + half))
    return low, high, T


def _up_to(counts: Floats, total: Floats, q: float) -> Floats:
    """How many values of each cluster are at most the q-quantile: of the bin that it is in, the part below it."""
    reached = np.concatenate(([0.0], np.cumsum(total)))
    place = int(np.searchsorted(reached[1:], q * reached[-1]))
    inside = (q * reached[-1] - reached[place]) / total[place]
    return np.asarray(counts[:, :place].sum(axis=1) + inside * counts[:, place])
