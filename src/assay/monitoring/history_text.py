"""history_text: series as lines with a sparkline, for the terminal, and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from assay.monitoring.finding import digits_for, unit_of
from assay.monitoring.history import Change, Series
from assay.text import counted, display_width, printable, spreadsheet_cell, wrapped

BARS = "▁▂▃▄▅▆▇█"
GAP = "·"
FEWEST_BARS, MOST_BARS = 12, 60
"""The newest points that are drawn, as many as fit; a line says so where there are more."""


def sparkline(values: Sequence[float]) -> str:
    """A bar for each figure, between the lowest and the highest; a dot where there is none. Equal figures are half high."""
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
    """Every series: its sparkline, its first and last figure, and below it where it changed.

    Where lines have a width, fewer points are drawn, the newest; a name that leaves no room has a line of its own.
    """
    if not series:
        return f"no result with {metric} is stored\n"
    names = [printable(one.name) for one in series]
    column = max(map(display_width, names))
    lines = [f"{metric} · {len(series):,} series"]
    for one, name in zip(series, names, strict=True):
        lines += ["", *_lines(one, name + " " * (column - display_width(name)), width)]
    return "\n".join(lines) + "\n"


def _lines(series: Series, name: str, width: int | None) -> list[str]:
    said = _said(series)
    room = MOST_BARS if width is None else min(MOST_BARS, width - display_width(name) - display_width(said) - 6)
    head, indent = [], f"  {name}  "
    if room < FEWEST_BARS and width is not None:
        head, indent = [f"  {name.rstrip()}"], "    "
        room = max(1, min(MOST_BARS, width - display_width(said) - len(indent) - 2))
    drawn = [f"{indent}{sparkline(series.values[-room:])}  {said}"]
    if marks := _marks(series)[-room:].rstrip():
        drawn.append(f"{' ' * display_width(indent)}{marks}")
    below = [f"({len(series.points) - room:,} earlier not drawn)"] if len(series.points) > room else []
    below += [_change_text(change, series) for change in series.changes]
    below += [f"other data from {series.points[start].evaluation} on" for start, _ in series.stretches[1:]]
    below += [f"cannot tell yet: {series.doubt}"] if series.doubt else []
    words = [*head, *(f"    {line}" for line in below)]
    fitted = [wrapped(line, width) if width else line for line in words]
    return [*fitted[: len(head)], *drawn, *fitted[len(head) :]]


def _said(series: Series) -> str:
    """First and last figure, and how many there are."""
    known = [float(point.value) for point in series.defined if point.value is not None]
    shape = f".{digits_for(known[-1:] + known[:1])}f"
    unit = unit_of(series.bound)
    ends = " → ".join(f"{value:{shape}}" for value in (known[:1] + known[-1:] if len(known) > 1 else known[:1]))
    gaps = len(series.points) - len(known)
    counts = counted(len(known), "point") + (f", {counted(gaps, 'gap')}" if gaps else "")
    return f"{ends + unit if known else 'no figure'}  ({counts})"


def _marks(series: Series) -> str:
    """Under each bar: an arrow where a step began, a star for a spike."""
    marks = [" "] * len(series.points)
    for start, _ in series.stretches[1:]:
        marks[start] = "|"
    for change in series.changes:
        marks[change.place] = ("▲" if change.after > change.before else "▼") if change.is_step else "*"
    return "".join(marks)


def _change_text(change: Change, series: Series) -> str:
    point = series.points[change.place]
    way = "worse" if change.is_worse else "better"
    arrow = "▲" if change.after > change.before else "▼"
    kind = f"{arrow} step" if change.is_step else "* spike"
    shape = f".{digits_for([change.before, change.after])}f"
    moved = f"{change.before:{shape}} → {change.after:{shape}}{unit_of(series.bound)}"
    return f"{kind} {moved} ({way}) since {point.evaluation}, {point.started[:10]}"


def history_csv(series: Sequence[Series]) -> str:
    """A row for each point."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = ("evaluation", "started", "value", "low", "high", "n", "dataset")
    writer.writerow(["benchmark", "provider", "metric", *names, "change"])
    for one in series:
        changes = {change.place: "step" if change.is_step else "spike" for change in one.changes}
        for place, point in enumerate(one.points):
            figures = ["" if value is None else value for value in point[: len(names)]]
            row = [one.benchmark, one.provider, one.metric, *figures, changes.get(place, "")]
            writer.writerow([spreadsheet_cell(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()
