"""Student's t on columns, for one sample, for two samples and in bootstrap resamples; and the studentised range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.stats.numeric import Exact, exact, rounding_of
from assay.stats.quantiles import student_chance, student_quantile


class Student(NamedTuple):
    """For each column: how many standard errors its mean is away from 0."""

    t: Floats
    """0 if every value is 0, infinite if all have another common value, nan for a single value."""
    n: int
    is_nil: NDArray[np.bool_]
    """Whether every value is 0 except for rounding."""
    direction: Floats
    """The sign of the mean; 0 if the mean is only rounding."""


def student(values: Floats, rounding: Floats) -> Student:
    """The t of each column. Other columns and the scale do not change a bit of it."""
    n = len(values)
    largest = np.maximum(np.abs(values).max(axis=0, initial=0.0), rounding)
    exponent = np.frexp(largest)[1]
    columns = np.ascontiguousarray(np.ldexp(values, -exponent).T)
    rounding = np.ldexp(rounding, -exponent)
    mean = columns.mean(axis=1)
    sd = columns.std(axis=1, ddof=1) if n > 1 else np.zeros(len(mean))
    is_flat = sd <= rounding
    is_nil = is_flat & (np.abs(mean) <= rounding)
    t = np.divide(mean * np.sqrt(n), sd, out=np.copysign(np.inf, mean), where=~is_flat)
    direction = np.where(np.abs(mean) <= rounding, 0.0, np.sign(mean))
    return Student(np.where(is_nil, 0.0, t if n > 1 else np.nan), n, is_nil, direction)


def chance_below(sample: Student) -> Floats:
    """Probability of a t up to this one if the mean were 0; 0.5 for t = 0 and for a single value.

    If all values are equal, there is no spread to divide by. Then it is the probability that n fair coins all fall on one
    given side, 2^-n.
    """
    if sample.n < 2:
        return np.full(len(sample.t), 0.5)
    coins = np.where(sample.t > 0, 1.0 - 0.5**sample.n, 0.5**sample.n)
    return np.where(np.isinf(sample.t), coins, student_chance(sample.t, sample.n - 1.0))


def chance_beyond(sample: Student, alternative: str) -> Floats:
    """p: probability of a t as extreme as this one if the mean were 0; 1 if nothing differs, and for a single value."""
    mirrored = sample._replace(t=-sample.t)
    if alternative == "two_sided":
        p = 2.0 * chance_below(sample._replace(t=-np.abs(sample.t)))
    else:
        p = chance_below(mirrored if alternative == "greater" else sample)
        against = -np.inf if alternative == "greater" else np.inf
        p = np.where(sample.t == against, 1.0, p)
    return np.where(sample.is_nil | (sample.n < 2), 1.0, p)


def chance_of_equal_coins(n: int, alternative: str) -> float:
    """Probability that n fair coins all fall on the same side (one-sided: on one given side). No p is below it."""
    return float(2.0 ** (1 - n if alternative == "two_sided" else -n))


def half_width(error: Floats | float, df: float, level: float) -> Floats:
    """Half the width of the interval of a mean, from its standard error."""
    with np.errstate(over="ignore"):  # scores near the largest float have infinite intervals
        return np.asarray(student_quantile((1 + level) / 2, float(df)) * error)


class TwoSamples(NamedTuple):
    """For each column: how many standard errors the means of two samples are apart; above 0 if that of b is larger."""

    t: Floats
    """0 if all scores are equal, and for one score each; infinite if each sample has one value and they differ."""
    df: Floats
    n_a: int
    n_b: int
    is_nil: NDArray[np.bool_]
    """Whether all scores are equal except for rounding."""
    direction: Floats
    """The sign of the difference of the means; 0 if it is only rounding."""


def two_samples(a: Floats, b: Floats, *, equal_variances: bool = True) -> TwoSamples:
    """Student's t of two samples, which may differ in size; Welch's t if the variances may differ."""
    n_a, n_b = len(a), len(b)
    exponent = np.frexp(np.maximum(np.abs(a).max(axis=0), np.abs(b).max(axis=0)))[1]
    rounding = np.ldexp(rounding_of(a, b), -exponent)
    of_a, of_b = (np.ascontiguousarray(np.ldexp(scores, -exponent).T) for scores in (a, b))
    gap = of_b.mean(axis=1) - of_a.mean(axis=1)
    var_a, var_b = (values.var(axis=1, ddof=1) if values.shape[1] > 1 else np.zeros(len(gap)) for values in (of_a, of_b))
    is_flat = np.sqrt(var_a + var_b) <= rounding
    pooled = np.full(len(gap), float(n_a + n_b - 2))
    if equal_variances:
        square = ((n_a - 1) * var_a + (n_b - 1) * var_b) / max(n_a + n_b - 2, 1) * (1 / n_a + 1 / n_b)
        df = pooled
    else:
        parts = (var_a / n_a, var_b / n_b)
        square = parts[0] + parts[1]
        spread = parts[0] ** 2 / max(n_a - 1, 1) + parts[1] ** 2 / max(n_b - 1, 1)
        df = np.divide(square**2, spread, out=pooled, where=~is_flat)
    t = np.divide(gap, np.sqrt(square), out=np.copysign(np.inf, gap), where=~is_flat)
    is_nil = is_flat & (np.abs(gap) <= rounding)
    direction = np.where(np.abs(gap) <= rounding, 0.0, np.sign(gap))
    return TwoSamples(np.where(is_nil | (n_a + n_b < 3), 0.0, t), df, n_a, n_b, is_nil, direction)


def chance_of_gap(samples: TwoSamples, alternative: str) -> Floats:
    """p: probability of a t as extreme if the means were equal; 1 if nothing differs, and for one score each.

    If neither sample varies, it is the probability that a random permutation separates the scores like that: one-sided,
    1 ÷ (a and b choose a).
    """
    from scipy.special import binom, stdtr

    if samples.n_a + samples.n_b < 3:
        return np.ones(len(samples.t))
    toward = {"two_sided": -np.abs(samples.t), "greater": -samples.t, "less": samples.t}[alternative]
    dealt = np.where(toward > 0, 1.0, 1.0 / binom(samples.n_a + samples.n_b, samples.n_a))
    p = np.where(np.isinf(samples.t), dealt, stdtr(samples.df, toward))
    return np.where(samples.is_nil, 1.0, np.minimum(2.0 * p, 1.0) if alternative == "two_sided" else p)


@dataclass(frozen=True)
class Studentised:
    """Sums of scores and of their squared distances from the mean, from which the t of every resample follows.

    If all scores of a resample are equal, it has no standard error: t is 0 if they equal the mean, else infinite.
    """

    n: int
    first: Exact
    second: Exact
    """Squared distances, in the square of the units of `first`."""

    @classmethod
    def of(cls, values: Floats) -> Studentised:
        """The sums for queries × columns."""
        first = exact(values)
        distance = first.units - first.total() / len(values)
        return cls(len(values), first, exact(distance**2))

    @property
    def units(self) -> Floats:
        """Columns for the sums, then columns for the sums of squares; one matrix product computes both."""
        return np.hstack([self.first.units, self.second.units])

    @property
    def observed(self) -> Floats:
        """Student's t of the given scores; 0 if all are 0, infinite if all are equal and not 0."""
        variance = np.ldexp(self.second.total() / self.n, self.second.exponent)
        return self._t(self.first.total() / self.n, variance)

    @property
    def standard_error(self) -> Floats:
        """The standard error of the mean, in the units of the scores; 0 if all are equal."""
        variance = np.ldexp(self.second.total() / self.n, self.second.exponent)
        return np.asarray(np.ldexp(np.sqrt(variance / max(self.n - 1, 1)), self.first.exponent))

    def statistics(self, sums: Floats) -> Floats:
        """Resamples × twice the columns, weighted sums of `units` → resamples × columns, t around the observed mean."""
        n_columns = len(self.first.exponent)
        distance = (sums[:, :n_columns] - self.first.total()) / self.n
        variance = np.ldexp(sums[:, n_columns:] / self.n, self.second.exponent) - distance**2
        return self._t(distance, variance)

    def _t(self, distance: Floats, variance: Floats) -> Floats:
        noise = np.ldexp(np.abs(self.second.units).max(axis=0), self.second.exponent) * self.n * 2.0**-50
        error = np.sqrt(np.where(variance > noise, variance, 0.0) / max(self.n - 1, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(distance == 0, 0.0, distance / error)


_Z = np.arange(-8.5, 8.75, 0.125)
"""Points of the normal curve; the trapezoidal rule is exact there except for rounding."""
_BLOCK_CELLS = 1_000_000
"""Points of both sums that are computed together, so that memory stays small."""


def chance_of_range(q: Floats, k: int, df: float = np.inf) -> Floats:
    """Probability of a range of at least q standard errors among k equal means; `df` belongs to the standard error.

    Two trapezoidal sums over smooth curves, accurate to about 10^-13; `inf` degrees of freedom mean a known error.
    """
    flat, place = np.unique(np.asarray(q, dtype=float), return_inverse=True)  # a table of pairs has each value twice
    scale, weight = _spread_of_errors(df)
    p = np.empty(len(flat))
    step = max(1, _BLOCK_CELLS // (len(scale) * len(_Z)))
    for start in range(0, len(flat), step):
        part = slice(start, start + step)
        p[part] = (_range_beyond(flat[part, None] * scale, k) * weight).sum(axis=1)
    return np.where(flat <= 0, 1.0, np.clip(p, 0.0, 1.0))[place].reshape(np.shape(q))


def _range_beyond(width: Floats, k: int) -> Floats:
    """Probability that the range of k standard normal values is above each width."""
    from scipy.special import ndtr

    curve = np.exp(-(_Z**2) / 2) / np.sqrt(2 * np.pi) * (_Z[1] - _Z[0])
    inside = ndtr(_Z) - ndtr(_Z - width[..., None])
    return 1.0 - k * (inside ** (k - 1) * curve).sum(axis=-1)


def _spread_of_errors(df: float) -> tuple[Floats, Floats]:
    """Possible values of an estimated standard error as a share of the true one, with their probabilities."""
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    low, high = -(6 / np.sqrt(df) + 40 / df), np.log1p(6 / np.sqrt(df))
    step = min(0.5 / np.sqrt(df), 0.05)
    log_scale = np.arange(low, high + step, step)
    likely = np.exp(df * (log_scale - np.expm1(2 * log_scale) / 2))
    return np.exp(log_scale), likely / likely.sum()
