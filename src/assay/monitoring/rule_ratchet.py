"""ratchet: never worse than the best so far, as in `ndcg@10 ratchet` or `ndcg@10 ratchet within 0.005`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.monitoring.amount import NUMBER, Amount, exceeds, refuse_harmless
from assay.monitoring.case import Case
from assay.monitoring.figures import figure_shape, unit_of
from assay.monitoring.finding import FAILED, PASSED, Finding
from assay.monitoring.rule import Kind, MetricRule, Recorded, metric_of, without_baseline, without_figure
from assay.monitoring.terms import Terms

NO_SLACK = Amount(0.0)


@dataclass(frozen=True)
class RatchetRule(MetricRule):
    """The limit is the best figure so far, of earlier stored results of the same benchmark, provider, metric and data.

    Of those only results count that were a baseline at some time, or all where none ever was: a change that was turned down
    raises no bar. The baseline's figure counts among them. Without a store the baseline's alone is the limit; without
    either the rule is skipped. `within` is how far below the best is still good; per cent are those of the best.
    """

    slack: Amount = NO_SLACK

    @property
    def body(self) -> str:
        """`ndcg@10 ratchet within 0.005`."""
        return f"{self.bound.name} ratchet{f' within {self.slack}' if self.slack.number else ''}"

    def check(self, case: Case) -> Finding:
        """Passes or fails; undecided without a figure."""
        if lacking := without_figure(case, self.bound):
            return lacking
        name, sign = self.bound.name, 1 if self.bound.metric.higher_is_better else -1
        known = [figure for figure in (case.best.get(name, math.nan), case.value_before(name)) if not math.isnan(figure)]
        if not known:
            return without_baseline()
        best = max(known) if sign > 0 else min(known)
        limit = best - sign * self.slack.value(best)
        value = case.value(name)
        is_worse = exceeds(sign * limit, sign * value)
        low, high, level = case.interval(name)
        said = "best so far" if name in case.best else "of the baseline"
        return Finding(
            FAILED if is_worse else PASSED,
            value,
            best,
            limit,
            low=low,
            high=high,
            level=level,
            n=case.n_defined(name),
            moved=case.moved(self.bound) if is_worse else (),
            reason=f"{best:{figure_shape(self.bound.metric.range[1], [value, best, limit])}}{unit_of(self.bound)} {said}",
        )


def parse_ratchet(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> RatchetRule:
    """Only figures of all queries are kept in the history, so there is no ratchet for a slice."""
    bound = metric_of(shape["metric"], recorded)
    if terms.where:
        raise BadParameter(f"a ratchet is about all queries, so it has no where; drop it, or write {bound.name} >= a number")
    slack = Amount.of(shape) if shape["number"] else NO_SLACK
    if slack.number < 0:
        raise BadParameter(f"within is a number from 0 up, not {slack}")
    refuse_harmless(bound, slack, "fall")
    return RatchetRule(bound, slack, terms=terms)


KIND = Kind(
    re.compile(rf"(?P<metric>.+?)\s+ratchet(?:s|ed)?(?:\s+within\s+{NUMBER})?", re.IGNORECASE),
    parse_ratchet,
    "ndcg@10 ratchet",
)
