"""An evaluation: its scores, which provider is better, and how small a difference its queries can detect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan

import numpy as np

from assay.comparison import (
    Comparison,
    ComparisonOptions,
    Figures,
    Sliced,
    compare_results,
    fair_metric,
    sign_of,
    slice_results,
)
from assay.evaluation import QUERY, Result
from assay.execution import Statistics
from assay.metrics import BoundMetric
from assay.model import MEAN, Column
from assay.reports.layout import Style
from assay.reports.rendering import find_renderer, render_sections
from assay.reports.report import Report
from assay.reports.sections.directions import direction_sections
from assay.reports.sections.logs import log_sections
from assay.reports.sections.run_notes import failure_notes, latency_notes, shared_sections
from assay.reports.sections.scores import best_first, render_scores, score_sections
from assay.reports.sections.slices import agreement_sections, metric_to_slice, overlap_of, sections_by_tags
from assay.reports.table import Section
from assay.stats import minimum_detectable_effect
from assay.text import counted, milliseconds, printable, two_digits

PROGRAM_FORMATS = ("json", "csv", "trec")
"""Formats for programs, which name the benchmark in each result."""


TIMES = {"latency": "mean ms", "latency_p95": "p95 ms"}
"""Times that are shown without a request → their column headings."""
SIZES = {"queries": "query", "documents": "document"}


@dataclass(frozen=True)
class EvaluationDisplay:
    """How to show an evaluation."""

    width: int | None = None
    colour: bool = False
    again: str = ""
    """How to retry failed queries."""
    statistics: Statistics = field(default_factory=Statistics)
    by: Sequence[str] = ()
    """Tags to slice the queries by."""
    strict: bool | None = None
    """Whether any failure is an error; given if errors follow, so that nothing is reported twice."""

    @property
    def wants_intervals(self) -> bool:
        """Whether the user named a method for the intervals, so that all intervals are shown."""
        return self.statistics.confidence_intervals not in (None, Statistics().confidence_intervals)


def render_evaluation(results: Sequence[Result], form: str, how: EvaluationDisplay) -> str:
    """Render all results in one format; there is one table per benchmark, under its name."""
    if find_renderer(form).render is None:
        slices = _slices(results, None, how)
        return render_scores(Report(results, slices=slices), form)
    return render_sections(evaluation_sections(results, form, how), form, Style(how.width, how.colour))


def evaluation_sections(results: Sequence[Result], form: str, how: EvaluationDisplay) -> tuple[Section, ...]:
    """The scores and the chunks of each benchmark, then the slices of all."""
    if form == "csv":
        return (*score_sections(Report(results), form), *shared_sections(results, form))
    only = metric_to_slice(results, form)
    slices = _slices(results, only, how)
    by_benchmark: dict[str, list[Result]] = {}
    for result in results:
        by_benchmark.setdefault(result.benchmark, []).append(result)
    sections: list[Section] = []
    for some in by_benchmark.values():
        if some[0].rows_are != QUERY:
            sections += _log_sections(some, how)
            slices = ()
            continue
        scores, *others = score_sections(_report(some, form, how), form)
        sections += [_with_overlap(scores, some), *others]
        sections += shared_sections(some, form)
    return (*sections, *direction_sections(results), *sections_by_tags(slices, only, Figures()))


def _log_sections(results: Sequence[Result], how: EvaluationDisplay) -> Iterator[Section]:
    """The results of an experiment together; logs one by one, each with its slices."""
    if results[0].benchmark:
        yield from log_sections(Report(results))
        return
    for result in results:
        yield from log_sections(Report([result]), _slices([result], None, how))


def _with_overlap(scores: Section, results: Sequence[Result]) -> Section:
    """Results without judgments get a table that says how similar their rankings are, above the notes with the next step."""
    tables = [part for section in agreement_sections(overlap_of(results)) for part in section.parts]
    return replace(scores, parts=(*scores.parts[:-1], *tables, *scores.parts[-1:])) if tables else scores


def _slices(results: Sequence[Result], only: list[BoundMetric] | None, how: EvaluationDisplay) -> Sequence[Sliced]:
    asked = how.statistics
    interval = asked.confidence_intervals or "none"
    return slice_results(results, how.by, metrics=only, interval=interval, level=asked.level) if how.by else ()


def _failed(results: Sequence[Result], how: EvaluationDisplay) -> list[str]:
    return failure_notes(results, how.again, strict=how.strict)


def _report(results: Sequence[Result], form: str, how: EvaluationDisplay) -> Report:
    """The report on one benchmark: in a terminal the best provider first, in documents the given order."""
    remarks = (*verdict_notes(results, how.statistics), *_failed(results, how), *latency_notes(results))
    rows = results if how.wants_intervals else _with_few_intervals(results)
    rows = [without_figures(result) if result.is_total_failure else result for result in rows]
    first = results[0]
    deciding = fair_metric(results)
    return Report(
        best_first(rows, deciding) if form == "table" else rows,
        points_on=False,
        beside=frozenset(first.beside),
        title=_title(first),
        remarks=remarks,
        rows_are="run" if "chunks" in first.provenance else "provider",
        heads={name: head for name, head in TIMES.items() if name in first.beside},
        hidden=_hidden_time(rows),
    )


def _hidden_time(results: Sequence[Result]) -> frozenset[str]:
    """The time to hide, because one is enough in a table: p95 is shown, or the mean if p95 is unknown for a provider."""
    beside = set(results[0].beside)
    if not beside >= TIMES.keys():
        return frozenset()
    known = [result for result in results if not isnan(result.summary.get("latency", nan))]
    is_known = bool(known) and not any(isnan(result.summary["latency_p95"]) for result in known)
    return frozenset({"latency" if is_known else "latency_p95"})


def _with_few_intervals(results: Sequence[Result]) -> list[Result]:
    """The results with the intervals that fit: those of the metric in the verdict, and of the gain of a reranker, because
    nothing else in the table shows how certain it is.
    """
    names = {(fair_metric(results) or results[0].metrics[0]).name}
    names |= {metric.name for result in results for metric in result.metrics if metric.metric.view == "reranking"}
    return [
        result.with_fields(intervals={name: interval for name, interval in result.intervals.items() if name in names})
        for result in results
    ]


def without_figures(result: Result) -> Result:
    """The result of a provider that failed on every query: its values are unknown, not 0."""
    columns = {
        name: Column.of(np.full(len(result.query_ids), np.nan), column.aggregation) if name in result.summary else column
        for name, column in result.table.columns.items()
    }
    return result.with_fields(table=replace(result.table, columns=columns), intervals={})


def _title(result: Result) -> str:
    """The benchmark, its version and its size, if they were recorded."""
    about = result.provenance.get("dataset", {})
    sizes = [counted(about[f"num_{what}"], noun) for what, noun in SIZES.items() if f"num_{what}" in about]
    size = f" ({', '.join(sizes)})" if sizes else ""
    name = f"{result.benchmark} {about.get('version', '')}".strip()
    return printable(f"{name}{size}")


CHUNK_METRIC_NOTE = (
    "{name} counts chunks, and each chunker creates different chunks, so this metric cannot compare chunkers. "
    "Use span_recall@10, span_precision@10 or span_iou@10."
)
POWER = 0.8
"""The chance with which the smallest detectable difference is detected."""
MIN_CHANGED_FOR_POWER = 20
"""With fewer queries that changed, the spread of the differences is not known well enough for an estimate."""


def verdict_notes(results: Sequence[Result], statistics: Statistics) -> list[str]:
    """The verdict on the first metric of several providers that did not fail completely; nothing without a test."""
    results = [result for result in results if not result.is_total_failure]
    if statistics.significance_testing is None or len(results) < 2 or any(result.is_unjudged for result in results):
        return []
    metric = fair_metric(results)
    if metric is None:
        return [CHUNK_METRIC_NOTE.format(name=results[0].metrics[0].name)]
    if any(metric.name not in result.summary for result in results):  # text, which is not compared
        return []
    is_for_all = statistics.correct_metrics
    how = ComparisonOptions(
        test=statistics.significance_testing, alpha=statistics.alpha, correct_metrics=statistics.correct_metrics
    )
    comparison = compare_results(results, how, metrics=None if is_for_all else [metric], intersect=True)
    return [comparison.verdict, *comparison.doubts, *comparison.remarks, *power_notes(comparison)]


def power_notes(comparison: Comparison) -> Iterator[str]:
    """The smallest detectable difference between the two best systems on the first metric.

    Nothing if the metric is not a mean, if the two differ significantly, or if there are few queries.
    """
    metric = comparison.metrics[0]
    ranked = [result for result in comparison.results if not math.isnan(result.summary[metric.name])]
    if metric.metric.aggregation != MEAN or len(ranked) < 2 or _is_untested(comparison, metric.name):
        return
    best, second = sorted(ranked, key=lambda result: -sign_of(metric) * result.summary[metric.name])[:2]
    differences = best.array(metric.name) - second.array(metric.name)
    differences = differences[~np.isnan(differences)]
    n_changed = int(np.count_nonzero(differences))
    if len(differences) < MIN_CHANGED_FOR_POWER or not n_changed or _are_apart(comparison, best.name, second.name):
        return
    if n_changed < MIN_CHANGED_FOR_POWER:
        changed = f"{n_changed} of {len(differences):,} queries differ between {best.name} and {second.name}"
        yield f"Only {changed}, too few to estimate which difference the test can detect."
        return
    smallest = minimum_detectable_effect(differences, POWER, alpha=comparison.how.alpha)
    about = milliseconds(smallest) if metric.metric.view == "timing" else two_digits(smallest)
    yield (
        f"With {len(differences):,} queries like these, the test detects a difference of about {about} between {best.name} "
        f"and {second.name} in {10 * POWER:g} of 10 cases."
    )


def _are_apart(comparison: Comparison, *systems: str) -> bool:
    """Whether the two systems were compared on the first metric and differ significantly."""
    metric = comparison.metrics[0].name
    pairs = [pair for pair in comparison.pairs if pair.metric == metric and {pair.a, pair.b} == set(systems)]
    return any(pair.is_significant for pair in pairs)


def _is_untested(comparison: Comparison, metric: str) -> bool:
    return any(pair.untested for pair in comparison.pairs if pair.metric == metric)
