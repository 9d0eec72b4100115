"""Across: every system on every benchmark, metric by metric; of benchmarks in several languages also mean and variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.comparison import UNKNOWN
from assay.metrics import BoundMetric
from assay.model import LANGUAGE, NONE, Tags
from assay.reports._cells import Cell, Table
from assay.reports._page_matter import BenchmarkReport
from assay.reports._sheets import Sheet

MACRO, VARIANCE = "macro mean", "variance"
MEANING = f"{MACRO}: every language counts the same, however many queries it has; {VARIANCE}: of the languages' figures."
MOST_METRICS = 6
MORE_DIGITS = 2
"""Decimals that a variance has more than what it is the variance of."""


@dataclass(frozen=True)
class Across:
    """One metric: systems as rows, benchmarks as columns."""

    metric: BoundMetric
    benchmarks: tuple[str, ...]
    systems: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    """Of each system, its figure on each benchmark; nan where it has none."""
    intervals: tuple[tuple[str, ...], ...]
    are_languages: bool
    matter: BenchmarkReport

    @property
    def title(self) -> str:
        """`mrr by language`."""
        return f"{self.metric.name} by {LANGUAGE if self.are_languages else 'benchmark'}"

    def text(self, value: float) -> str:
        """A figure in words."""
        return UNKNOWN if math.isnan(value) else self.matter.figures.value(self.metric, value)

    def macro(self, place: int) -> float:
        """The mean of a system over languages; nan where it was not run in all of them."""
        return float(np.mean(self.values[place]))

    def variance(self, place: int) -> tuple[str, float]:
        """Of a system's figures over languages: in words, and as a number."""
        value = float(np.var(self.values[place]))
        digits = (3 if self.matter.figures.digits is None else self.matter.figures.digits) + MORE_DIGITS
        return UNKNOWN if math.isnan(value) else f"{value:.{digits}f}", value


def across(matters: Sequence[BenchmarkReport]) -> tuple[Across, ...]:
    """A table for each metric that all benchmarks have; nothing for one benchmark, or where two are called the same."""
    names = [one.first.benchmark for one in matters]
    if len(matters) < 2 or len(set(names)) < len(names):
        return ()
    languages = [_language(one) for one in matters]
    are_languages = NONE not in languages and len(set(languages)) == len(languages)
    shared = [one for one in matters[0].metrics if all(one in other.metrics for other in matters)]
    systems = tuple(dict.fromkeys(name for one in matters for name in one.names))
    heads = tuple(languages) if are_languages else tuple(names)
    return tuple(_of_metric(matters, metric, heads, systems, are_languages) for metric in shared[:MOST_METRICS])


def _of_metric(
    matters: Sequence[BenchmarkReport],
    metric: BoundMetric,
    heads: tuple[str, ...],
    systems: tuple[str, ...],
    are_languages: bool,
) -> Across:
    found = [[_figure(one, name, metric) for one in matters] for name in systems]
    values = tuple(tuple(value for value, _ in row) for row in found)
    return Across(
        metric, heads, systems, values, tuple(tuple(ends for _, ends in row) for row in found), are_languages, matters[0]
    )


def _figure(matter: BenchmarkReport, system: str, metric: BoundMetric) -> tuple[float, str]:
    if system not in matter.names:
        return math.nan, ""
    place = matter.names.index(system)
    return matter.shown[place].summary[metric.name], matter.interval(place, metric)


def _language(matter: BenchmarkReport) -> str:
    """The language of a benchmark; none where its queries have none, or several."""
    found = set(Tags.of(matter.shown[:1]).values(LANGUAGE))
    return found.pop() if len(found) == 1 else NONE


def across_sheets(matters: Sequence[BenchmarkReport]) -> list[Sheet]:
    """The same for files of text."""
    tables = across(matters)
    return [Sheet(one.title, _table(one), (MEANING,) if one.are_languages and one is tables[-1] else ()) for one in tables]


def _table(one: Across) -> Table:
    rows = []
    for place, system in enumerate(one.systems):
        pairs = zip(one.values[place], one.intervals[place], strict=True)
        cells = [f"{one.text(value)} {ends}".strip() for value, ends in pairs]
        more = [one.text(one.macro(place)), one.variance(place)[0]] if one.are_languages else []
        rows.append([Cell(text) for text in (system, *cells, *more)])
    return Table(["system", *one.benchmarks, *([MACRO, VARIANCE] if one.are_languages else [])], rows)
