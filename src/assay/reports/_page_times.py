"""Times of a page: how long queries took, what failed, and what quality costs."""

from __future__ import annotations

import math

from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.reports._failures import reasons
from assay.reports._page_charts import drawn
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_parts import TEXT, Column, Field, Grid, Section, Words, anchor_of, columns, number, words
from assay.text import counted, milliseconds

SHOWN = (("mean", "mean"), ("p50", "median"), ("p95", "95 %"), ("p99", "99 %"), ("max", "longest"))
MOST_FAILURES = 100
LATENCY = "latency"


def times_section(matter: BenchmarkReport) -> Section:
    """A row for each system, then the queries that failed; a sentence where nobody took times."""
    parts: list[object] = []
    if any(_times(result) for result in matter.results):
        parts.append(_latency(matter))
        timed = all(LATENCY in result and not math.isnan(result[LATENCY]) for result in matter.results)
        quality = _quality(matter)
        if timed and len(matter.results) > 1 and quality is not None:
            parts += drawn(matter, "pareto", metric=quality.name, results=matter.results)
    else:
        parts.append(Words("No times were taken: assay eval takes them, runs from files have none."))
    n_failed = sum(len(result.failures) for result in matter.results)
    parts.append(_failures(matter) if n_failed else Words("No query failed."))
    return Section(anchor_of("latency", matter.group), "Latency and failures", tuple(parts))


def _quality(matter: BenchmarkReport) -> BoundMetric | None:
    return next((metric for metric in matter.metrics if metric.metric.view != "timing"), None)


def _times(result: Result) -> dict[str, float]:
    return {name: value for name, value in (result.provenance.get("latency_ms") or {}).items() if value is not None}


def _latency(matter: BenchmarkReport) -> Grid:
    """Milliseconds for a query; only the mean is known where queries were asked in batches."""
    kinds = [(key, head) for key, head in SHOWN if any(key in _times(result) for result in matter.results)]
    rows = []
    for name, result in zip(matter.names, matter.results, strict=True):
        times = _times(result)
        fields = [number(milliseconds(times[key]), times[key]) if key in times else Field("–", sort="") for key, _ in kinds]
        seconds = result.provenance.get("seconds") or {}
        spent = [float(seconds.get(part) or 0.0) for part in ("indexing", "asking")]
        rate = result.provenance.get("queries_per_second")
        more = [number(f"{one:,.2f} s", one) for one in spent]
        more.append(number(f"{rate:,.0f}", float(rate)) if rate else Field("–", sort=""))
        n = len(result.failures)
        rows.append((words(name), *fields, *more, number(f"{n:,}", n, tone="worse" if n else "")))
    heads = ["system", *(head for _, head in kinds), "indexing", "asking", "queries per second", "failed"]
    note = "Times of one query, as whoever asked saw them; times of different machines are not comparable."
    return Grid("Latency of each system", columns(*heads), tuple(rows), notes=(note,))


def _failures(matter: BenchmarkReport) -> Grid:
    """Queries that failed, with the error; the first hundred of each system."""
    rows, said = [], []
    for name, result in zip(matter.names, matter.results, strict=True):
        shown = list(result.failures.items())[:MOST_FAILURES]
        rows += [(words(query), words(name), words(error)) for query, error in shown]
        if result.failures:
            left = f" ({MOST_FAILURES} shown)" if len(result.failures) > len(shown) else ""
            said.append(f"{name}: {counted(len(result.failures), 'query')} failed{left}: {reasons(result.failures)}.")
    heads = (Column("query", TEXT), Column("system", TEXT), Column("error", TEXT))
    return Grid("Failures", heads, tuple(rows), title="Failures", what="failures", notes=tuple(said))
