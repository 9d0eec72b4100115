"""change: how far a figure may move from the baseline's, as in `recall@10 drops <= 0.01` or `latency_p95 rises <= 20%`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.metrics import BoundMetric
from assay.monitoring.amount import NUMBER, Amount, exceeds, refuse_harmless
from assay.monitoring.case import Case
from assay.monitoring.finding import FAILED, PASSED, Finding
from assay.monitoring.rule import ComparedRule, Kind, Recorded, metric_of
from assay.monitoring.terms import Terms

LEVEL = 0.95


@dataclass(frozen=True)
class ChangeRule(ComparedRule):
    """The difference as it was seen decides; the interval beside it says how much of that is chance.

    Per cent are those of the baseline's figure; where that is 0, any change for the worse is too much.
    """

    limit: Amount

    @property
    def body(self) -> str:
        """`recall@10 drops <= 0.01`."""
        return f"{self.bound.name} {verb_of(self.bound)} <= {self.limit}"

    def compared(self, case: Case, before: float) -> Finding:
        """Passes or fails."""
        found, value = case.difference(self.bound, LEVEL), case.value(self.bound.name)
        sign = 1 if self.bound.metric.higher_is_better else -1
        limit = self.limit.value(before)
        is_too_much = exceeds(sign * (before - value), limit)
        return Finding(
            FAILED if is_too_much else PASSED,
            value,
            before,
            limit,
            value - before,
            found.low,
            found.high,
            LEVEL,
            found.n,
            moved=case.moved(self.bound) if is_too_much else (),
            reason=_share(value - before, before) if self.limit.is_percent else "",
        )


def _share(difference: float, before: float) -> str:
    if not before:
        return "the baseline's figure is 0, of which there are no per cent" if difference else ""
    share = 100 * difference / abs(before)
    return f"{share:+.1f} %".replace("-", "−") if math.isfinite(share) else ""


def verb_of(metric: BoundMetric) -> str:
    """What a metric does when it gets worse."""
    return "drops" if metric.metric.higher_is_better else "rises"


def parse_change(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> ChangeRule:
    """A limit to getting better is a slip: the metric's record says which way that is."""
    bound, verb = metric_of(shape["metric"], recorded), shape["verb"].lower()
    if verb not in ("worsens", verb_of(bound)):
        better = "higher" if bound.metric.higher_is_better else "lower"
        raise BadParameter(f"{bound.name} is better when {better}: write {bound.name} {verb_of(bound)} <= {shape['number']}")
    limit = Amount.of(shape)
    if limit.number < 0:
        raise BadParameter(f"how far {bound.name} {verb_of(bound)} is a number from 0 up, not {limit}")
    if shape["sign"] == "<":
        raise BadParameter(f"what {verb} by exactly the limit still holds: write {bound.name} {verb} <= {limit}")
    refuse_harmless(bound, limit, verb_of(bound)[:-1])
    return ChangeRule(bound, limit, terms=terms)


KIND = Kind(
    re.compile(
        rf"(?P<metric>.+?)\s+(?P<verb>drops|rises|worsens)(?:\s+(?:from|against|than)\s+(?:the\s+)?baseline)?(?:\s+by)?"
        rf"\s*(?P<sign><=|≤|<|at\s+most|no\s+more\s+than)\s*{NUMBER}(?:\s+(?:from|against|than)\s+(?:the\s+)?baseline)?",
        re.IGNORECASE,
    ),
    parse_change,
    "recall@10 drops <= 0.01",
)
