"""Rules about change: a value compared with the baseline, or with the best value so far.

mrr not worse than baseline by 0.02 (95%)                a margin: not worse by more than that, by tests
recall@10 drops <= 0.01    latency_p95 rises <= 20%      a change: how much a value may change
ndcg@10 ratchet within 0.005                             a ratchet: never worse than the best so far
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

import numpy as np

from assay.comparison import MarginDecision, decide_margin, gains_of
from assay.errors import BadParameter
from assay.grammar import show
from assay.metrics import BoundMetric
from assay.model import MEAN
from assay.monitoring.case import LEVEL, Case
from assay.monitoring.finding import FAILED, PASSED, SAME, UNDECIDED, Finding, figure_shape, unit_of
from assay.monitoring.rule import ComparedRule, Kind, MetricRule, Recorded, metric_of, without_baseline, without_figure
from assay.monitoring.rule_scope import NUMBER, Amount, Terms, check_can_fail, exceeds
from assay.monitoring.sensitivity import (
    chance_of_false_failure,
    chance_to_notice,
    false_failure_text,
    notice_text,
    rounded_up,
    spread_of,
    unseen_share,
)
from assay.text import counted, plural

USER = "user"
"""What varies in a search log."""


# Margin


@dataclass(frozen=True)
class MarginRule(ComparedRule):
    """Passes if a drop as large as the margin is rejected, fails if the result is shown to be worse and the drop is larger.

    Both are decided by `decide_margin`. If no query has another score, the status is `same`. Otherwise the rule is undecided
    and says how many queries would decide if the difference stays.
    """

    margin: Amount
    level: float = LEVEL

    @property
    def body(self) -> str:
        """`mrr not worse by 0.02`, with the level if it is not 95 %."""
        level = "" if self.level == LEVEL else f" ({show(round(100 * self.level, 9))}%)"
        return f"{self.bound.name} not worse by {self.margin}{level}"

    @property
    def needs_values(self) -> bool:
        """Whether the margin is in per cent of the baseline."""
        return self.margin.is_percent

    def compared(self, case: Case, before: float) -> Finding:
        """Passes, fails, is undecided, or nothing changed."""
        margin = self.margin.value(before)
        columns = case.columns(self.bound.name)
        decision = decide_margin(
            self.bound,
            *columns,
            margin,
            self.level,
            alpha_worse=self.terms.alpha,
            can_fail=not self.terms.by_evidence,
            clusters=case.clusters,
            known=case.decided(self.bound, self.level),
        )
        if decision.unit == USER:
            decision = replace(decision, unit=case.compared_unit(self.bound))
        needed = decision.needed() if decision.status == UNDECIDED else None
        n_needed = None if needed is None else math.ceil(needed * decision.pair.n / max(1, decision.n))
        return Finding(
            decision.status,
            case.compared_values(self.bound)[1],
            before,
            margin,
            decision.pair.difference,
            decision.low,
            decision.high,
            self.level,
            decision.pair.n,
            n_needed,
            () if decision.status in (PASSED, SAME) else case.moved(self.bound),
            _reason(decision, needed, case),
            decision.p_worse,
            decision.p_not_worse,
            self._sees(decision, case),
        )

    @property
    def is_about_mean(self) -> bool:
        """Whether tests decide; otherwise the value is not a mean, and a bootstrap interval decides."""
        return self.bound.metric.aggregation == MEAN

    def _sees(self, decision: MarginDecision, case: Case) -> str:
        """How often a drop of twice the margin would fail."""
        if not decision.has_test or not 0 < 2 * decision.margin < decision.width or self.terms.by_evidence:
            return ""
        scores = case.columns(self.bound.name)[0].score
        is_binary = decision.unit == "query" and bool(np.isin(scores, (0.0, 1.0)).all())
        spread = spread_of(decision.gains, decision.width, is_binary=is_binary)
        if spread.sd == 0 and not math.isfinite(decision.width):
            return ""
        chance = chance_to_notice(2 * decision.margin, decision.margin, decision.n, spread, decision.alpha_worse)
        units = counted(decision.n, decision.unit)
        return notice_text(decision.margin, chance, units, verb_of(self.bound)[:-1], unit_of(self.bound))


def _reason(decision: MarginDecision, needed: int | None, case: Case) -> str:
    """What the numbers do not show: why the rule is undecided, what did not change, and an unusual method."""
    if decision.status == SAME:
        is_known = case.has_same_rankings
        what = "no ranking changed" if is_known else "no score changed"
        change = "a change that touches" if is_known else "a change in the scores of"
        share = f"{100 * unseen_share(decision.n, (1 - decision.level) / 2):.2g} %"
        units = f"{change} up to {share} of {plural(decision.unit)} could go unseen"
        return f"{what}; with {counted(decision.n, decision.unit)} {units}"
    by = "" if decision.has_range else "by Student's t, because the metric has no largest value"
    if decision.status != UNDECIDED:
        return by
    return "; ".join(filter(None, (_why_undecided(decision, needed), by)))


def _why_undecided(decision: MarginDecision, needed: int | None) -> str:
    if not decision.has_enough_queries:
        return f"undecided, too few {plural(decision.unit)}"
    alpha, pair = (1 - decision.level) / 2, decision.pair
    if pair.improvement < -decision.margin and pair.p <= 2 * alpha < pair.p_corrected:
        p, corrected = (show(float(f"{value:.2g}")) for value in (pair.p, pair.p_corrected))
        return (
            f"undecided: worse with p = {p}, but p = {corrected} after the correction for all comparisons of the experiment"
        )
    if pair.improvement < -decision.margin and decision.alpha_worse < decision.p_worse <= alpha:
        p, limit = (show(float(f"{value:.2g}")) for value in (decision.p_worse, decision.alpha_worse))
        return f"undecided: worse with p = {p}, but the guard fails it only from p = {limit}"
    if needed is None:
        more = f"more {plural(decision.unit)} would hardly help"
        return f"undecided, and {more} because the difference is close to the margin"
    return f"undecided, about {counted(rounded_up(needed), decision.unit)} would decide it"


def parse_margin(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> MarginRule:
    """The margin must be at least 0; the level is 95 % by default."""
    bound, margin = metric_of(shape["metric"], recorded), Amount.of(shape)
    if margin.number < 0:
        raise BadParameter(f"a margin must be a number of at least 0, not {margin}")
    check_can_fail(bound, margin, "get worse")
    level = float(shape["level"]) / 100 if shape["level"] else LEVEL
    if not 0.5 <= level < 1:
        raise BadParameter(f"a level must be between 50% and 100%, such as (95%), not ({shape['level']}%)")
    return MarginRule(bound, margin, round(level, 9), terms=terms)


MARGIN_KIND = Kind(
    re.compile(
        rf"(?P<metric>.+?)\s+(?:is\s+)?(?:not|no)\s+worse(?:\s+than\s+(?:the\s+)?baseline)?(?:\s+by(?:\s+more\s+than)?)\s+{NUMBER}"
        r"(?:\s+than\s+(?:the\s+)?baseline)?(?:\s*\(\s*(?P<level>\d+(?:\.\d+)?)\s*%\s*\))?",
        re.IGNORECASE,
    ),
    parse_margin,
    "mrr not worse than baseline by 0.02 (95%)",
)


# Change


@dataclass(frozen=True)
class ChangeRule(ComparedRule):
    """The observed difference decides; the interval only shows how much of it may be chance.

    Per cent refer to the value of the baseline; if that is 0, any change to a worse value fails.
    """

    limit: Amount

    @property
    def body(self) -> str:
        """`recall@10 drops <= 0.01`."""
        return f"{self.bound.name} {verb_of(self.bound)} <= {self.limit}"

    @property
    def needs_values(self) -> bool:
        """Whether the limit is in per cent of the baseline."""
        return self.limit.is_percent

    def compared(self, case: Case, before: float) -> Finding:
        """Passes or fails."""
        difference, (_, value) = case.difference(self.bound), case.compared_values(self.bound)
        sign = 1 if self.bound.metric.higher_is_better else -1
        limit = self.limit.value(before)
        change = difference.difference if case.has_difference_alone(self.bound) else value - before
        is_too_much = exceeds(-sign * change, limit)
        return Finding(
            FAILED if is_too_much else PASSED,
            value,
            before,
            limit,
            change,
            difference.low,
            difference.high,
            case.compared_level(self.bound),
            difference.n,
            moved=case.moved(self.bound) if is_too_much else (),
            reason=_percent_change(change, before) if self.limit.is_percent else "",
            sees=self._sees(case, limit),
        )

    def _sees(self, case: Case, limit: float) -> str:
        """How often equal systems would fail, because only the observed difference decides."""
        if self.bound.metric.aggregation != MEAN:
            return ""
        gains = gains_of(self.bound, *case.columns(self.bound.name), case.clusters)
        units = counted(len(gains), case.compared_unit(self.bound) if case.clusters is None else "cluster")
        return false_failure_text(chance_of_false_failure(limit, len(gains), spread_of(gains, math.inf)), units)


def _percent_change(difference: float, before: float) -> str:
    if not before:
        return "the baseline value is 0, so a change in per cent is undefined" if difference else ""
    share = 100 * difference / abs(before)
    return f"{share:+.1f} %".replace("-", "−") if math.isfinite(share) else ""


def verb_of(metric: BoundMetric) -> str:
    """The verb for a metric that gets worse."""
    return "drops" if metric.metric.higher_is_better else "rises"


def parse_change(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> ChangeRule:
    """Parse a rule about change. A limit on improvement is an error, because it is a typo."""
    bound, verb = metric_of(shape["metric"], recorded), shape["verb"].lower()
    if verb not in ("worsens", verb_of(bound)):
        better = "higher" if bound.metric.higher_is_better else "lower"
        raise BadParameter(f"{bound.name} is better when {better}: write {bound.name} {verb_of(bound)} <= {shape['number']}")
    limit = Amount.of(shape)
    if limit.number < 0:
        raise BadParameter(f"{bound.name} {verb_of(bound)}: the limit must be a number of at least 0, not {limit}")
    if shape["sign"] == "<":
        raise BadParameter(f"a change of exactly the limit passes, so write {bound.name} {verb} <= {limit}")
    check_can_fail(bound, limit, verb_of(bound)[:-1])
    return ChangeRule(bound, limit, terms=terms)


CHANGE_KIND = Kind(
    re.compile(
        rf"(?P<metric>.+?)\s+(?P<verb>drops|rises|worsens)(?:\s+(?:from|against|than)\s+(?:the\s+)?baseline)?(?:\s+by)?"
        rf"\s*(?P<sign><=|≤|<|at\s+most|no\s+more\s+than)\s*{NUMBER}(?:\s+(?:from|against|than)\s+(?:the\s+)?baseline)?",
        re.IGNORECASE,
    ),
    parse_change,
    "recall@10 drops <= 0.01",
)


# Ratchet

NO_SLACK = Amount(0.0)


@dataclass(frozen=True)
class RatchetRule(MetricRule):
    """The limit is the best value so far, from earlier stored results of the same benchmark, provider, metric and data.

    Only results that were a baseline at some time count, so that a rejected change does not raise the limit; if none ever
    was, all results count. The value of the baseline counts too. Without a store only the baseline counts; without either,
    the rule is skipped. `within` is how far below the best value is still accepted; per cent refer to the best value.
    """

    slack: Amount = NO_SLACK

    @property
    def body(self) -> str:
        """`ndcg@10 ratchet within 0.005`."""
        return f"{self.bound.name} ratchet{f' within {self.slack}' if self.slack.number else ''}"

    def check(self, case: Case) -> Finding:
        """Passes or fails; undecided without a value."""
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
        origin = "best so far" if name in case.best else "in the baseline"
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
            reason=f"{best:{figure_shape(self.bound.metric.range[1], [value, best, limit])}}{unit_of(self.bound)} {origin}",
        )


def parse_ratchet(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> RatchetRule:
    """Parse a ratchet. It cannot be about a slice, because the history has only values over all queries."""
    bound = metric_of(shape["metric"], recorded)
    if terms.where:
        advice = f"Remove where and its tags, or write {bound.name} >= and a number"
        raise BadParameter(f"a ratchet applies to all queries and cannot be limited by where. {advice}")
    slack = Amount.of(shape) if shape["number"] else NO_SLACK
    if slack.number < 0:
        raise BadParameter(f"within must be a number of at least 0, not {slack}")
    check_can_fail(bound, slack, "fall")
    return RatchetRule(bound, slack, terms=terms)


RATCHET_KIND = Kind(
    re.compile(rf"(?P<metric>.+?)\s+ratchet(?:s|ed)?(?:\s+within\s+{NUMBER})?", re.IGNORECASE),
    parse_ratchet,
    "ndcg@10 ratchet",
)
