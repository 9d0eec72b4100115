"""The overview of a store: one row for each series, what got worse first."""

from __future__ import annotations

import math

from assay.comparison import Figures
from assay.monitoring import ChangeSince, Overview, SeriesOverview, change_head
from assay.reports.sections.monitoring import sparkline
from assay.reports.sections.store import readable_time
from assay.reports.table import Cell, Column, Notes, Section, Table, table_section

SIGNS = {"worse": "▼", "better": "▲", "failed": "✗"}
"""Standing → the sign in front of its word."""
WORDS = {"lower": "lower, not shown", "higher": "higher, not shown"}
"""Standing → its words, if they are not its name."""
MAX_BARS = 16
NAMES = ("", "provider", "benchmark", "metric", "newest values")
COLUMNS = {
    "": 0,
    "provider": 0,
    "benchmark": 5,
    "metric": 4,
    "newest values": 6,
    "value": 0,
    "since the last run": 1,
    "since the baseline": 2,
    "failed": 3,
    "started": 7,
}
"""Title → the order in which a narrow terminal leaves it out."""


def standing_text(standing: str) -> str:
    """`▼ worse`; a standing without a sign has only words."""
    words = WORDS.get(standing, standing)
    return f"{SIGNS[standing]} {words}" if standing in SIGNS else words


def value_text(line: SeriesOverview) -> str:
    """The newest value; a dash if there is none."""
    value = line.newest.value
    return Figures().value(line.metric, math.nan if value is None else value)


def interval_text(line: SeriesOverview) -> str:
    """The interval of the newest value; empty if there is none."""
    low, high = line.newest.low, line.newest.high
    if low is None or high is None:
        return ""
    return f"[{Figures().value(line.metric, low)}, {Figures().value(line.metric, high)}]"


def overview_sections(overview: Overview) -> tuple[Section, ...]:
    """The table, and below it the sentences about series that got worse or failed, and earlier steps of the others."""
    heads = tuple(Column(name, kind="text" if name in NAMES else "number", spare=spare) for name, spare in COLUMNS.items())
    rows = tuple(_row(line) for line in overview.series)
    about = tuple(sentence for line in (*overview.worse, *overview.failed) for sentence in _sentences(line))
    about += tuple(filter(None, map(_step, overview.rest)))
    return (table_section(Table(heads, rows)), *([Section(parts=(Notes(about),))] if about else []))


def _sentences(line: SeriesOverview) -> list[str]:
    where = f"{line.benchmark}: " if line.benchmark else ""
    return [f"{where}{sentence}" for sentence in line.sentences()]


def _step(line: SeriesOverview) -> str:
    """The newest step of a series that did not change since; empty if there is none."""
    change = line.last_change
    return "" if change is None else f"{line.name}: {change_head(change, line.metric)} on {change.point.started[:10]}."


def _row(line: SeriesOverview) -> tuple[Cell, ...]:
    values = [math.nan if run.value is None else run.value for run in line.runs[-MAX_BARS:]]
    benchmark = " · ".join(filter(None, (line.benchmark, line.data)))
    return (
        Cell(standing_text(line.standing)),
        Cell(line.provider),
        Cell(benchmark),
        Cell(line.metric.name),
        Cell(sparkline(values)),
        Cell(value_text(line)),
        Cell(_change(line.previous)),
        Cell(_change(line.baseline)),
        Cell(f"{line.newest.n_failed:,}"),
        Cell(readable_time(line.newest.started)),
    )


def _change(change: ChangeSince) -> str:
    if change.pair is None:
        return "–"
    return Figures().change(change.metric, change.pair.difference)
