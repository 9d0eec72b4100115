"""VariantDifference: a variant compared with the control on one metric, and how the difference is estimated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.errors import UsageError
from assay.experiments.confidence_sequence import difference_sequence
from assay.experiments.earlier_period import users_adjustment
from assay.logs import VariantUsers
from assay.metrics import BoundMetric
from assay.serialize import read_record, to_json
from assay.stats import Estimate, Ratio, ratio_difference, welch_freedom

DELTA, CUPED, BETTING = "delta", "cuped", "betting"
ESTIMATION_METHODS = {
    DELTA: "delta method over users",
    CUPED: "delta method over users, adjusted for the period before the experiment",
    BETTING: "confidence sequence by betting",
}
"""How a difference was estimated, in words."""


@dataclass(frozen=True)
class VariantDifference:
    """Variant b compared with the control a."""

    metric: str
    a: str
    b: str
    n_a: int
    """Users."""
    n_b: int
    value_a: float
    value_b: float
    difference: float
    relative: float
    """The difference as a share of a; nan if a is 0."""
    low: float
    high: float
    method: str
    p: float
    improvement: float
    """The difference, above 0 if b is better."""
    unadjusted: float
    """The difference without the adjustment for an earlier period."""
    variance_reduction: float
    """The share of the variance that the adjustment removes; nan without one."""
    p_corrected: float = math.nan
    is_significant: bool = False
    is_in_family: bool = True
    df: float = math.nan
    """The degrees of freedom of Student's t; nan if the interval is a confidence sequence."""
    draws: int = 0
    """No p here depends on random draws."""

    @property
    def better(self) -> str | None:
        """The variant that is shown to be better."""
        if not self.is_significant or not self.improvement:
            return None
        return self.b if self.improvement > 0 else self.a

    @property
    def is_same(self) -> bool:
        """Whether nothing differs at all."""
        return self.difference == 0 and self.p == 1 and self.low == self.high

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values. A difference that was not tested is neither significant nor not significant."""
        is_significant = None if math.isnan(self.p_corrected) else self.is_significant
        plain = {name: value for name, value in to_json(self).items() if name != "draws"}
        return {**plain, "is_significant": is_significant, "better": self.better}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> VariantDifference:
        """The difference that `to_dict` described; a number that is undefined is nan."""
        known = {name: value for name, value in plain.items() if name != "better"}
        if known.get("method") not in ESTIMATION_METHODS:
            raise ValueError(f"no method is called {known.get('method')!r}")
        return read_record(cls, {**known, "is_significant": known.get("is_significant") or False})


class Decision(NamedTuple):
    """How to decide: alpha, and for a sequential test the expected share of each variant."""

    alpha: float
    shares: Mapping[str, float] | None = None


class Sums(NamedTuple):
    """The two sums of a ratio for each user, and the share of the error that an earlier period explains."""

    top: Floats
    bottom: Floats
    adjustment: Floats | None = None
    """What is subtracted from the contribution of each user."""

    def ratio(self, rows: Any, *, adjusted: bool = True) -> Ratio:
        """The ratio of some users."""
        adjustment = None if self.adjustment is None or not adjusted else self.adjustment[rows]
        return Ratio.of(self.top[rows], self.bottom[rows], adjustment=adjustment)


def sums_of(metric: BoundMetric, users: VariantUsers) -> Sums | None:
    """The sums of the metric; None if the log does not have what it needs."""
    current = users.sums(metric)
    if current is None:
        return None
    if users.before is None or (earlier := users.sums(metric, before=True)) is None:
        return Sums(*current)
    return Sums(*current, users_adjustment(current, earlier, users.variant))


class _Measured(NamedTuple):
    """A difference with its interval and p, and what it is based on."""

    method: str
    values: tuple[float, float]
    estimate: Estimate
    unadjusted: float
    reduction: float = math.nan
    df: float = math.nan


def compare_users(
    metric: BoundMetric, sums: Sums | None, users: VariantUsers, places: tuple[int, int], how: Decision
) -> VariantDifference:
    """The decision about two variants on one metric."""
    measured = _Measured(DELTA, (math.nan, math.nan), Estimate.unknown(), math.nan)
    if sums is not None:
        measured = (_by_ratios if how.shares is None else _by_betting)(metric, sums, users, places, how)
    (value_a, value_b), estimate = measured.values, measured.estimate
    sign = 1.0 if metric.metric.higher_is_better else -1.0
    return VariantDifference(
        metric.name,
        users.variants[places[0]],
        users.variants[places[1]],
        n_a=int((users.variant == places[0]).sum()),
        n_b=int((users.variant == places[1]).sum()),
        value_a=value_a,
        value_b=value_b,
        difference=estimate.value,
        relative=estimate.value / value_a if value_a else math.nan,
        low=estimate.low,
        high=estimate.high,
        method=measured.method,
        p=estimate.p,
        improvement=sign * estimate.value,
        unadjusted=measured.unadjusted,
        variance_reduction=measured.reduction,
        df=measured.df,
    )


def _by_ratios(_metric: BoundMetric, sums: Sums, users: VariantUsers, places: tuple[int, int], how: Decision) -> _Measured:
    """The difference of the ratios, adjusted for an earlier period if there is one."""
    rows = [np.flatnonzero(users.variant == place) for place in places]
    first, second = (sums.ratio(row) for row in rows)
    estimate, df = ratio_difference(first, second, 1 - how.alpha), welch_freedom(first, second)
    if sums.adjustment is None:
        return _Measured(DELTA, (first.value, second.value), estimate, estimate.value, df=df)
    plain = [sums.ratio(row, adjusted=False) for row in rows]
    left = (first.variance + second.variance) / (plain[0].variance + plain[1].variance)
    return _Measured(CUPED, (first.value, second.value), estimate, plain[1].value - plain[0].value, 1 - left, df)


def _by_betting(metric: BoundMetric, sums: Sums, users: VariantUsers, places: tuple[int, int], how: Decision) -> _Measured:
    """The difference of the means of the users' own values, with a confidence sequence.

    Users without a value, because nothing was shown to them, do not count.
    """
    least, most = check_bounded(metric)
    width = most - least
    of_a, of_b = ((how.shares or {})[users.variants[place]] for place in places)
    inside = np.isin(users.variant, places) & (sums.bottom > 0)
    own = np.clip((sums.top[inside] / sums.bottom[inside] - least) / width, 0.0, 1.0)
    is_second = (users.variant[inside] == places[1]).astype(float)
    sequence = difference_sequence(own, is_second, of_b / (of_a + of_b), how.alpha)
    first, second = (float(own[is_second == side].mean()) if (is_second == side).any() else math.nan for side in (0, 1))
    estimate = Estimate(width * (second - first), width * sequence.low, width * sequence.high, sequence.p)
    return _Measured(BETTING, (least + width * first, least + width * second), estimate, estimate.value)


def check_bounded(metric: BoundMetric) -> tuple[float, float]:
    """The range of a metric; an error if it is not bounded, because then no confidence sequence of this kind exists."""
    least, most = metric.metric.range
    if not (math.isfinite(least) and math.isfinite(most)):
        raise UsageError(
            f"{metric.name} has no upper bound, so it has no confidence sequence. Use a metric from 0 to 1 such as ctr@10, "
            "abandonment or satisfied_click@10, or leave out --sequential and look at the experiment once, at its end"
        )
    return least, most
