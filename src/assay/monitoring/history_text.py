"""history_text: series as lines with a sparkline, for the terminal, and as CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from assay.monitoring.finding import digits_for
from assay.monitoring.history import Change, Series
from assay.text import counted, display_width, printable

BARS = "▁▂▃▄▅▆▇█"
GAP = "·"
MOST_BARS = 60
"""The newest points that are drawn; the line says so where there are more."""


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


def render_history(series: Sequence[Series], metric: str) -> str:
    """Every series: its sparkline, its first and last figure, and below it where it changed."""
    if not series:
        return f"no result with {metric} is stored\n"
    names = [printable(" · ".join(filter(None, (one.benchmark, one.provider)))) for one in series]
    column = max(map(display_width, names))
    lines = [f"{metric} · {counted(len(series), 'series')[:-1] if len(series) > 1 else '1 series'}"]
    for one, name in zip(series, names, strict=True):
        lines += ["", *_lines(one, name + " " * (column - display_width(name)))]
    return "\n".join(lines) + "\n"


def _lines(series: Series, name: str) -> list[str]:
    known = [float(point.value) for point in series.defined if point.value is not None]
    shape = f".{digits_for(known[-1:] + known[:1])}f"
    more = len(series.points) - MOST_BARS
    drawn = sparkline(series.values[-MOST_BARS:])
    marks = _marks(series)
    ends = f"{known[0]:{shape}} → {known[-1]:{shape}}" if len(known) > 1 else f"{known[0]:{shape}}" if known else "no figure"
    gaps = len(series.points) - len(known)
    counts = counted(len(known), "point") + (f", {counted(gaps, 'gap')}" if gaps else "")
    earlier = f"  ({more:,} earlier not drawn)" if more > 0 else ""
    lines = [f"  {name}  {drawn}  {ends}  ({counts}){earlier}"]
    if marks.strip():
        lines.append(f"  {' ' * display_width(name)}  {marks}")
    lines += [f"    {_change_text(change, series)}" for change in series.changes]
    lines += [f"    other data from {series.points[start].evaluation} on" for start, _ in series.stretches[1:]]
    if series.doubt:
        lines.append(f"    cannot tell yet: {series.doubt}")
    return lines


def _marks(series: Series) -> str:
    """Under each bar: an arrow where a step began, a star for a spike."""
    marks = [" "] * len(series.points)
    for start, _ in series.stretches[1:]:
        marks[start] = "|"
    for change in series.changes:
        marks[change.place] = ("▲" if change.after > change.before else "▼") if change.is_step else "*"
    return "".join(marks[-MOST_BARS:]).rstrip()


def _change_text(change: Change, series: Series) -> str:
    point = series.points[change.place]
    way = "worse" if change.is_worse else "better"
    arrow = "▲" if change.after > change.before else "▼"
    kind = f"{arrow} step" if change.is_step else "* spike"
    shape = f".{digits_for([change.before, change.after])}f"
    return f"{kind} {change.before:{shape}} → {change.after:{shape}} ({way}) since {point.evaluation}, {point.started[:10]}"


def history_csv(series: Sequence[Series]) -> str:
    """A row for each point."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = ("evaluation", "started", "value", "low", "high", "n", "dataset")
    writer.writerow(["benchmark", "provider", "metric", *names, "change"])
    for one in series:
        changes = {change.place: "step" if change.is_step else "spike" for change in one.changes}
        for place, point in enumerate(one.points):
            figures = ["" if value is None else value for value in point]
            writer.writerow([one.benchmark, one.provider, one.metric, *figures, changes.get(place, "")])
    return out.getvalue()
