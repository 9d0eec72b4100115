"""Rules about values: single queries, values of metrics and counts, each with a limit.

no query drops from hit to miss in tag=critical          single queries
ndcg@10 >= 0.42                                          a limit for a value
failed = 0                                               a count of queries that failed, are missing or were scored
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.errors import BadParameter, DataError
from assay.evaluation import Result
from assay.grammar import show
from assay.metrics import BoundMetric
from assay.monitoring.case import MAX_MOVED, Case, scores_of
from assay.monitoring.finding import FAILED, PASSED, Finding, Moved
from assay.monitoring.rule import Kind, MetricRule, Recorded, Rule, metric_of, without_baseline, without_figure
from assay.monitoring.rule_scope import NUMBER, Amount, Terms, exceeds

# Single queries

PREFERRED_METRICS = ("hit", "recall", "mrr", "ndcg")
"""The metrics to use if the rule names none, in this order: above 0, each means that something relevant was found."""


@dataclass(frozen=True)
class QueryRule(Rule):
    """At most `most` queries may score above 0 in the baseline and 0 now.

    Without a metric, it uses `hit@k` if it was scored, else recall, mrr or ndcg, each at the first scored cutoff.
    """

    needs_baseline: ClassVar[bool] = True
    most: int = 0
    bound: BoundMetric | None = None

    @property
    def metric(self) -> BoundMetric | None:
        """The metric, if the rule names one."""
        return self.bound

    @property
    def body(self) -> str:
        """`no query drops from hit to miss`."""
        by = f" by {self.bound.name}" if self.bound else ""
        who = (
            "no query drops"
            if not self.most
            else f"at most {self.most} {'query drops' if self.most == 1 else 'queries drop'}"
        )
        return f"{who} from hit to miss{by}"

    def check(self, case: Case) -> Finding:
        """Passes or fails; skipped without a baseline. A query without a score is not a miss."""
        if case.before is None:
            return without_baseline()
        metric = self.bound or _metric(case.now, case.before)
        before = scores_of(case.before, metric.name)
        lost = np.flatnonzero((before > 0) & (case.scores(metric.name) == 0))
        order = sorted(lost.tolist(), key=lambda place: (-before[place], place))
        holds = len(lost) <= self.most
        moved = () if holds else tuple(case.at(place, metric.name, float(before[place])) for place in order[:MAX_MOVED])
        return Finding(
            PASSED if holds else FAILED,
            float(len(lost)),
            limit=float(self.most),
            n=case.n_queries,
            moved=moved,
            reason=f"by {metric.name}",
        )


def _metric(now: Result, before: Result) -> BoundMetric:
    """The metric that distinguishes hits from misses, of those that both results have."""
    shared = [metric for metric in now.metrics if metric.name in before.table.columns]
    for name in PREFERRED_METRICS:
        for metric in shared:
            if metric.metric.name == name:
                return metric
    there = ", ".join(metric.name for metric in shared)
    advice = f"Score hit@10, or name a metric in the rule: … by recall@10 (metrics of both results: {there})"
    raise DataError(f"no metric distinguishes hits from misses. {advice}")


def parse_queries(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> QueryRule:
    """Parse a rule about single queries; `no query` means at most 0."""
    most = 0 if shape["most"] is None else int(shape["most"])
    return QueryRule(most, metric_of(shape["metric"], recorded) if shape["metric"] else None, terms=terms)


QUERIES_KIND = Kind(
    re.compile(
        r"(?:no|at\s+most\s+(?P<most>\d{1,9}))\s+(?:query\s+drops|queries\s+drop)(?:\s+from\s+hit)?\s+to\s+miss"
        r"(?:\s+by\s+(?P<metric>.+))?",
        re.IGNORECASE,
    ),
    parse_queries,
    "no query drops from hit to miss in tag=critical",
)


# Limit

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
    """A limit for the value of a metric; the baseline does not matter. Values that differ only by rounding are equal."""

    sign: str
    limit: float

    @property
    def body(self) -> str:
        """`ndcg@10 >= 0.42`."""
        return f"{self.bound.name} {self.sign} {show(self.limit)}"

    def check(self, case: Case) -> Finding:
        """Passes or fails; undecided if there is no value."""
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
    """Parse a limit. Per cent are allowed for metrics between 0 and 1."""
    bound, amount = metric_of(shape["metric"], recorded), Amount.of(shape)
    if shape["unit"] in ("ms", "s") and bound.metric.view != "timing":
        raise BadParameter(f"{bound.name} is not a time, so its limit cannot be in {shape['unit']}")
    if amount.is_percent and bound.metric.range != (0.0, 1.0):
        raise BadParameter(f"{bound.name} is not a share between 0 and 1, so its limit must be a plain number, not {amount}")
    limit = amount.number / 100 if amount.is_percent else amount.number
    sign = SIGNS.get(shape["sign"], shape["sign"])
    low, high = bound.metric.range
    if is_never(sign, limit, low, high):
        raise BadParameter(f"{bound.name} is between {show(low)} and {show(high)}, so it is never {sign} {show(limit)}")
    if is_always(sign, limit, low, high):
        message = f"{bound.name} is between {show(low)} and {show(high)}, so it is always {sign} {show(limit)}"
        raise BadParameter(f"{message}, and the rule never fails")
    return LimitRule(bound, sign, limit, terms=terms)


def is_never(sign: str, limit: float, low: float, high: float) -> bool:
    """Whether no value of the metric can meet the limit: a limit of 42 for a metric up to 1 is a typo."""
    above = {">=": operator.gt, ">": operator.ge, "=": operator.gt}.get(sign)
    below = {"<=": operator.lt, "<": operator.le, "=": operator.lt}.get(sign)
    return bool((above and above(limit, high)) or (below and below(limit, low)))


def is_always(sign: str, limit: float, low: float, high: float) -> bool:
    """Whether every value of the metric meets the limit, so that the rule checks nothing."""
    lowest = {">=": operator.le, ">": operator.lt}.get(sign)
    highest = {"<=": operator.ge, "<": operator.gt}.get(sign)
    return bool((lowest and lowest(limit, low)) or (highest and highest(limit, high)))


LIMIT_KIND = Kind(re.compile(rf"(?P<metric>.+?)\s*{SIGN}\s*{NUMBER}"), parse_limit, "ndcg@10 >= 0.42")


# Count

COUNTS = ("failed", "missing", "scored", "judged")
"""Queries that failed, are missing from the run, have scores, have judgments."""
MAX_NAMED_QUERIES = 5


@dataclass(frozen=True)
class CountRule(Rule):
    """A limit for a number of queries, or for a share of all queries if it is in per cent."""

    count: str
    sign: str
    limit: Amount

    @property
    def body(self) -> str:
        """`failed <= 1%`."""
        return f"{self.count} {self.sign} {self.limit}"

    def check(self, case: Case) -> Finding:
        """Passes or fails; in a slice, only its queries count."""
        failed, missing = list(case.now.failures), list(case.now.missing)
        whole = max(case.n_queries, len(failed))
        counts = {"failed": len(failed), "missing": len(missing), "scored": case.n_queries}
        value = counts.get(self.count, case.now.counts.get("judged", case.n_queries))
        limit = self.limit.value(whole)
        holds = HOLDS[self.sign](value, limit)
        named = failed if self.count == "failed" else missing if self.count == "missing" else []
        moved = () if holds else tuple(self._named(case, query) for query in named[:MAX_NAMED_QUERIES])
        return Finding(PASSED if holds else FAILED, value, limit=limit, n=whole, moved=moved)

    def _named(self, case: Case, query: str) -> Moved:
        asked = case.now.queries.get(query)
        why = case.now.failures.get(query, "missing from the run")
        return Moved(query, self.count, float("nan"), float("nan"), asked.text if asked else "", why)


def parse_count(shape: re.Match[str], terms: Terms, _: Recorded = tuple) -> CountRule:
    """Parse a rule about a count. A limit that can never pass or never fail is an error."""
    count, sign, limit = shape["count"].lower(), SIGNS.get(shape["sign"], shape["sign"]), Amount.of(shape)
    highest = 100.0 if limit.is_percent else math.inf
    whose = "a share of all queries" if limit.is_percent else "a number of queries"
    if is_never(sign, limit.number, 0.0, highest):
        raise BadParameter(f"{count} is {whose}, so it is never {sign} {limit}")
    if is_always(sign, limit.number, 0.0, highest):
        raise BadParameter(f"{count} is {whose}, so it is always {sign} {limit}, and the rule never fails")
    return CountRule(count, sign, limit, terms=terms)


COUNT_KIND = Kind(
    re.compile(rf"(?P<count>{'|'.join(COUNTS)})\s*{SIGN}\s*{NUMBER}", re.IGNORECASE),
    parse_count,
    "failed = 0",
)
