"""Wording: the report of a gate as text, for the terminal and other formats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from assay.monitoring.finding import FAILED, PASSED, SAME, SKIPPED, UNDECIDED, WARNED, Moved
from assay.monitoring.gating import GateReport
from assay.monitoring.verdict import Verdict
from assay.text import counted, display_width, printable, wrapped

LONGEST_TEXT = 60
MAX_NAMED = 5


def grouped(report: GateReport) -> list[tuple[str, list[Verdict]]]:
    """The verdicts of each result with its name; without a name if there is only one result."""
    groups = [(key, list(some)) for key, some in groupby(report.verdicts, key=_about)]
    return [("", some) for _, some in groups] if len(groups) == 1 else [(key, some) for key, some in groups]


def _about(verdict: Verdict) -> str:
    who = " · ".join(filter(None, (verdict.benchmark, verdict.provider)))
    return f"{who} against {verdict.against}" if verdict.against not in ("", verdict.provider) else who


STATUS_WORDS = (
    (FAILED, "failed"),
    (WARNED, "warned"),
    (PASSED, "passed"),
    (SAME, "without a change"),
    (UNDECIDED, "undecided"),
    (SKIPPED, "skipped"),
)


def conclusion(report: GateReport) -> str:
    """How many rules have each status, and the baseline; it counts verdicts if rules are about several results."""
    if report.broken:
        return "The gate is broken: no verdict."
    n, n_rules = len(report.verdicts), len({verdict.rule.text for verdict in report.verdicts})
    noun = "rule" if n_rules == n else "verdict"
    counts = [(report.count(status), word) for status, word in STATUS_WORDS]
    known = [(count, word) for count, word in counts if count]
    if len(known) == 1 and n > 1 and report.count(PASSED):
        return f"All {counted(n, noun)} passed.{_baseline_text(report)}"
    if len(known) == 1 and report.count(SAME):
        return f"No score changed: {counted(n, noun)}.{_baseline_text(report)}"
    parts = [
        f"{counted(count, noun)} {word}" if not place else f"{count} {word}" for place, (count, word) in enumerate(known)
    ]
    return f"{', '.join(parts)}.{_baseline_text(report)}"


def _baseline_text(report: GateReport) -> str:
    return f" Baseline: {report.baseline}." if report.baseline else " No baseline."


def worst_moved(verdicts: Sequence[Verdict], most: int = MAX_NAMED) -> list[Moved]:
    """The queries of failed rules, each once; if none failed, those of rules that warned or are undecided."""
    for status in (FAILED, WARNED, UNDECIDED):
        by_query: dict[str, Moved] = {}
        for verdict in verdicts:
            for moved in verdict.finding.moved if verdict.status == status else ():
                by_query.setdefault(moved.query, moved)
        if by_query:
            return list(by_query.values())[:most]
    return []


def moved_text(moved: Moved) -> str:
    """`q17 hit → miss ("how long do cats sleep")`."""
    text = printable(moved.text)
    short = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
    return f"{printable(moved.query)} {printable(moved.change)}" + (f' ("{short}")' if short else "")


def moved_head(moved: Sequence[Moved]) -> str:
    """The label of a list of queries."""
    return "Largest losses" if any(query.before == query.before for query in moved) else "Worst queries"


# The report of a gate at the terminal

COLOURS = {FAILED: "\x1b[1;31m", PASSED: "\x1b[32m", WARNED: "\x1b[33m", UNDECIDED: "\x1b[33m", SKIPPED: "\x1b[2m"}
COLOURS |= {SAME: COLOURS[PASSED]}
PLAIN = "\x1b[0m"
WIDEST_RULE = 60


def render_gate(report: GateReport, width: int | None = None, *, colour: bool = False) -> str:
    """The report of a gate with the exit code at its end."""
    return f"{gate_text(report, width, colour=colour)}   exit {report.exit_code}\n"


def gate_text(report: GateReport, width: int | None = None, *, colour: bool = False) -> str:
    """A line for each rule, then the queries with the largest losses, then the conclusion. Colour only repeats the words."""
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
    return "\n".join([*lines, _fitted(conclusion(report), width)])


def _lines(verdicts: list[Verdict], width: int | None, *, colour: bool) -> list[str]:
    names = [printable(verdict.rule.text) for verdict in verdicts]
    column = min(WIDEST_RULE, max(map(display_width, names), default=0))
    lines = []
    for verdict, name in zip(verdicts, names, strict=True):
        mark = f"{COLOURS[verdict.status]}{verdict.mark}{PLAIN}" if colour else verdict.mark
        summary = printable(verdict.summary)
        room = 8 + max(column, display_width(name)) + display_width(summary)
        if width and room > width:
            lines += [f"{mark}  {name}", *(f"      {line}" for line in wrapped(summary, max(20, width - 6)).split("\n"))]
        else:
            padding = " " * (column - display_width(name))
            lines.append(f"{mark}  {name}{padding}  {summary}")
        if verdict.finding.sees:
            lines += [
                f"      {line}"
                for line in _fitted(printable(verdict.finding.sees), width and max(20, width - 6)).split("\n")
            ]
    return lines


def _fitted(text: str, width: int | None) -> str:
    return wrapped(text, width) if width else text
