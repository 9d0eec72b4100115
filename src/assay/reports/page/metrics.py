"""Metrics of a page: values with intervals and bands, significance, the gate, and the definition of each metric."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.comparison import Comparison, Pair, beaten_by, correction_text, letters_of, p_text
from assay.evaluation import SHORT_SIGN, is_short
from assay.metrics import BoundMetric, describe
from assay.monitoring import Verdict, conclusion
from assay.reports.layout import raised
from assay.reports.page.charts import draw_charts
from assay.reports.page.subject import BenchmarkReport
from assay.reports.sections.comparison import has_baseline, places, shown_pairs
from assay.reports.sections.comparison_head import deciding_text, is_corrected, legend, level_text
from assay.reports.sections.moved_queries import reference_of
from assay.reports.sections.scores import KINDS, Kind
from assay.reports.sections.verdicts import (
    ABOUT_D_Z,
    ABOUT_ES_HSD,
    BETTER,
    WORSE,
    effect_name,
    effect_of,
    effect_text,
    mark,
    p_short,
    record_text,
)
from assay.reports.table import (
    HIGH,
    LOW,
    TITLE,
    UNKNOWN,
    Cell,
    Column,
    Mark,
    PlainPart,
    Section,
    Table,
    anchor_of,
    columns,
    figure,
    number,
    text_columns,
    words,
)

SIGNS = {"pass": "✓ pass", "fail": "✗ fail", "warn": "! warn", "undecided": "? undecided", "skipped": "– skipped"}
SEVEREST = ("fail", "warn", "undecided", "pass", "skipped")
RECORD = Column("better / same / worse", help="number of queries on which the second system is better, the same, or worse")
EFFECTS = {
    "d_z": Column("d_z", help=f"{ABOUT_D_Z}: 0.2 is small, 0.5 medium, 0.8 large"),
    "ES_HSD": Column("ES_HSD", help=ABOUT_ES_HSD),
}


def metrics_section(report: BenchmarkReport) -> Section:
    """The table of metrics, with bands below it if there are any, and the rules of a gate if there is one."""
    comparison = report.comparison
    if comparison is None:
        parts = [_alone(report)]
    elif has_baseline(comparison):
        parts = [_against_one(report, comparison)]
    else:
        parts = [_side_by_side(report, comparison), _pairs(report, comparison)]
    if (bands := bands_table(report)) is not None:
        parts.append(bands)
    if report.gate is not None:
        parts.append(_gate(report))
    return Section(anchor_of("metrics", report.group), "Metrics", (*parts, *_charts(report)))


def _charts(report: BenchmarkReport) -> tuple[Any, ...]:
    """Bars for two systems; for three or more also all metrics at a glance, and which systems are not told apart."""
    if len(report.results) < 3:
        return tuple(draw_charts(report, "bars")) if len(report.results) == 2 else ()
    kinds = ["bars", *(["heat_map"] if len(report.metrics) > 1 else [])]
    comparison = report.comparison
    if comparison is None:
        return draw_charts(report, *kinds)
    deciding = comparison.metrics[0].name
    return (*draw_charts(report, *kinds), *draw_charts(report, "groups", metric=deciding, comparison=comparison))


def metric_cell(report: BenchmarkReport, metric: BoundMetric) -> Cell:
    """The name of a metric, with a link to its definition."""
    return Cell(metric.name, link=f"#{definition_anchor(metric, report.group)}", help=metric.metric.meaning)


def definition_anchor(metric: BoundMetric, group: str) -> str:
    """The anchor of a metric's definition on the page."""
    return anchor_of("definition", metric.metric.name, group)


def figure_cell(report: BenchmarkReport, place: int, metric: BoundMetric, **more: Any) -> Cell:
    """A system's value, with its interval."""
    value = float(report.shown[place].summary[metric.name])
    interval = report.intervals[place].get(metric.name)
    ends = (interval.low, interval.high) if interval is not None and report.interval(place, metric) else (None, None)
    short = f" {SHORT_SIGN}" if is_short(report.shown[place], metric) else ""
    return figure(report.figures.value(metric, value) + short, value, *ends, note=report.interval(place, metric), **more)


