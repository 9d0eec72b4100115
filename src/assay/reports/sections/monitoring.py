"""Gates and histories: a gate's report as Markdown, JUnit XML and GitHub annotations; series as text and CSV."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from xml.sax.saxutils import escape, quoteattr

from assay.monitoring import (
    FAILED,
    PASSED,
    SAME,
    SKIPPED,
    UNDECIDED,
    WARNED,
    Change,
    GateReport,
    Series,
    Verdict,
    change_details,
    change_head,
    conclusion,
    digits_for,
    grouped,
    moved_text,
    unit_of,
    worst_moved,
)
from assay.reports.table import Notes, Paragraph, Section, Table, cells, table_from_rows, table_section, text_columns
from assay.text import counted, display_width, printable, wrapped

BARS = "▁▂▃▄▅▆▇█"
GAP = "·"
MIN_BARS, MAX_BARS = 12, 60
"""The smallest and largest number of points that are drawn; if there are more, the newest are drawn and a line says so."""


def sparkline(values: Sequence[float]) -> str:
    """A bar for each value, scaled from the lowest to the highest; a dot if there is none. Equal values are half high."""
    known = [value for value in values if math.isfinite(value)]
    if not known:
        return GAP * len(values)
    low, high = min(known), max(known)
    steps = len(BARS) - 1
    return "".join(
        GAP
        if not math.isfinite(value)
        else BARS[steps // 2]
        if high - low <= 1e-12 * max(abs(high), abs(low))
        else BARS[round((value - low) / (high - low) * steps)]
        for value in values
    )


def render_history(series: Sequence[Series], metric: str, width: int | None = None) -> str:
    """Every series: its sparkline, its first and last value, and its changes below it.

    If lines have a limited width, only the newest points are drawn; a long name gets its own line.
    """
    if not series:
        return f"no stored result has {metric}\n"
    names = [printable(history.name) for history in series]
    column = max(map(display_width, names))
    lines = [f"{metric} · {len(series):,} series"]
    for history, name in zip(series, names, strict=True):
        lines += ["", *_lines(history, name + " " * (column - display_width(name)), width)]
    return "\n".join(lines) + "\n"


def _lines(series: Series, name: str, width: int | None) -> list[str]:
    ends = _ends_text(series)
    room = MAX_BARS if width is None else min(MAX_BARS, width - display_width(name) - display_width(ends) - 6)
    head, indent = [], f"  {name}  "
    if room < MIN_BARS and width is not None:
        head, indent = [f"  {name.rstrip()}"], "    "
        room = max(1, min(MAX_BARS, width - display_width(ends) - len(indent) - 2))
    drawn = [f"{indent}{sparkline(series.values[-room:])}  {ends}"]
    if marks := _marks(series)[-room:].rstrip():
        drawn.append(f"{' ' * display_width(indent)}{marks}")
    n_left = len(series.points) - room
    below = [f"({counted(n_left, 'earlier point')} not drawn)"] if n_left > 0 else []
    below += [line for change in series.changes for line in _change_lines(change, series)]
    below += [_data_text(series, start) for start, _ in series.stretches[1:]]
    below += [series.doubt] if series.doubt else []
    words = [*head, *(f"    {line}" for line in below)]
    fitted = [wrapped(line, width) if width else line for line in words]
    return [*fitted[: len(head)], *drawn, *fitted[len(head) :]]


def _ends_text(series: Series) -> str:
    """The first and last value, and the number of points."""
    known = [float(point.value) for point in series.defined if point.value is not None]
    shape = f".{digits_for(known[-1:] + known[:1])}f"
    unit = unit_of(series.bound)
    ends = " → ".join(f"{value:{shape}}" for value in (known[:1] + known[-1:] if len(known) > 1 else known[:1]))
    gaps = len(series.points) - len(known)
    counts = counted(len(known), "point") + (f", {counted(gaps, 'gap')}" if gaps else "")
    return f"{ends + unit if known else 'no value'}  ({counts})"


def _marks(series: Series) -> str:
    """The marks under the bars: a sign for a step or a drift, a star for a spike, a line where the data change."""
    marks = [" "] * len(series.points)
    for start, _ in series.stretches[1:]:
        marks[start] = "|"
    for change in series.changes:
        marks[change.place] = _sign(change)
    return "".join(marks)


def _change_lines(change: Change, series: Series) -> list[str]:
    """A change and what is known about it."""
    point = series.points[change.place]
    head = f"{_sign(change)} {change_head(change, series.bound)} in {point.evaluation}, {point.started[:10]}"
    return [head, *(f"    {line}" for line in change_details(change))]


def _data_text(series: Series, start: int) -> str:
    """Where other data begin, and what is recorded about them."""
    causes = "; ".join(changed.text for changed in series.found.data_changes.get(start, ()) if changed.part == "dataset")
    return f"different data since {series.points[start].evaluation}{f': {causes}' if causes else ''}"


def _sign(change: Change) -> str:
    """A star for a spike; else a triangle, or an arrow if the change was only seen on these queries."""
    rises, falls = "↑↓" if change.is_only_seen else "▲▼"
    return "*" if change.kind == "spike" else rises if change.after > change.before else falls


def history_sections(series: Sequence[Series]) -> tuple[Section, ...]:
    """A row for each point, with every digit."""
    names = ("evaluation", "started", "value", "low", "high", "n", "dataset")
    rows = []
    for history in series:
        changes = {change.place: change.kind for change in history.changes}
        about = {"benchmark": history.benchmark, "provider": history.provider, "metric": history.metric}
        rows += [
            {**about, **dict(zip(names, point, strict=False)), "change": changes.get(place, "")}
            for place, point in enumerate(history.points)
        ]
    empty = dict.fromkeys(("benchmark", "provider", "metric", *names, "change"))
    table = table_from_rows(rows or [empty])
    return (table_section(table if rows else replace(table, rows=())),)


LEVELS = {FAILED: "error", WARNED: "warning", UNDECIDED: "warning"}


def render_annotations(report: GateReport) -> str:
    """A line for each rule that did not pass, with its file and line; errors fail the job, warnings do not."""
    lines = [_line(verdict) for verdict in report.verdicts if verdict.status in LEVELS]
    if report.broken:
        lines.append(f"::error title=assay gate could not run::{_escaped_annotation(report.broken)}")
    return "".join(f"{line}\n" for line in lines)


def _line(verdict: Verdict) -> str:
    file, _, line = verdict.rule.terms.place.rpartition(":")
    where = f"file={_property(file)},line={line}," if file and line.isdecimal() else ""
    moved = "".join(f"\n{moved_text(query)}" for query in verdict.finding.moved)
    message = _escaped_annotation(f"{verdict.rule.text}: {verdict.summary}{moved}")
    return f"::{LEVELS[verdict.status]} {where}title={_property(f'assay gate: {verdict.rule.text}')}::{message}"


def _escaped_annotation(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped_annotation(text).replace(":", "%3A").replace(",", "%2C")


FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML forbids, even escaped."""


