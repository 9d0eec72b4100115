"""Across benchmarks: the first section of a page about several, every system on each of them."""

from __future__ import annotations

from collections.abc import Sequence

from assay.reports._across import MACRO, MEANING, VARIANCE, Across, across
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_parts import Column, Grid, Section, columns, number, words
from assay.text import printable


def across_section(matters: Sequence[BenchmarkReport]) -> Section | None:
    """A table for each metric that all benchmarks share; nothing for one benchmark."""
    tables = across(matters)
    if not tables:
        return None
    are_languages = tables[0].are_languages
    title = "Across languages" if are_languages else "Across benchmarks"
    lead = MEANING if are_languages else "Figures of different benchmarks stand side by side; no mean is taken over them."
    return Section("across", title, tuple(map(_grid, tables)), lead)


def _grid(one: Across) -> Grid:
    rows = []
    for place, system in enumerate(one.systems):
        pairs = zip(one.values[place], one.intervals[place], strict=True)
        fields = [number(one.text(value), value, beside=ends) for value, ends in pairs]
        if one.are_languages:
            macro, (said, variance) = one.macro(place), one.variance(place)
            fields += [number(one.text(macro), macro), number(said, variance)]
        rows.append((words(system), *fields))
    heads: list[str | Column] = ["system", *map(printable, one.benchmarks)]
    heads += [MACRO, VARIANCE] if one.are_languages else []
    return Grid(one.title, columns(*heads), tuple(rows), title=one.title)
