"""Exact values behind the report's tables of figures: intervals and counts that the page shows as one text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from assay.comparison import Pair
from assay.reports import RECORD, BenchmarkReport, Column, Field, Grid, Section
from assay.web._csv import HEAD, HIGH, LOW, UNKNOWN, told, with_ends

SYSTEM = "system"


def exact_section(section: Section, matter: BenchmarkReport) -> Section:
    """A section whose tables have every digit when they are downloaded; on the page they are the same."""
    return replace(section, parts=tuple(_exact(one, matter) if isinstance(one, Grid) else one for one in section.parts))


def _exact(grid: Grid, matter: BenchmarkReport) -> Grid:
    rows = [tuple(_row(place, row, grid.columns, matter)) for place, row in enumerate(grid.rows)]
    return replace(grid, rows=tuple(rows))


def _row(place: int, row: tuple[Field, ...], columns: Sequence[Column], matter: BenchmarkReport) -> Iterator[Field]:
    pair = _pair(row, matter)
    for one, column in zip(row, columns, strict=True):
        if pair is not None and column == RECORD:
            counts = (("better", pair.wins), ("same", pair.ties), ("worse", pair.losses))
            yield told(one, *(counts if one.text != UNKNOWN else ()))
        elif pair is not None and " CI " in column.head:
            yield told(one, (LOW, pair.low), (HIGH, pair.high))
        elif column.head == SYSTEM and one.sort == place:  # letters that say who is who stand before its name
            yield told(one, (HEAD, matter.names[place]))
        else:
            yield _figure(one, row, column, matter) if one.beside else one


def _pair(row: Sequence[Field], matter: BenchmarkReport) -> Pair | None:
    """The pair that a row is about, known by its difference and what comes next to it."""
    if matter.comparison is None:
        return None
    beside = list(pairwise(one.sort for one in row))
    for pair in matter.comparison.pairs:
        if any(pair.difference == one and pair.low == other for one, other in beside):
            return pair
    return None


def _figure(one: Field, row: Sequence[Field], column: Column, matter: BenchmarkReport) -> Field:
    """A figure with the ends of its interval, found by metric, system, value and what the page says."""
    said = [column.head, *(field.text for field in row)]
    known = [
        (place, metric)
        for place, result in enumerate(matter.shown)
        for metric in matter.metrics
        if metric.name in said and result.summary[metric.name] == one.sort and matter.interval(place, metric) == one.beside
    ]
    named = [pair for pair in known if any(text.endswith(matter.names[pair[0]]) for text in said)] or known
    if not named:
        return one
    place, metric = named[0]
    found = matter.intervals[place][metric.name]
    return with_ends(one, float(matter.shown[place].summary[metric.name]), found.low, found.high)
