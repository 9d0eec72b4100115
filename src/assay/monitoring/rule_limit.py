"""limit: a figure held against a number, as in `ndcg@10 >= 0.42`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.grammar import show
from assay.monitoring.amount import NUMBER, Amount, exceeds
from assay.monitoring.case import Case
from assay.monitoring.finding import FAILED, PASSED, Finding
from assay.monitoring.rule import Kind, MetricRule, Recorded, metric_of, without_figure
from assay.monitoring.terms import Terms

SIGNS = {"≥": ">=", "≤": "<=", "==": "="}
HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda value, limit: not exceeds(limit, value),
    "<=": lambda value, limit: not exceeds(value, limit),
    ">": exceeds,
    "<": lambda value, limit: exceeds(limit, value),
    "=": lambda value, limit: not exceeds(value, limit) and not exceeds(limit, value),
}
SIGN = r"(?P<sign>>=|<=|==|=|>|<|≥|≤)"


@dataclass(frozen=True)
class LimitRule(MetricRule):
    """A metric's figure, whatever the baseline had. Figures that differ by rounding only are equal."""

    sign: str
    limit: float

    @property
    def body(self) -> str:
        """`ndcg@10 >= 0.42`."""
        return f"{self.bound.name} {self.sign} {show(self.limit)}"

    def check(self, case: Case) -> Finding:
        """Passes or fails; undecided where there is no figure."""
        if lacking := without_figure(case, self.bound):
            return lacking
        value = case.value(self.bound.name)
        holds = HOLDS[self.sign](value, self.limit)
        low, high, level = case.interval(self.bound.name)
        return Finding(
            PASSED if holds else FAILED,
            value,
            case.value_before(self.bound.name),
            self.limit,
            low=low,
            high=high,
            level=level,
            n=case.n_defined(self.bound.name),
            moved=() if holds else case.moved(self.bound),
        )


def parse_limit(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> LimitRule:
    """Per cent are hundredths, for metrics that lie between 0 and 1."""
    bound, amount = metric_of(shape["metric"], recorded), Amount.of(shape)
    if shape["unit"] in ("ms", "s") and bound.metric.view != "timing":
        raise BadParameter(f"{bound.name} is no time, so its limit has no {shape['unit']}")
    if amount.is_percent and bound.metric.range != (0.0, 1.0):
        raise BadParameter(f"{bound.name} does not lie between 0 and 1, so its limit is a plain number, not {amount}")
    limit = amount.number / 100 if amount.is_percent else amount.number
    sign = SIGNS.get(shape["sign"], shape["sign"])
    low, high = bound.metric.range
    if is_never(sign, limit, low, high):
        raise BadParameter(f"{bound.name} lies between {show(low)} and {show(high)}, so it is never {sign} {show(limit)}")
    if is_always(sign, limit, low, high):
        said = f"{bound.name} lies between {show(low)} and {show(high)}, so it is always {sign} {show(limit)}"
        raise BadParameter(f"{said}, and the rule never fails")
    return LimitRule(bound, sign, limit, terms=terms)


def is_never(sign: str, limit: float, low: float, high: float) -> bool:
    """Whether no figure of the metric could hold: a limit of 42 for what goes up to 1 is a slip."""
    above = {">=": operator.gt, ">": operator.ge, "=": operator.gt}.get(sign)
    below = {"<=": operator.lt, "<": operator.le, "=": operator.lt}.get(sign)
    return bool((above and above(limit, high)) or (below and below(limit, low)))


def is_always(sign: str, limit: float, low: float, high: float) -> bool:
    """Whether every figure of the metric holds, so that the rule looks like a check and is none."""
    lowest = {">=": operator.le, ">": operator.lt}.get(sign)
    highest = {"<=": operator.ge, "<": operator.gt}.get(sign)
    return bool((lowest and lowest(limit, low)) or (highest and highest(limit, high)))


KIND = Kind(re.compile(rf"(?P<metric>.+?)\s*{SIGN}\s*{NUMBER}"), parse_limit, "ndcg@10 >= 0.42")
