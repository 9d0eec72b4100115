"""Agreement of judges: Cohen's κ of two judges, and Krippendorff's α of any number, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.errors import BadParameter, DataError
from assay.serialize import to_json
from assay.stats.numeric import ROUNDING, checked_fraction
from assay.text import counted

KAPPA_WEIGHTS = ("none", "linear", "quadratic")
"""Weight of a disagreement: 1, the distance of the grades, or its square."""
ALPHA_SCALES = ("nominal", "ordinal", "interval")
"""Weight of a disagreement: 1, the squared distance in mid-ranks of grades, or the squared distance of the grades."""
BLOCK_CELLS = 2**20
"""Numbers in memory at once; the result does not depend on it."""


class Reliability(NamedTuple):
    """A measure of agreement with its interval: 1 is full agreement, 0 is agreement by chance."""

    value: float
    """nan if all grades are the same, because chance would explain full agreement then."""
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return to_json(self._asdict())


UNKNOWN_RELIABILITY = Reliability(math.nan, math.nan, math.nan)


def cohen_kappa(a: Sequence[float], b: Sequence[float], weights: str = "none") -> float:
    """κ of the grades of two judges for the same pairs, in the same order: 1 is full agreement, 0 is agreement by chance.

    κ = 1 − Σ w·observed ÷ Σ w·expected, where w is 0 on the diagonal and 1 elsewhere, or grows with the distance of two
    grades. nan if both judges gave the same grade throughout, because chance would explain that too.
    (Cohen 1960; weights: Cohen 1968)
    """
    return kappa_interval(a, b, weights).value


def kappa_interval(a: Sequence[float], b: Sequence[float], weights: str = "none", level: float = 0.95) -> Reliability:
    """Cohen's κ with an interval, from its large-sample standard error on the scale of Fisher's z, with Student's t.

    If the judges never differ, the standard error is 0. Then the lower end is the κ at which that many equal grades have the
    probability (1 - level) ÷ 2. (Fleiss, Cohen and Everitt 1969)
    """
    checked_fraction("level", level, 0.95)
    badness, observed, n = _crossed_grades(a, b, weights)
    expected = np.outer(observed.sum(axis=1), observed.sum(axis=0))
    by_chance, differing = float((badness * expected).sum()), float((badness * observed).sum())
    if not n or not by_chance:
        return UNKNOWN_RELIABILITY
    kappa = 1 - differing / by_chance
    if not differing:
        return Reliability(1.0, _lower_end_without_a_difference(float(badness.max()) / by_chance, n, level), 1.0)
    share = differing / by_chance
    of_rows, of_columns = badness @ observed.sum(axis=0), observed.sum(axis=1) @ badness
    moved = badness - share * (of_rows[:, None] + of_columns[None, :])
    variance = (observed * moved**2).sum() - (observed * moved).sum() ** 2
    return _around(kappa, math.sqrt(max(0.0, float(variance)) / n) / by_chance, n, level)


def _crossed_grades(a: Sequence[float], b: Sequence[float], weights: str) -> tuple[Floats, Floats, int]:
    """The weight of each disagreement, the share of pairs with each two grades, and the number of pairs."""
    if weights not in KAPPA_WEIGHTS:
        raise BadParameter(f"weights must be one of {', '.join(KAPPA_WEIGHTS)}, not {weights!r}")
    if len(a) != len(b):
        raise DataError(
            f"both judges must grade the same pairs: a has {counted(len(a), 'grade')}, b has {counted(len(b), 'grade')}"
        )
    both = np.array([a, b], dtype=float)
    if not np.isfinite(both).all():
        raise DataError("grades must be finite numbers")
    grades, numbers = np.unique(both, return_inverse=True)
    first, second = numbers.reshape(2, -1)
    n = len(grades)
    observed = np.bincount(first * n + second, minlength=n * n).reshape(n, n) / max(len(a), 1)
    distance = np.abs(grades[:, None] - grades[None, :])
    badness = {"none": (distance > 0).astype(float), "linear": distance, "quadratic": distance**2}[weights]
    return badness, observed, len(a)


def krippendorff_alpha(grades: Sequence[Sequence[float | None]], scale: str = "ordinal", level: float = 0.95) -> Reliability:
    """α of any number of judges: a row of grades for each judge, all in the same order of items; None or nan: not graded.

    α = 1 − observed ÷ expected disagreement. Items with fewer than two grades do not count. The interval is that of the
    jackknife over items (leave out one at a time) on the scale of Fisher's z, with Student's t. It does not depend on the
    order of judges or items, and is nan if it depends on a single item, or if all items are alike. (Krippendorff 2004, 2011)
    """
    if scale not in ALPHA_SCALES:
        raise BadParameter(f"scale must be one of {', '.join(ALPHA_SCALES)}, not {scale!r}")
    checked_fraction("level", level, 0.95)
    items = _Items.of(grades)
    if not len(items.counts):
        return UNKNOWN_RELIABILITY
    n = int(items.times.sum())
    observed, expected = (float(part[0]) for part in items.disagreement(items.times[None, :], scale))
    if not expected:
        return UNKNOWN_RELIABILITY
    if not observed:
        return Reliability(1.0, _lower_end_without_a_difference(items.largest(scale) / expected, n, level), 1.0)
    others = np.concatenate([1 - differing / chance for differing, chance in items.without_one(scale)])
    if n < 2 or not np.isfinite(others).all():
        return Reliability(1 - observed / expected, math.nan, math.nan)
    mean = float((items.times * others).sum()) / n
    variance = (n - 1) / n * float((items.times * (others - mean) ** 2).sum())
    return _around(1 - observed / expected, math.sqrt(variance), n, level)


class _Items(NamedTuple):
    """Items with at least two grades; those with the same grades are counted together."""

    values: Floats
    counts: Floats
    """Different items × values: how many judges gave each grade."""
    times: Floats
    """How often each occurs."""

    @classmethod
    def of(cls, grades: Sequence[Sequence[float | None]]) -> _Items:
        if len({len(row) for row in grades}) > 1:
            raise DataError("each judge needs a grade, or None, for every item: the rows have different lengths")
        table = np.array([[math.nan if grade is None else grade for grade in row] for row in grades], dtype=float)
        if np.isinf(table).any():
            raise DataError("grades must be finite numbers")
        table = table.reshape(len(grades), -1) if len(grades) else np.empty((0, 0))
        table = table[:, (~np.isnan(table)).sum(axis=0) > 1]
        values = np.unique(table[~np.isnan(table)])
        every = np.stack([(table == value).sum(axis=0) for value in values], axis=1) if len(values) else np.empty((0, 0))
        counts, times = np.unique(every, axis=0, return_counts=True) if len(every) else (every, np.empty(0))
        return cls(values, counts.astype(float), times.astype(float))

    def disagreement(self, weights: Floats, scale: str) -> tuple[Floats, Floats]:
        """Observed and expected disagreement for each row of weights, which say how often each item counts.

        The squared distance of two ordinal grades is that of their mid-ranks among all grades.
        """
        size, totals = self.counts.sum(axis=1), weights @ self.counts
        n = totals.sum(axis=1)
        if scale == "nominal":
            observed = weights @ ((size**2 - (self.counts**2).sum(axis=1)) / (size - 1))
            expected = n**2 - (totals**2).sum(axis=1)
        else:
            middle = np.cumsum(totals, axis=1) - totals / 2
            place = middle if scale == "ordinal" else np.broadcast_to(self.values, totals.shape)
            place = place - place[:, :1]
            squares = size * ((place**2) @ self.counts.T) - (place @ self.counts.T) ** 2
            observed = (weights * 2 * squares / (size - 1)).sum(axis=1)
            expected = 2 * (n * (totals * place**2).sum(axis=1) - (totals * place).sum(axis=1) ** 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            return observed / n, np.where(expected > ROUNDING * n**2, expected, 0.0) / (n * (n - 1))

    def largest(self, scale: str) -> float:
        """The largest possible disagreement of two grades."""
        totals = self.times @ self.counts
        place = np.cumsum(totals) - totals / 2 if scale == "ordinal" else self.values
        return 1.0 if scale == "nominal" else float(place[-1] - place[0]) ** 2

    def without_one(self, scale: str) -> Iterator[tuple[Floats, Floats]]:
        """Observed and expected disagreement without one item, for each different item."""
        n = len(self.times)
        step = max(1, BLOCK_CELLS // n)
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            with np.errstate(divide="ignore", invalid="ignore"):
                differing, chance = self.disagreement(self._less(rows), scale)
                yield differing, np.where(chance > 0, chance, np.nan)

    def _less(self, rows: Any) -> Floats:
        weights = np.repeat(self.times[None, :], len(rows), axis=0)
        weights[np.arange(len(rows)), rows] -= 1
        return weights


def _around(value: float, error: float, n: int, level: float) -> Reliability:
    """The interval on the scale of Fisher's z: it stays between -1 and 1, and is longer towards 0; nan without an error."""
    from scipy.special import stdtrit

    if n < 2 or not -1 < value < 1 or error <= ROUNDING:
        return Reliability(value, math.nan, math.nan)
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error / (1 - value**2)
    return Reliability(value, math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half))


def _lower_end_without_a_difference(worst: float, n: int, level: float) -> float:
    """1 minus the largest share of items with the worst difference that n equal items leave plausible."""
    share = ((1 - level) / 2) ** (1 / n)
    return max(-1.0, 1 - (1 - share) * worst)
