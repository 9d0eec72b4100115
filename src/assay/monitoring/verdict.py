"""Verdict: a rule, a result, and whether the one holds for the other."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from assay.monitoring.figures import figure_shape, signed, unit_of
from assay.monitoring.finding import FAILED, PASSED, SKIPPED, UNDECIDED, WARNED, Finding, digits_for, plain
from assay.monitoring.rule import Rule
from assay.monitoring.terms import FAIL, WARN
from assay.text import counted

MARKS = {PASSED: "PASS", FAILED: "FAIL", WARNED: "WARN", UNDECIDED: "????", SKIPPED: "skip"}


@dataclass(frozen=True)
class Verdict:
    """`status` is pass, fail, warn (a rule that only warns), undecided or skipped."""

    rule: Rule
    benchmark: str
    provider: str
    finding: Finding
    against: str = ""
    """The baseline's provider."""

    @property
    def status(self) -> str:
        """What was found, as severe as the rule says."""
        found = self.finding.status
        if found == UNDECIDED and self.rule.terms.undecided == FAIL:
            found = FAILED
        return WARNED if found == FAILED and self.rule.terms.severity == WARN else found

    @property
    def mark(self) -> str:
        """Four letters: `FAIL`, `PASS`, `WARN`, `????`, `skip`."""
        return MARKS[self.status]

    @property
    def summary(self) -> str:
        """The figures in a line: `0.900 → 0.862  (−0.038 [−0.066, −0.012], 40 queries)`."""
        finding = self.finding
        if math.isnan(finding.value):
            return finding.reason
        metric = self.rule.metric
        if metric is None:
            return self._counted()
        shape = figure_shape(metric.metric.range[1], [finding.value, finding.before, finding.limit])
        unit = unit_of(metric)
        if not math.isnan(finding.difference):
            return self._compared(shape, unit)
        interval = _interval(finding, shape, signed=False)
        said = f", {finding.reason}" if finding.reason else ""
        return f"{finding.value:{shape}}{interval}{unit}, {counted(finding.n, 'query')}{said}"

    def _counted(self) -> str:
        finding = self.finding
        said = f" {finding.reason}" if finding.reason else ""
        return f"{finding.value:,.0f} of {counted(finding.n, 'query')}{said}"

    def _compared(self, shape: str, unit: str) -> str:
        finding = self.finding
        close = digits_for([abs(finding.difference), abs(finding.limit)], int(shape[2]))
        difference = f"{signed(finding.difference, f',.{close}f')}{_interval(finding, shape, signed=True)}{unit}"
        if finding.status == UNDECIDED:
            return f"{difference}, {counted(finding.n, 'query')}: {finding.reason}"
        said = f", {finding.reason}" if finding.reason else ""
        figures = f"{finding.before:{shape}} → {finding.value:{shape}}{unit}"
        return f"{figures}  ({difference}{said}, {counted(finding.n, 'query')})"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        found = {name: plain(value) for name, value in asdict(self.finding).items() if name not in ("status", "moved")}
        return {
            "rule": self.rule.text,
            "place": self.rule.terms.place or None,
            "status": self.status,
            "benchmark": self.benchmark,
            "provider": self.provider,
            "baseline": self.against or None,
            "slice": self.rule.terms.slice or None,
            **found,
            "moved": [one.to_dict() for one in self.finding.moved],
        }


def _interval(finding: Finding, shape: str, *, signed: bool) -> str:
    if not (math.isfinite(finding.low) and math.isfinite(finding.high)):
        return ""
    form = f"+{shape}" if signed else shape
    return f" [{finding.low:{form}}, {finding.high:{form}}]".replace("-", "−")
