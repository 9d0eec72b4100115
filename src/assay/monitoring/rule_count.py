"""count: how many queries failed, are missing or were scored, as in `failed = 0`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from assay.errors import BadParameter
from assay.monitoring.amount import NUMBER, Amount
from assay.monitoring.case import Case
from assay.monitoring.finding import FAILED, PASSED, Finding, Moved
from assay.monitoring.rule import Kind, Recorded, Rule
from assay.monitoring.rule_limit import HOLDS, SIGN, SIGNS, is_always, is_never
from assay.monitoring.terms import Terms

COUNTS = ("failed", "missing", "scored", "judged")
"""Queries the provider failed on; that the run does not have; that have scores; that have judgments."""
MOST = 5


@dataclass(frozen=True)
class CountRule(Rule):
    """A number of queries, or a share of all of them where the limit is in per cent."""

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
        found = {"failed": len(failed), "missing": len(missing), "scored": case.n_queries}
        value = found.get(self.count, case.now.counts.get("judged", case.n_queries))
        limit = self.limit.value(whole)
        holds = HOLDS[self.sign](value, limit)
        named = failed if self.count == "failed" else missing if self.count == "missing" else []
        moved = () if holds else tuple(self._named(case, query) for query in named[:MOST])
        return Finding(PASSED if holds else FAILED, value, limit=limit, n=whole, moved=moved)

    def _named(self, case: Case, query: str) -> Moved:
        asked = case.now.queries.get(query)
        why = case.now.failures.get(query, "not in the run")
        return Moved(query, self.count, float("nan"), float("nan"), asked.text if asked else "", why)


def parse_count(shape: re.Match[str], terms: Terms, _: Recorded = tuple) -> CountRule:
    """The counts there are have names of their own, so they are told from metrics."""
    count, sign, limit = shape["count"].lower(), SIGNS.get(shape["sign"], shape["sign"]), Amount.of(shape)
    highest = 100.0 if limit.is_percent else math.inf
    whose = "a share of all queries" if limit.is_percent else "a number of queries"
    if is_never(sign, limit.number, 0.0, highest):
        raise BadParameter(f"{count} is {whose}, so it is never {sign} {limit}")
    if is_always(sign, limit.number, 0.0, highest):
        raise BadParameter(f"{count} is {whose}, so it is always {sign} {limit}, and the rule never fails")
    return CountRule(count, sign, limit, terms=terms)


KIND = Kind(
    re.compile(rf"(?P<count>{'|'.join(COUNTS)})\s*{SIGN}\s*{NUMBER}", re.IGNORECASE),
    parse_count,
    "failed = 0",
)