def _alone(report: BenchmarkReport) -> Table:
    """One result: a row for each metric."""
    beside = [
        metric
        for metric in report.first.metrics
        if metric.name in report.first.beside and not math.isnan(report.first.summary.get(metric.name, math.nan))
    ]
    rows = [
        (
            metric_cell(report, metric),
            figure_cell(report, 0, metric),
            *_gate_cells(report, metric),
            words(metric.metric.meaning),
        )
        for metric in (*report.metrics, *beside)
    ]
    heads = columns("metric", report.names[0], *_gate_heads(report), Column("what it measures", kind="text"))
    level = f"In brackets: {100 * report.level:g} % confidence intervals."
    return Table(heads, tuple(rows), "Metrics", notes=(level,))


def _against_one(report: BenchmarkReport, comparison: Comparison) -> Table:
    """A row for each metric and system, compared with the baseline or the first of two."""
    is_two = len(comparison.names) == 2
    reference = comparison.aligned.place(reference_of(comparison))
    rows = []
    for pair in comparison.pairs:
        metric, sign = comparison.metric(pair.metric), mark(pair)
        place = comparison.aligned.place(pair.b)
        rows.append(
            (
                metric_cell(report, metric),
                *(() if is_two else (words(pair.b),)),
                figure_cell(report, reference, metric, mark=Mark.BEST if sign == WORSE else Mark.NONE),
                figure_cell(report, place, metric, mark=Mark.BEST if sign == BETTER else Mark.NONE, sign=sign),
                *_measures(report, metric, pair),
                *_gate_cells(report, metric),
            )
        )
    second = report.names[1 - reference] if is_two else "value"
    heads = [
        "metric",
        *([] if is_two else [Column("system", kind="text")]),
        report.names[reference],
        second,
        *_heads(comparison),
    ]
    notes = (legend(comparison), correction_note(comparison), f"In brackets: {level_text(comparison)} confidence intervals.")
    return Table(columns(*heads, *_gate_heads(report)), tuple(rows), "Metrics", notes=tuple(filter(None, notes)))


def _heads(comparison: Comparison) -> list[str | Column]:
    tested = correction_text(comparison) or "one comparison, so no correction is needed"
    effect = EFFECTS[effect_name(comparison.pairs)]
    return ["Δ", f"{level_text(comparison)} CI of Δ", Column("p", help=tested), effect, RECORD]


def correction_note(comparison: Comparison) -> str:
    """What p is corrected for, and which metrics are not tested."""
    about = ""
    if is_corrected(comparison):
        text = correction_text(comparison)
        about = f"p is {text}." if text.startswith("corrected") else f"p is corrected: {text}."
    if not deciding_text(comparison):
        return about
    alone = f"{comparison.metrics[0].name} decides. The other metrics have single intervals and are not tested."
    return f"{alone} {about}".strip()


def _measures(report: BenchmarkReport, metric: BoundMetric, pair: Pair, sign: str = "") -> tuple[Cell, ...]:
    figures = report.figures
    tone = {BETTER: Mark.BETTER, WORSE: Mark.WORSE}.get(mark(pair), Mark.NONE)
    ends = f"[{figures.change(metric, pair.low)}, {figures.change(metric, pair.high)}]" if pair.low == pair.low else "–"
    return (
        number(figures.change(metric, pair.difference), pair.difference, mark=tone, sign=sign),
        number(ends, pair.low, values=((LOW, pair.low), (HIGH, pair.high))),
        number(p_short(pair.p_corrected, pair.draws), pair.p_corrected, help=_alone_p(pair)),
        number(effect_text(effect_of(pair)), effect_of(pair)),
        number(record_text(pair), float(pair.wins - pair.losses), values=_record(pair)),
    )


def _record(pair: Pair) -> tuple[tuple[str, int], ...]:
    counts = (("better", pair.wins), ("same", pair.ties), ("worse", pair.losses))
    return () if record_text(pair) == UNKNOWN else counts


def _alone_p(pair: Pair) -> str:
    """The uncorrected p, if the correction made a difference."""
    is_same = not pair.is_in_family or math.isnan(pair.p) or p_short(pair.p) == p_short(pair.p_corrected)
    return "" if is_same else f"{p_text(pair.p, pair.draws)} without correction"


