"""gate_markdown: the report of a gate for a pull-request comment."""

from __future__ import annotations

from assay.monitoring.finding import FAILED, PASSED, SKIPPED, UNDECIDED, WARNED
from assay.monitoring.gating import GateReport
from assay.monitoring.wording import conclusion, grouped, worst_moved
from assay.text import printable

SIGNS = {PASSED: "✅ pass", FAILED: "❌ fail", WARNED: "⚠️ warn", UNDECIDED: "❔ undecided", SKIPPED: "➖ skipped"}
MARKS = set("\\`*_[]<>|#~")


def render_gate_markdown(report: GateReport) -> str:
    """A table of rules for each result, the queries behind what is wrong, and the conclusion first."""
    sign = "🛑" if report.broken else "✅" if report.is_passed else "❌"
    parts = [f"### {sign} Retrieval gate", _escaped(conclusion(report))]
    if report.broken:
        parts.append("\n".join(f"> {_escaped(line)}" for line in report.broken.split("\n")))
    for head, verdicts in grouped(report):
        if head:
            parts.append(f"**{_escaped(head)}**")
        rows = [f"| {SIGNS[one.status]} | {_escaped(one.rule.text)} | {_escaped(one.summary)} |" for one in verdicts]
        parts.append("\n".join(["| | rule | found |", "|---|---|---|", *rows]))
        if moved := worst_moved(verdicts):
            named = [
                f"| {_escaped(one.query)} | {_escaped(one.text)} | {_escaped(one.metric)} | {_escaped(one.change)} |"
                for one in moved
            ]
            parts.append("\n".join(["| query | text | by | changed |", "|---|---|---|---|", *named]))
    if report.notes:
        parts.append("\n".join(f"- {_escaped(note)}" for note in report.notes))
    return "\n\n".join(parts) + "\n"


def _escaped(text: str) -> str:
    plain = printable(text).replace("&", "&amp;")
    return "".join(f"\\{letter}" if letter in MARKS else letter for letter in plain)
