"""queries: single queries that must not be lost, as in `no query drops from hit to miss in tag=critical`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.errors import DataError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.monitoring.case import MOST_MOVED, Case, scores_of
from assay.monitoring.finding import FAILED, PASSED, Finding
from assay.monitoring.rule import Kind, Recorded, Rule, metric_of, without_baseline
from assay.monitoring.terms import Terms

FIRST = ("hit", "recall", "mrr", "ndcg")
"""What is looked at first, where the rule names no metric: above 0, each says that something relevant was found."""


@dataclass(frozen=True)
class QueryRule(Rule):
    """So many queries at most may score above 0 in the baseline and 0 now.

    Without a metric it looks at `hit@k` where that was scored, else at recall, mrr or ndcg, at the cutoff scored first.
    """

    needs_baseline: ClassVar[bool] = True
    most: int = 0
    bound: BoundMetric | None = None

    @property
    def metric(self) -> BoundMetric | None:
        """What it looks at, where it says so."""
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
        """Passes or fails; skipped without a baseline. A query without a score is no miss."""
        if case.before is None:
            return without_baseline()
        metric = self.bound or _metric(case.now, case.before)
        before = scores_of(case.before, metric.name)
        lost = np.flatnonzero((before > 0) & (case.scores(metric.name) == 0))
        order = sorted(lost.tolist(), key=lambda place: (-before[place], place))
        holds = len(lost) <= self.most
        moved = () if holds else tuple(case.at(place, metric.name, float(before[place])) for place in order[:MOST_MOVED])
        return Finding(
            PASSED if holds else FAILED,
            float(len(lost)),
            limit=float(self.most),
            n=case.n_queries,
            moved=moved,
            reason=f"by {metric.name}",
        )


def _metric(now: Result, before: Result) -> BoundMetric:
    """The metric that tells hits from misses, of those that both have."""
    shared = [metric for metric in now.metrics if metric.name in before.table.columns]
    for name in FIRST:
        for metric in shared:
            if metric.metric.name == name:
                return metric
    there = ", ".join(metric.name for metric in shared)
    raise DataError(f"no metric tells hits from misses; score hit@10, or name one: … by recall@10 (there are {there})")


def parse_queries(shape: re.Match[str], terms: Terms, recorded: Recorded = tuple) -> QueryRule:
    """`no query` is at most 0 of them."""
    most = 0 if shape["most"] is None else int(shape["most"])
    return QueryRule(most, metric_of(shape["metric"], recorded) if shape["metric"] else None, terms=terms)


KIND = Kind(
    re.compile(
        r"(?:no|at\s+most\s+(?P<most>\d{1,9}))\s+(?:query\s+drops|queries\s+drop)(?:\s+from\s+hit)?\s+to\s+miss"
        r"(?:\s+by\s+(?P<metric>.+))?",
        re.IGNORECASE,
    ),
    parse_queries,
    "no query drops from hit to miss in tag=critical",
)