def _side_by_side(report: BenchmarkReport, comparison: Comparison) -> Table:
    """Systems by metrics; letters say which systems a value is significantly better than."""
    n = len(comparison.names)
    best = {metric.name: places(comparison, metric)[0] for metric in comparison.metrics}
    beaten = {metric.name: beaten_by(comparison, metric.name) for metric in comparison.metrics}
    rows = []
    for place, name in enumerate(comparison.names):
        fields = [
            figure_cell(
                report,
                place,
                metric,
                mark=Mark.BEST if name in best[metric.name] else Mark.NONE,
                letters=letters_of(beaten[metric.name][name], n),
            )
            for metric in comparison.metrics
        ]
        label = f"{raised(letters_of((place,), n))} {name}"
        rows.append((Cell(label, value=place, values=((TITLE, report.names[place]),)), *fields))
    note = (
        f"Raised letters: the systems with a significantly worse value (p ≤ {comparison.how.alpha:g}). "
        f"Bold: the best value. In brackets: {level_text(comparison)} confidence intervals."
    )
    heads = [Column(metric.name, help=metric.metric.meaning) for metric in comparison.metrics]
    return Table(columns("system", *heads), tuple(rows), "Systems by metrics", notes=(note,))


def _pairs(report: BenchmarkReport, comparison: Comparison) -> Table:
    """The pairs on the first metric; if there are many, those closest to the best come first."""
    metric = comparison.metrics[0]
    shown = shown_pairs(comparison)
    rows = [
        (words(f"{pair.a} → {pair.b}"), *_measures(report, metric, pair, mark(pair)), *_gate_cells(report, metric))
        for pair in shown
    ]
    heads = ["systems", *_heads(comparison), *_gate_heads(report)]
    title = f"Pairs on {metric.name}"
    signs = legend(comparison) if any(map(mark, shown)) else ""
    notes = tuple(filter(None, (signs, correction_note(comparison))))
    return Table(columns(*heads), tuple(rows), title, title=title, notes=notes)


def _gate_heads(report: BenchmarkReport) -> list[Column]:
    return [Column("gate", kind="text")] if report.gate is not None else []


def _gate_cells(report: BenchmarkReport, metric: BoundMetric) -> tuple[Cell, ...]:
    """The gate's verdict on a metric: the most severe verdict of its rules."""
    if report.gate is None:
        return ()
    statuses = [
        verdict.status
        for verdict in _verdicts(report)
        if verdict.rule.metric is not None and verdict.rule.metric.name == metric.name
    ]
    if not statuses:
        return (Cell(""),)
    status = min(statuses, key=SEVEREST.index)
    return (Cell(SIGNS[status], value=SEVEREST.index(status), mark=Mark(status)),)


def _verdicts(report: BenchmarkReport) -> list[Verdict]:
    gate = report.gate
    return [verdict for verdict in gate.verdicts if verdict.benchmark == report.first.benchmark] if gate is not None else []


def _gate(report: BenchmarkReport) -> Table:
    """Every rule, and what the gate found."""
    rows = [
        (
            words(verdict.rule.text),
            Cell(SIGNS[verdict.status], mark=Mark(verdict.status)),
            words(verdict.provider),
            words(verdict.summary.replace("\N{MINUS SIGN}", "-")),
        )
        for verdict in _verdicts(report)
    ]
    gate = report.gate
    gate_notes = () if gate is None else (conclusion(gate), *gate.notes)
    heads = text_columns("rule", "verdict", "system", "found")
    return Table(heads, tuple(rows), "Gate", title="Gate", notes=gate_notes)


ABOUT = {
    "ties": "ties: the lowest, mean and highest value over all orders of documents with equal scores",
    "unjudged": "unjudged: the lowest and highest value over all possible grades of unjudged documents that were retrieved",
}
BANDS_TITLE = "Possible effect of ties and unjudged documents"


