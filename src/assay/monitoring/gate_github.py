"""gate_github: the verdicts of a gate as GitHub shows them beside a change."""

from __future__ import annotations

from assay.monitoring.finding import FAILED, UNDECIDED, WARNED
from assay.monitoring.gating import GateReport, Verdict
from assay.monitoring.wording import moved_text

LEVELS = {FAILED: "error", WARNED: "warning", UNDECIDED: "warning"}


def render_annotations(report: GateReport) -> str:
    """A line for each rule that is not fine, at the place where it is written; errors stop, warnings do not."""
    lines = [_line(verdict) for verdict in report.verdicts if verdict.status in LEVELS]
    if report.broken:
        lines.append(f"::error title=assay gate is broken::{_escaped(report.broken)}")
    return "".join(f"{line}\n" for line in lines)


def _line(verdict: Verdict) -> str:
    file, _, line = verdict.rule.terms.place.rpartition(":")
    where = f"file={_property(file)},line={line}," if file and line.isdecimal() else ""
    moved = "".join(f"\n{moved_text(one)}" for one in verdict.finding.moved)
    said = _escaped(f"{verdict.rule.text}: {verdict.summary}{moved}")
    return f"::{LEVELS[verdict.status]} {where}title={_property(f'assay gate: {verdict.rule.text}')}::{said}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
