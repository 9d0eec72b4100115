"""Run-to-run noise: how much of the variance of a mean comes from repeats of the same queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.arrays import Floats
from assay.errors import DataError
from assay.stats.numeric import ROUNDING


class NoiseShare(NamedTuple):
    """The variance of a mean over queries, and the part of it that comes from run-to-run noise."""

    noise: float
    """The variance of the mean that would remain if the same queries were sent again; more repeats reduce it."""
    total: float
    """The whole variance of the mean over samples of queries and repeats."""

    @property
    def share(self) -> float:
        """Noise as a share of the whole, from 0 to 1; nan if the whole is 0 or unknown."""
        return float(min(self.noise / self.total, 1.0)) if self.total > 0 else float("nan")


def noise_share(*systems: ArrayLike) -> NoiseShare:
    """The noise in the mean of one system, or in the mean difference of two systems on the same queries.

    Each system has queries × repeats; nan is a repeat without a score. These are the one-way random-effects components: with
    y_ij the score of query i on repeat j, the variance within queries is s² = Σ(y_ij − ȳ_i)² / Σ(r_i − 1), the noise of the
    mean is s²·mean(1/r_i)/n, and the whole variance is the variance of ȳ_i over queries, divided by n. For one system with r
    repeats, the share is MS_within / MS_between, which is 1 / F. For a difference, the noise of both systems adds up. A
    system with one repeat adds no noise, because its noise is unknown, so the share is then a lower bound.

    (Searle, Casella & McCulloch 1992, Variance Components, ch. 3)
    """
    scores = [np.asarray(system, dtype=float) for system in systems]
    if not 1 <= len(scores) <= 2 or any(some.ndim != 2 or len(some) != len(scores[0]) for some in scores):
        shapes = ", ".join(str(some.shape) for some in scores)
        raise DataError(f"expected one system or two, each with queries × repeats for the same queries, found {shapes}")
    defined = np.logical_and.reduce([(~np.isnan(some)).any(axis=1) for some in scores])
    scores = [some[defined] for some in scores]
    n = int(np.count_nonzero(defined))
    if n < 2:
        return NoiseShare(float("nan"), float("nan"))
    means = [np.nanmean(some, axis=1) for some in scores]
    centre = means[0] if len(means) == 1 else means[1] - means[0]
    return NoiseShare(sum(map(_noise, scores)), float(np.var(centre, ddof=1)) / n)


def _noise(scores: Floats) -> float:
    """The variance of the mean over queries that comes from repeats; 0 if no query has two of them."""
    n_repeats = np.count_nonzero(~np.isnan(scores), axis=1)
    freedom = int((n_repeats - 1).sum())
    if not freedom:
        return 0.0
    deviations = scores - np.nanmean(scores, axis=1, keepdims=True)
    deviations = np.where(np.abs(deviations) > ROUNDING * np.nanmax(np.abs(scores)), deviations, 0.0)
    within = float((deviations**2).sum()) / freedom
    return within * float(np.mean(1 / n_repeats)) / len(scores)