def bands_table(report: BenchmarkReport) -> Table | None:
    """A row for each metric and system that has a band; None if none has, because none was requested."""
    kinds = [kind for kind in KINDS if any(kind.of(result) for result in report.results)]
    rows = tuple(row for metric in _metrics(report, kinds) for row in _rows(report, metric, kinds))
    if not rows:
        return None
    several = [Column("system", kind="text")] if len(report.results) > 1 else []
    ends = [Column(f"{kind.name}: {word}") for kind in kinds for word in kind.words]
    meaning = "; ".join(ABOUT[kind.name] for kind in kinds)
    heads = columns("metric", *several, Column("value"), *ends)
    return Table(
        heads, rows, BANDS_TITLE, title=BANDS_TITLE, notes=(f"{meaning[0].upper()}{meaning[1:]}.", *_methods(report))
    )


def _metrics(report: BenchmarkReport, kinds: list[Kind]) -> list[BoundMetric]:
    """The metrics with bands in the order of the page, including metrics that are only shown next to others."""
    known = {
        metric.name: metric
        for metric in (*report.metrics, *(metric for result in report.results for metric in result.metrics))
    }
    banded = {name for kind in kinds for result in report.results for name in kind.of(result)}
    return [metric for name, metric in known.items() if name in banded]


def _rows(report: BenchmarkReport, metric: BoundMetric, kinds: list[Kind]) -> Iterator[tuple[Cell, ...]]:
    """A row for each system with a band; like the band, the value is over all queries of its result."""
    for name, result in zip(report.names, report.results, strict=True):
        bands = [kind.of(result).get(metric.name) for kind in kinds]
        if not any(bands):
            continue
        values = [float(result.summary.get(metric.name, math.nan))]
        for kind, band in zip(kinds, bands, strict=True):
            values += [float(band.columns[word].summary()) if band else math.nan for word in kind.words]
        fields = (number(report.figures.value(metric, value), value) for value in values)
        system = [words(name)] if len(report.results) > 1 else []
        yield (Cell(metric.name, help=metric.metric.meaning), *system, *fields)


def _methods(report: BenchmarkReport) -> tuple[str, ...]:
    """The bands that are not exact, and how they were computed."""
    metrics_by_method: dict[str, list[str]] = {}
    for kind in KINDS:
        for result in report.results:
            for name, band in kind.of(result).items():
                if band.method not in ("", "exact") and name not in metrics_by_method.setdefault(band.method, []):
                    metrics_by_method[band.method].append(name)
    return tuple(f"{', '.join(names)}: {method}." for method, names in metrics_by_method.items())


@dataclass(frozen=True)
class Term:
    """The definition of one metric."""

    anchor: str
    name: str
    meaning: str
    formula: str
    facts: tuple[str, ...]
    edge_cases: str


@dataclass(frozen=True)
class Definitions:
    """The definitions of all metrics."""

    terms: tuple[Term, ...]
    part: ClassVar[str] = "definitions"

    def plain(self) -> tuple[PlainPart, ...]:
        """A row for each metric."""
        rows = [(Cell(term.name), Cell(term.formula), Cell(term.meaning)) for term in self.terms]
        return (Table(text_columns("metric", "formula", "what it measures", prose=True), tuple(rows)),)


def definitions_section(report: BenchmarkReport) -> Section:
    """One entry for each metric, however many of its cutoffs are shown."""
    known: dict[str, list[BoundMetric]] = {}
    beside = [metric for metric in report.first.metrics if metric.name in report.first.beside]
    for bound in (*report.metrics, *(beside if report.comparison is None else ())):
        known.setdefault(bound.metric.name, []).append(bound)
    terms = tuple(_term(some, report.group) for some in known.values())
    return Section(anchor_of("definitions", report.group), "What the metrics mean", (Definitions(terms),))


def _term(bound: list[BoundMetric], group: str) -> Term:
    metric = bound[0].metric
    record = describe(metric)
    direction = "higher is better" if metric.higher_is_better else "lower is better"
    facts = [
        f"range {record['range']}, {direction}",
        f"summary: {record['aggregation']}",
        f"{record['citation']}" if record["citation"] else "",
    ]
    return Term(
        definition_anchor(bound[0], group),
        ", ".join(metric.name for metric in bound),
        record["meaning"],
        record["formula"],
        tuple(fact for fact in facts if fact),
        record["edge_cases"],
    )
