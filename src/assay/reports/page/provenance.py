"""Provenance of a page: where the values come from, and how long queries took."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.evaluation import QUERY, Result
from assay.metrics import BoundMetric
from assay.model import Policy
from assay.reports.page.charts import draw_charts
from assay.reports.page.subject import BenchmarkReport
from assay.reports.sections.run_notes import reasons
from assay.reports.sections.scores import log_counts, size_of
from assay.reports.sections.store import commit_in_words, readable_time
from assay.reports.table import (
    Cell,
    Mark,
    Paragraph,
    Section,
    Table,
    anchor_of,
    columns,
    number,
    text_columns,
    words,
)
from assay.text import counted, milliseconds


def provenance_section(report: BenchmarkReport) -> Section:
    """One column for each system; a row that all share has its value only once."""
    origins = [_origin_facts(result) for result in report.results]
    names = list(dict.fromkeys(name for origin in origins for name in origin))
    rows = []
    for name in names:
        values = [origin.get(name, "–") for origin in origins]
        shared = len(set(values)) == 1
        fields = [words(values[0])] if shared else [words(value) for value in values]
        rows.append((Cell(name), *(fields if not shared else fields + [Cell("same", mark=Mark.MUTED)] * (len(origins) - 1))))
    heads = text_columns("recorded", *report.names)
    return Section(
        anchor_of("provenance", report.group),
        "Provenance",
        (Table(heads, tuple(rows), "Where the values come from", is_sortable=False),),
    )


def _origin_facts(result: Result) -> dict[str, str]:
    """Name → fact as text; unknown facts are left out."""
    origin = result.provenance
    facts = {**_about_data(result), **_about_provider(origin)}
    for name, key in (("started", "started"), ("finished", "finished")):
        if origin.get(key):
            facts[name] = f"{readable_time(str(origin[key]))} UTC"
    if repository := origin.get("repository"):
        facts["commit"] = commit_in_words(repository)
    for name in ("k", "seed"):
        if origin.get(name) is not None:
            facts["documents per query" if name == "k" else name] = str(origin[name])
    versions = {name: origin[name] for name in ("assay", "python", "platform") if origin.get(name)}
    facts |= {name: str(value) for name, value in versions.items()}
    if packages := origin.get("packages"):
        facts["packages"] = _pairs(packages)
    facts["policy"] = _policy(result)
    facts |= {f"fingerprint of {name}": str(value) for name, value in result.fingerprints.items()}
    return {name: text for name, text in facts.items() if text}


def _about_data(result: Result) -> dict[str, str]:
    dataset = result.provenance.get("dataset") or {}
    if result.rows_are != QUERY:
        return {"experiment": result.benchmark, "log": size_of(result), "shown and clicked": _clicks(result)}
    counts = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in result.counts.items() if count)
    return {
        "benchmark": f"{dataset.get('name', result.benchmark)} {dataset.get('version', '')}".strip(),
        "data": _pairs(dataset.get("fingerprints") or {}),
        "queries": counts,
    }


def _clicks(result: Result) -> str:
    """`46,688 shown documents, 5,585 clicks`; empty if it is not recorded."""
    counts, names = log_counts(result), {"shown": "shown document", "clicked": "click"}
    return ", ".join(counted(counts[name], noun) for name, noun in names.items() if name in counts)


def _about_provider(origin: Mapping[str, Any]) -> dict[str, str]:
    configuration = (origin.get("provider") or {}).get("configuration") or {}
    inside = _pairs({name: value for name, value in configuration.items() if name != "provider"}, "=")
    return {"provider": f"{configuration.get('provider', '')}({inside})" if configuration else ""}


def _policy(result: Result) -> str:
    """The conventions that differ from the defaults."""
    changes = {name: value for name, value in result.policy.to_dict().items() if value != getattr(Policy(), name)}
    profile = f"profile {result.profile}; " if result.profile else ""
    return f"{profile}{_pairs(changes) if changes else 'default conventions'}"


def _pairs(mapping: Mapping[str, Any], sign: str = " ") -> str:
    return ", ".join(f"{name}{sign}{value}" for name, value in mapping.items())


LATENCY_COLUMNS = (("mean", "mean"), ("p50", "median"), ("p95", "p95"), ("p99", "p99"), ("max", "max"))
MAX_FAILURES = 100
LATENCY = "latency"


def times_section(report: BenchmarkReport) -> Section:
    """A row for each system, then the queries that failed; a sentence if no times were measured."""
    parts: list[Any] = []
    if any(_times(result) for result in report.results):
        parts.append(_latency(report))
        timed = all(LATENCY in result and not math.isnan(result[LATENCY]) for result in report.results)
        quality = _quality(report)
        if timed and len(report.results) > 1 and quality is not None:
            parts += draw_charts(report, "pareto", metric=quality.name, results=report.results)
    else:
        parts.append(Paragraph("No times were measured. assay eval measures them; runs from files have none."))
    n_failed = sum(len(result.failures) for result in report.results)
    parts.append(_failures(report) if n_failed else Paragraph("No query failed."))
    return Section(anchor_of("latency", report.group), "Latency and failures", tuple(parts))


def _quality(report: BenchmarkReport) -> BoundMetric | None:
    return next((metric for metric in report.metrics if metric.metric.view != "timing"), None)


def _times(result: Result) -> dict[str, float]:
    return {name: value for name, value in (result.provenance.get("latency_ms") or {}).items() if value is not None}


def _latency(report: BenchmarkReport) -> Table:
    """Milliseconds per query; only the mean is known if queries were sent in batches."""
    kinds = [(key, head) for key, head in LATENCY_COLUMNS if any(key in _times(result) for result in report.results)]
    rows = []
    for name, result in zip(report.names, report.results, strict=True):
        times = _times(result)
        fields = [number(milliseconds(times[key]), times[key]) if key in times else Cell("–", value="") for key, _ in kinds]
        seconds = result.provenance.get("seconds") or {}
        spent = [float(seconds.get(part) or 0.0) for part in ("indexing", "asking")]
        rate = result.provenance.get("queries_per_second")
        more = [number(f"{seconds:,.2f} s", seconds) for seconds in spent]
        more.append(number(f"{rate:,.0f}", float(rate)) if rate else Cell("–", value=""))
        n = len(result.failures)
        rows.append((words(name), *fields, *more, number(f"{n:,}", n, mark=Mark.WORSE if n else Mark.NONE)))
    heads = ["system", *(head for _, head in kinds), "indexing", "querying", "queries per second", "failed"]
    note = "Times per query, as assay measured them. Times from different machines are not comparable."
    return Table(columns(*heads), tuple(rows), "Latency of each system", notes=(note,))


def _failures(report: BenchmarkReport) -> Table:
    """Failed queries with their errors; the first hundred of each system."""
    rows, notes = [], []
    for name, result in zip(report.names, report.results, strict=True):
        failures = list(result.failures.items())[:MAX_FAILURES]
        rows += [(words(query), words(name), words(error)) for query, error in failures]
        if result.failures:
            left = f" ({MAX_FAILURES} shown)" if len(result.failures) > len(failures) else ""
            notes.append(f"{name}: {counted(len(result.failures), 'query')} failed{left}: {reasons(result.failures)}.")
    heads = text_columns("query", "system", "error")
    return Table(heads, tuple(rows), "Failures", title="Failures", filters="failures", notes=tuple(notes))