def render_gate_junit(report: GateReport) -> str:
    """One suite with a case for each rule and result; warnings and undecided rules go to its output and do not fail."""
    cases = [_case(verdict) for verdict in report.verdicts]
    if report.broken:
        first = report.broken.split("\n", 1)[0]
        body = f'<error message={_quoted(first)} type="broken">{_text(report.broken)}</error>'
        cases = [f'  <testcase name="gate" classname="assay.gate">\n    {body}\n  </testcase>']
    counts = {
        "tests": len(cases),
        "failures": len(report.failed),
        "errors": int(bool(report.broken)),
        "skipped": report.count(SKIPPED),
    }
    numbers = " ".join(f'{name}="{number}"' for name, number in counts.items())
    suite = [f'<testsuite name="assay gate" {numbers}>', *cases, "</testsuite>"]
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {numbers}>", *suite, "</testsuites>"]) + "\n"


def _case(verdict: Verdict) -> str:
    about = ".".join(filter(None, ("assay.gate", verdict.benchmark, verdict.provider)))
    head = f"  <testcase name={_quoted(verdict.rule.text)} classname={_quoted(about)}"
    details = "\n".join(filter(None, [verdict.summary, verdict.finding.sees, *map(moved_text, verdict.finding.moved)]))
    if verdict.status == FAILED:
        message = f"{verdict.rule.text}: {verdict.summary}"
        kind = "undecided" if verdict.finding.status == UNDECIDED else "worse"
        inside = f'<failure message={_quoted(message)} type="{kind}">{_text(details)}</failure>'
    elif verdict.status == SKIPPED:
        inside = f"<skipped message={_quoted(verdict.summary)}/>"
    elif verdict.status in (WARNED, UNDECIDED, SAME):
        inside = f"<system-out>{_text(f'{verdict.status}: {details}')}</system-out>"
    else:
        inside = f"<system-out>{_text(details)}</system-out>"
    return f"{head}>\n    {inside}\n  </testcase>"


def _text(text: str) -> str:
    return escape(FORBIDDEN.sub("�", text))


def _quoted(text: str) -> str:
    return quoteattr(FORBIDDEN.sub("�", text))


SIGNS = {
    PASSED: "✅ pass",
    SAME: "✅ same",
    FAILED: "❌ fail",
    WARNED: "⚠️ warn",
    UNDECIDED: "❔ undecided",
    SKIPPED: "➖ skipped",
}


def _found(verdict: Verdict) -> str:
    return ". ".join(filter(None, (verdict.summary, verdict.finding.sees)))


def gate_sections(report: GateReport) -> tuple[Section, ...]:
    """The conclusion, then for each result a table of rules and the queries that changed most."""
    is_decided = report.count(PASSED) or report.count(SAME) or not report.count(UNDECIDED)
    sign = "🛑" if report.broken else "❌" if report.failed else "✅" if is_decided else "❔"
    parts: list[Table | Paragraph | Notes] = [Notes(tuple(report.broken.split("\n") if report.broken else ()))]
    for head, verdicts in grouped(report):
        rows = [cells(SIGNS[verdict.status], verdict.rule.text, _found(verdict)) for verdict in verdicts]
        parts.append(Table(text_columns("", "rule", "found"), tuple(rows), title=head))
        moved = [cells(query.query, query.text, query.metric, query.change) for query in worst_moved(verdicts)]
        parts.append(Table(text_columns("query", "text", "metric", "change"), tuple(moved)))
    parts.append(Notes(tuple(report.notes)))
    return (Section("gate", f"{sign} Retrieval gate", tuple(parts), conclusion(report), level=3),)
