"""Verdict: a rule, a result, and whether the result meets the rule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from assay.monitoring.finding import (
    FAILED,
    PASSED,
    SAME,
    SKIPPED,
    UNDECIDED,
    WARNED,
    Finding,
    digits_for,
    figure_shape,
    signed,
    unit_of,
)
from assay.monitoring.rule import Rule
from assay.monitoring.rule_scope import FAIL, WARN
from assay.serialize import to_json
from assay.text import counted

MARKS = {PASSED: "PASS", SAME: "SAME", FAILED: "FAIL", WARNED: "WARN", UNDECIDED: "????", SKIPPED: "skip"}


@dataclass(frozen=True)
class Verdict:
    """The outcome of a rule for a result: pass, same, fail, warn (a rule that only warns), undecided or skipped."""

    rule: Rule
    benchmark: str
    provider: str
    finding: Finding
    against: str = ""
    """The provider of the baseline."""

    @property
    def status(self) -> str:
        """The status of the finding, with the severity of the rule applied."""
        status = self.finding.status
        if status == UNDECIDED and self.rule.terms.undecided == FAIL:
            status = FAILED
        return WARNED if status == FAILED and self.rule.terms.severity == WARN else status

    @property
    def mark(self) -> str:
        """Four characters: `FAIL`, `PASS`, `SAME`, `WARN`, `????`, `skip`."""
        return MARKS[self.status]

    @property
    def summary(self) -> str:
        """The numbers in one line: `0.900 → 0.862  (−0.038 [−0.066, −0.012], 40 queries)`."""
        finding = self.finding
        if (math.isnan(finding.value) and math.isnan(finding.difference)) or finding.status == SAME:
            return finding.reason
        metric = self.rule.metric
        if metric is None:
            return self._counted()
        figures = [figure for figure in (finding.value, finding.before, finding.limit) if not math.isnan(figure)]
        shape = figure_shape(metric.metric.range[1], figures)
        unit = unit_of(metric)
        if not math.isnan(finding.difference):
            return self._compared(shape, unit)
        interval = _interval(finding, shape, signed=False)
        reason = f", {finding.reason}" if finding.reason else ""
        return f"{finding.value:{shape}}{interval}{unit}, {counted(finding.n, finding.unit)}{reason}"

    def _counted(self) -> str:
        finding = self.finding
        reason = f" {finding.reason}" if finding.reason else ""
        return f"{finding.value:,.0f} of {counted(finding.n, finding.unit)}{reason}"

    def _compared(self, shape: str, unit: str) -> str:
        finding = self.finding
        close = digits_for([abs(finding.difference), abs(finding.limit)], int(shape[2]))
        difference = f"{signed(finding.difference, f',.{close}f')}{_interval(finding, shape, signed=True)}{unit}"
        if finding.status == UNDECIDED:
            return f"{difference}, {counted(finding.n, finding.unit)}: {finding.reason}"
        reason = f", {finding.reason}" if finding.reason else ""
        if math.isnan(finding.value):  # only the difference is known
            return f"{difference}{reason}, {counted(finding.n, finding.unit)}"
        figures = f"{finding.before:{shape}} → {finding.value:{shape}}{unit}"
        return f"{figures}  ({difference}{reason}, {counted(finding.n, finding.unit)})"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        fields = {name: value for name, value in to_json(self.finding).items() if name not in ("status", "moved")}
        return {
            "rule": self.rule.text,
            "place": self.rule.terms.place or None,
            "status": self.status,
            "benchmark": self.benchmark,
            "provider": self.provider,
            "baseline": self.against or None,
            "slice": self.rule.terms.slice or None,
            **fields,
            "moved": [query.to_dict() for query in self.finding.moved],
        }


def _interval(finding: Finding, shape: str, *, signed: bool) -> str:
    if not (math.isfinite(finding.low) and math.isfinite(finding.high)):
        return ""
    form = f"+{shape}" if signed else shape
    return f" [{finding.low:{form}}, {finding.high:{form}}]".replace("-", "−")
