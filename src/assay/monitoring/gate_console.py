"""gate_console: the report of a gate as people read it at the terminal."""

from __future__ import annotations

from assay.monitoring._gate import GateReport
from assay.monitoring.finding import FAILED, PASSED, SKIPPED, UNDECIDED, WARNED
from assay.monitoring.gate_words import conclusion, grouped, moved_head, moved_text, worst_moved
from assay.monitoring.verdict import Verdict
from assay.text import display_width, printable, wrapped

COLOURS = {FAILED: "\x1b[1;31m", PASSED: "\x1b[32m", WARNED: "\x1b[33m", UNDECIDED: "\x1b[33m", SKIPPED: "\x1b[2m"}
PLAIN = "\x1b[0m"
WIDEST_RULE = 60


def render_gate(report: GateReport, width: int | None = None, *, colour: bool = False) -> str:
    """A line for each rule, the queries that moved most, then how it came out; colour only repeats the words."""
    lines: list[str] = []
    for head, verdicts in grouped(report):
        if head:
            lines += [*([""] if lines else []), printable(head)]
        lines += _lines(verdicts, width, colour=colour)
        if moved := worst_moved(verdicts):
            lines.append(_fitted(f"{moved_head(moved)}: {', '.join(map(moved_text, moved))}", width))
    lines += [_fitted(f"note: {printable(note)}", width) for note in report.notes]
    if report.broken:
        lines += [printable(line) for line in report.broken.split("\n")]
    lines.append(f"{_fitted(conclusion(report), width)}   exit {report.exit_code}")
    return "\n".join(lines) + "\n"


def _lines(verdicts: list[Verdict], width: int | None, *, colour: bool) -> list[str]:
    names = [printable(verdict.rule.text) for verdict in verdicts]
    column = min(WIDEST_RULE, max(map(display_width, names), default=0))
    found = []
    for verdict, name in zip(verdicts, names, strict=True):
        mark = f"{COLOURS[verdict.status]}{verdict.mark}{PLAIN}" if colour else verdict.mark
        said = printable(verdict.summary)
        room = 8 + max(column, display_width(name)) + display_width(said)
        if width and room > width:
            found += [f"{mark}  {name}", *(f"      {line}" for line in wrapped(said, max(20, width - 6)).split("\n"))]
        else:
            padding = " " * (column - display_width(name))
            found.append(f"{mark}  {name}{padding}  {said}")
    return found


def _fitted(text: str, width: int | None) -> str:
    return wrapped(text, width) if width else text
