"""Periods: many values over time, as one value for each week or another period; and labels that do not overlap."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

MAX_PERIODS = 160
"""Values of one series that can still be told apart in a chart."""
PERIODS = (
    (timedelta(hours=1), "hour"),
    (timedelta(hours=6), "6 hours"),
    (timedelta(days=1), "day"),
    (timedelta(days=7), "week"),
    (timedelta(days=28), "4 weeks"),
    (timedelta(days=91), "13 weeks"),
    (timedelta(days=364), "52 weeks"),
)
"""Lengths of periods, with their names. Weeks begin on Monday."""
FIRST_MONDAY = datetime(1970, 1, 5, tzinfo=UTC)
TICKS = (1, 2, 2.5, 5, 10)

Row = dict[str, Any]


def time_of(started: str) -> datetime | None:
    """A stored time; None if it is not one. A time without a zone is in UTC."""
    try:
        time = datetime.fromisoformat(started)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def by_period(lines: Sequence[Sequence[Row]]) -> tuple[list[list[Row]], str]:
    """The rows of each series, one for each period if a series has too many; and the name of the period, or no name.

    A period has the mean of its values, and from the lowest to the highest of them. Rows with a mark stay as they are, in
    addition. Periods on other data are separate.
    """
    if max(map(len, lines), default=0) <= MAX_PERIODS:
        return [list(rows) for rows in lines], ""
    times = [[time_of(row["started"]) for row in rows] for rows in lines]
    if any(time is None for line in times for time in line):
        return [_thinned(rows) for rows in lines], ""
    known = [time for line in times for time in line if time is not None]
    span = max(known) - min(known)
    length, name = next((period for period in PERIODS if span / period[0] <= MAX_PERIODS), PERIODS[-1])
    return [_rows_of(rows, line, length) for rows, line in zip(lines, times, strict=True)], name


def _thinned(rows: Sequence[Row]) -> list[Row]:
    """Every second, third … row; all marked rows and the last row stay."""
    step = -(-len(rows) // MAX_PERIODS)
    last = len(rows) - 1
    return [row for place, row in enumerate(rows) if place % step == 0 or row["mark"] or place == last]


def _rows_of(rows: Sequence[Row], times: Sequence[datetime | None], length: timedelta) -> list[Row]:
    periods: dict[tuple[int, str], list[Row]] = {}
    for row, time in zip(rows, times, strict=True):
        number = math.floor((time - FIRST_MONDAY) / length) if time else 0
        periods.setdefault((number, row["data"]), []).append(row)
    return [shown for some in periods.values() for shown in _of_period(some)]


def _of_period(rows: Sequence[Row]) -> list[Row]:
    """The mean of a period at its last row, and the marked rows as points that are not on the line."""
    marked = [{**row, "is_on_line": False} for row in rows if row["mark"]]
    values = [row["value"] for row in rows if row["value"] is not None]
    if len(rows) == 1:
        return [{**rows[0], "low": rows[0]["value"], "high": rows[0]["value"]}]
    figures: Mapping[str, Any] = dict.fromkeys(("value", "low", "high"))
    if values:
        figures = {"value": math.fsum(values) / len(values), "low": min(values), "high": max(values)}
    mean = {**rows[-1], **figures, "mark": "", "blessed as": "", "evaluations": len(rows), "link": ""}
    return [mean, *marked]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Positions near the given ones, in the same order, at least a gap apart, and between low and high if there is room."""
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    blocks: list[list[float]] = []  # the sum of wanted positions of the first label, and the number of labels
    for place in order:
        blocks.append([wanted[place], 1])
        while len(blocks) > 1 and _start(blocks[-2], gap, low, high) + blocks[-2][1] * gap > _start(
            blocks[-1], gap, low, high
        ):
            total, n = blocks.pop()
            blocks[-1][0] += total - n * blocks[-1][1] * gap
            blocks[-1][1] += n
    starts = [_start(block, gap, low, high) + number * gap for block in blocks for number in range(int(block[1]))]
    positions = dict(zip(order, starts, strict=True))
    return [positions[place] for place in range(len(wanted))]


def _start(block: Sequence[float], gap: float, low: float, high: float) -> float:
    """Where the first label of a block is: so that the block is as near to its wanted positions as possible."""
    total, n = block
    return max(low, min(total / n, high - (n - 1) * gap))


def nice_domain(values: Iterable[float]) -> tuple[float, float]:
    """The ends of an axis for these values: multiples of a tick, with the smallest and the largest value inside."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    if high - low < 1e-9:
        room = abs(high) * 0.05 if abs(high) > 1e-6 else 0.05
        low, high = low - room, high + room
    rough = (high - low) / 6
    size = 10 ** math.floor(math.log10(rough))
    tick = next(size * step for step in TICKS if size * step >= rough - 1e-12)
    return round(math.floor(low / tick + 1e-9) * tick, 12), round(math.ceil(high / tick - 1e-9) * tick, 12)
