"""Bands of a page: what other orders of ties, or grades of unjudged documents, could make of each figure."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.metrics import BoundMetric
from assay.reports._bands import KINDS, Kind
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_parts import TEXT, Column, Field, Grid, columns, number, words

ABOUT = {
    "ties": "ties: the lowest, mean and highest figure over all orders of documents with equal scores",
    "unjudged": "unjudged: the lowest and highest figure, whatever grades retrieved documents that nobody judged would get",
}
TITLE = "What ties and unjudged documents could change"


def bands_grid(matter: BenchmarkReport) -> Grid | None:
    """A row for each metric and system that has a band; None where none has, which is what was not asked for."""
    kinds = [kind for kind in KINDS if any(kind.of(result) for result in matter.results)]
    rows = tuple(row for metric in _metrics(matter, kinds) for row in _rows(matter, metric, kinds))
    if not rows:
        return None
    several = [Column("system", TEXT)] if len(matter.results) > 1 else []
    ends = [Column(f"{kind.name}: {word}") for kind in kinds for word in kind.words]
    said = "; ".join(ABOUT[kind.name] for kind in kinds)
    heads = columns("metric", *several, Column("figure"), *ends)
    return Grid(TITLE, heads, rows, title=TITLE, notes=(f"{said[0].upper()}{said[1:]}.", *_methods(matter)))


def _metrics(matter: BenchmarkReport, kinds: list[Kind]) -> list[BoundMetric]:
    """In the order of the page; what stands beside has bands too."""
    known = {one.name: one for one in (*matter.metrics, *(one for result in matter.results for one in result.metrics))}
    banded = {name for kind in kinds for result in matter.results for name in kind.of(result)}
    return [metric for name, metric in known.items() if name in banded]


def _rows(matter: BenchmarkReport, metric: BoundMetric, kinds: list[Kind]) -> Iterator[tuple[Field, ...]]:
    """One for each system with a band; the figure is over all queries of its result, as the band is."""
    for name, result in zip(matter.names, matter.results, strict=True):
        bands = [kind.of(result).get(metric.name) for kind in kinds]
        if not any(bands):
            continue
        values = [float(result.summary.get(metric.name, math.nan))]
        for kind, band in zip(kinds, bands, strict=True):
            values += [float(band.columns[word].summary()) if band else math.nan for word in kind.words]
        fields = (number(matter.figures.value(metric, value), value) for value in values)
        system = [words(name)] if len(matter.results) > 1 else []
        yield (Field(metric.name, title=metric.metric.meaning), *system, *fields)


def _methods(matter: BenchmarkReport) -> tuple[str, ...]:
    """Which bands are not exact, and what they are instead."""
    found: dict[str, list[str]] = {}
    for kind in KINDS:
        for result in matter.results:
            for name, band in kind.of(result).items():
                if band.method not in ("", "exact") and name not in found.setdefault(band.method, []):
                    found[band.method].append(name)
    return tuple(f"{', '.join(names)}: {method}." for method, names in found.items())
