"""Ratios of sums over users: estimates and differences by the delta method, adjusted for an earlier period if there is one.

A rate such as clicks per shown result is not a mean over users. With T and N the sums of a user, the ratio is R = ΣT / ΣN,
and user u contributes (T_u − R·N_u) / mean(N) to its error. The variance of the ratio is the variance of these contributions
divided by the number of users (Deng, Knoblich & Lu 2018, Applying the Delta Method in Metric Analytics, KDD).

A user with a large share of ΣN pulls R towards his or her own rate, so this contribution is too small. Therefore it is
divided by the share of all others, 1 − N_u / ΣN: then it is measured from the ratio of the other users, as a jackknife does
(MacKinnon & White 1985, Some Heteroskedasticity-Consistent Covariance Matrix Estimators with Improved Finite Sample
Properties, J. Econometrics). If all N are equal, this is the usual variance of a mean.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.stats.quantiles import student_chance, student_quantile


class Estimate(NamedTuple):
    """A number with its interval, and the p of 0."""

    value: float
    low: float
    high: float
    p: float

    @classmethod
    def unknown(cls, value: float = math.nan) -> Estimate:
        """A number without an interval."""
        return cls(value, math.nan, math.nan, math.nan)

    @classmethod
    def by_t(cls, value: float, variance: float, df: float, level: float) -> Estimate:
        """By Student's t. Without spread, the interval is the number itself, and there is no p unless the number is 0."""
        if not (variance >= 0 and df > 0 and math.isfinite(value)):
            return cls.unknown(value)
        error = math.sqrt(variance)
        if error <= abs(value) * 1e-12:
            return cls.unknown(value) if value else cls(0.0, 0.0, 0.0, 1.0)
        p = 2.0 * float(student_chance(np.array([-abs(value / error)]), df)[0])
        half = student_quantile((1 + level) / 2, df) * error
        return cls(value, value - half, value + half, min(p, 1.0))


@dataclass(frozen=True)
class Ratio:
    """One sum divided by another over the users of one group."""

    value: float
    rest: Floats
    """The contribution of each user to the error of the ratio."""
    errors: Floats
    """The same, measured from the ratio of all other users; nan if these have no ratio."""

    @classmethod
    def of(cls, top: Floats, bottom: Floats, *, adjustment: Floats | None = None) -> Ratio:
        """The ratio; nan if the bottom sum is 0. An adjustment has a value for each user, which is subtracted."""
        total = float(bottom.sum())
        if not total:
            return cls(math.nan, (unknown := np.full(len(top), math.nan)), unknown)
        value, n = float(top.sum()) / total, len(bottom)
        rest = (top - value * bottom) / (total / n)
        others = 1 - bottom / total
        errors = np.divide(rest, others, out=np.full(n, math.nan), where=others > 0)
        if adjustment is not None:
            around = adjustment - adjustment.mean()
            value, rest = value - float(adjustment.mean()), rest - around
            errors = errors - around * n / (n - 1) if n > 1 else errors
        return cls(value, rest, errors)

    @property
    def n(self) -> int:
        """Users."""
        return len(self.rest)

    @property
    def variance(self) -> float:
        """The variance of the ratio; nan for fewer than two users."""
        return float(np.square(self.errors).sum() * (self.n - 1) / self.n**3) if self.n > 1 else math.nan

    def estimate(self, level: float, null: float = 0.0) -> Estimate:
        """The ratio minus a value that it is compared with."""
        return Estimate.by_t(self.value - null, self.variance, self.n - 1, level)


def ratio_difference(a: Ratio, b: Ratio, level: float) -> Estimate:
    """The ratio of b minus the ratio of a, by Welch's t for users of two independent groups."""
    return Estimate.by_t(b.value - a.value, a.variance + b.variance, welch_freedom(a, b), level)


def welch_freedom(a: Ratio, b: Ratio) -> float:
    """The degrees of freedom of the difference of two ratios (Welch–Satterthwaite); 1 without spread."""
    variance = a.variance + b.variance
    if not variance > 0:
        return 1.0
    return variance**2 / (a.variance**2 / (a.n - 1) + b.variance**2 / (b.n - 1))
