"""A comparison: the sections, tables and sentences that show it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.comparison import (
    UNKNOWN,
    Comparison,
    Figures,
    Pair,
    beaten_by,
    correction_text,
    letter,
    letters_of,
    notes_on_unjudged,
)
from assay.errors import UsageError
from assay.evaluation import Result, with_intervals
from assay.metrics import BoundMetric
from assay.reports.json_output import json_text
from assay.reports.layout import Style
from assay.reports.rendering import render_sections
from assay.reports.report import Report
from assay.reports.sections.changes import changes_sentence
from assay.reports.sections.comparison_head import head_line, legend, level_text, n_queries_text, test_text, title_of
from assay.reports.sections.moved_queries import mover_sections, movers_to_dict, preview, reference_of
from assay.reports.sections.run_notes import failure_notes, shared_sections
from assay.reports.sections.scores import notes
from assay.reports.sections.slices import agreement_sections, slice_comparison_sections, worst_slices_sections
from assay.reports.sections.stability import stability_sections
from assay.reports.sections.verdicts import (
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
    Cell,
    Column,
    Mark,
    Notes,
    Paragraph,
    Section,
    Table,
    cells,
    columns,
    table_from_rows,
    table_section,
)
from assay.text import display_width

if TYPE_CHECKING:
    from assay.comparison import RankAgreement, SliceComparison, SystemStability, WorstSlices

MAX_PAIRS = 20
"""Pairs that are shown if there are many; csv and json have all pairs."""
SCHEMA = "assay.comparison/1"
LETTERS_LEGEND = "Raised letters: significantly better than the system with that letter."
LATEX_PACKAGES = r"needs \usepackage{booktabs}"


@dataclass(frozen=True)
class ComparisonExtras:
    """Additional parts of one comparison, if they were requested."""

    slices: SliceComparison | None = None
    worst: WorstSlices | None = None
    agreement: tuple[RankAgreement, ...] = ()
    stability: tuple[SystemStability, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain: dict[str, Any] = {}
        if self.slices is not None:
            plain["slices"] = self.slices.to_dict()
        if self.worst is not None:
            plain["worst_slices"] = self.worst.to_dict()
        if self.agreement:
            plain["agreement"] = [agreement.to_dict() for agreement in self.agreement]
        if self.stability:
            plain["stability"] = [stability.to_dict() for stability in self.stability]
        return plain


@dataclass(frozen=True)
class ComparisonReport:
    """Comparisons, one for each benchmark, and how much of them to show."""

    comparisons: Sequence[Comparison]
    worst: int = 0
    """The number of queries with the largest losses to show with their rankings."""
    best: int = 0
    digits: int | None = None
    """Decimals; None leaves it to the format (3 in formats for people, all decimals in formats for programs)."""
    residuals: bool = False
    """Whether to show the range of each difference over the grades of unjudged documents."""
    extras: Sequence[ComparisonExtras] = ()
    """The additional parts of each comparison; empty: none."""

    @property
    def figures(self) -> Figures:
        """Formats values for people."""
        return Figures(self.digits)

    @property
    def with_extras(self) -> list[tuple[Comparison, ComparisonExtras]]:
        """Each comparison with its additional parts."""
        extras = self.extras or [ComparisonExtras()] * len(self.comparisons)
        return list(zip(self.comparisons, extras, strict=True))


def render_comparisons(report: ComparisonReport, form: str = "table", style: Style | None = None) -> str:
    """Render the comparisons in a format. JSON has everything; later versions only add keys."""
    if form == "json":
        content = [
            {**_comparison_to_dict(comparison, report), **_round_numbers(extras.to_dict(), report.digits)}
            for comparison, extras in report.with_extras
        ]
        return json_text({"schema": SCHEMA, "comparisons": content})
    return render_sections(comparison_sections(report, form), form, style)


def comparison_sections(report: ComparisonReport, form: str = "table") -> tuple[Section, ...]:
    """The sections of each comparison and of its additional parts. In CSV, slices are rows like all others."""
    if form == "csv":
        return (table_section(_exact_table(report)),)
    make = {"table": _terminal_sections, "latex": _paper_sections}.get(form, _document_sections)
    return tuple(
        section
        for comparison, extras in report.with_extras
        for section in (*make(comparison, report), *_extra_sections(extras, report.figures))
    )


def _extra_sections(extras: ComparisonExtras, figures: Figures) -> Iterator[Section]:
    if extras.slices is not None:
        yield from slice_comparison_sections(extras.slices, figures)
    if extras.worst is not None:
        yield from worst_slices_sections(extras.worst, figures)
    yield from agreement_sections(extras.agreement, figures.digits)
    yield from stability_sections(extras.stability)


def check_fits_csv(forms: Sequence[str], flags: Sequence[str]) -> None:
    """Refuse options whose output does not fit into CSV, which is one table with a row for each pair."""
    if "csv" in forms and flags:
        raise UsageError(
            f"{' and '.join(flags)} cannot be used with csv, which is a single table. Use json, markdown or table"
        )


# In a terminal: what matters most, and how to see more.


def _terminal_sections(comparison: Comparison, report: ComparisonReport) -> Iterator[Section]:
    figures = report.figures
    if has_baseline(comparison):
        tables = [baseline_table(comparison, figures)]
    else:
        tables = [letters_table(comparison, figures), pairs_table(comparison, figures)]
    hint = "" if report.worst or report.best else preview(comparison, figures)
    doubts = doubts_on(comparison, report)
    texts = (comparison.verdict, changes_sentence(comparison), *doubts, hint, *remarks(comparison))
    sentences = Notes(tuple(filter(None, texts)))
    yield Section("comparison", title_of(comparison), (*tables, sentences), head_line(comparison))
    yield from mover_sections(comparison, report.worst, report.best, figures)


def baseline_table(comparison: Comparison, figures: Figures) -> Table:
    """A row for each metric and system, with the value of the system it is compared with."""
    rows = []
    is_two = len(comparison.names) == 2
    labels = _joined_column([("metric", "system"), *((pair.metric, pair.b) for pair in comparison.pairs)], both=not is_two)
    for label, pair in zip(labels[1:], comparison.pairs, strict=True):
        metric, sign = comparison.metric(pair.metric), mark(pair)
        rows.append(
            (
                Cell(label),
                Cell(figures.value(metric, pair.value_a), mark=Mark.BEST if sign == WORSE else Mark.NONE),
                Cell(figures.value(metric, pair.value_b), mark=Mark.BEST if sign == BETTER else Mark.NONE, sign=sign),
                *_measures(comparison, pair, metric, figures),
            )
        )
    second = Column(comparison.pairs[0].b if is_two else "value", kind="verdict")
    return Table(columns(labels[0], reference_of(comparison), second, *_heads(comparison)), tuple(rows))


def _joined_column(rows: list[tuple[str, str]], *, both: bool) -> list[str]:
    """The two words of each row as one aligned column; or the first words alone."""
    if not both:
        return [first for first, _ in rows]
    width = max(display_width(first) for first, _ in rows)
    return [f"{first}{' ' * (width - display_width(first))}   {second}" for first, second in rows]


def _heads(comparison: Comparison) -> list[str]:
    record = ["better/same/worse", *(["queries"] if _has_own_n(comparison) else [])]
    return ["Δ", f"{level_text(comparison)} CI of Δ", "p", effect_name(comparison.pairs), *record]


def _measures(comparison: Comparison, pair: Pair, metric: BoundMetric, figures: Figures) -> tuple[Cell, ...]:
    return cells(
        figures.change(metric, pair.difference),
        figures.interval(metric, pair),
        p_short(pair.p_corrected, pair.draws),
        effect_text(effect_of(pair)),
        record_text(pair),
        *([f"{pair.n:,}"] if _has_own_n(comparison) else []),
    )


def _has_own_n(comparison: Comparison) -> bool:
    """Whether any pair has fewer queries than the comparison, because scores are undefined."""
    return any(pair.n != len(comparison.query_ids) for pair in comparison.pairs)


def letters_table(comparison: Comparison, figures: Figures) -> Table:
    """Systems × metrics; each value has the letters of the systems it is significantly better than."""
    wide = len(letter(len(comparison.names) - 1))
    labels = [f"{letter(number):<{wide}} {name}" for number, name in enumerate(comparison.names)]
    of_metrics = [_lettered(comparison, metric, figures) for metric in comparison.metrics]
    rows = [(Cell(label), *(some[number] for some in of_metrics)) for number, label in enumerate(labels)]
    return Table(columns(f"{'':<{wide}} system", *(metric.name for metric in comparison.metrics)), tuple(rows))


def _lettered(comparison: Comparison, metric: BoundMetric, figures: Figures) -> list[Cell]:
    """The value of each system; the best and the second best are marked, and letters name the systems it beats."""
    best, second = places(comparison, metric)
    beaten = beaten_by(comparison, metric.name)
    return [
        Cell(
            figures.value(metric, result.summary[metric.name]),
            mark=Mark.BEST if result.name in best else Mark.SECOND if result.name in second else Mark.NONE,
            letters=letters_of(beaten[result.name], len(comparison.names)),
        )
        for result in comparison.results
    ]


def pairs_table(comparison: Comparison, figures: Figures) -> Table:
    """The pairs on the first metric; if there are many, those of the best system, the closest first."""
    metric, rows = comparison.metrics[0], []
    for pair in shown_pairs(comparison):
        change, *others = _measures(comparison, pair, metric, figures)
        sign = mark(pair)
        marked = replace(change, mark=Mark.BEST if sign == BETTER else Mark.NONE, sign=sign)
        rows.append((Cell(f"{pair.a} → {pair.b}"), marked, *others))
    n_pairs, n_shown = len(comparison.pairs) // len(comparison.metrics), len(rows)
    cut = f"{n_shown} of {n_pairs:,} pairs: the best system and the systems closest to it. Use --format csv to see all."
    change_head, *heads = _heads(comparison)
    heads_of_pairs = columns(metric.name, Column(change_head, kind="verdict"), *heads)
    return Table(heads_of_pairs, tuple(rows), notes=(cut,) if n_shown < n_pairs else ())


def shown_pairs(comparison: Comparison) -> list[Pair]:
    """All pairs on the first metric; if there are many, those of the best system with the systems closest to it."""
    metric = comparison.metrics[0]
    pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
    best, _ = places(comparison, metric)
    if len(pairs) <= MAX_PAIRS or not best:
        return pairs[:MAX_PAIRS]
    ahead = [pair for pair in pairs if best & {pair.a, pair.b}]
    return sorted(ahead, key=lambda pair: abs(pair.difference))[:MAX_PAIRS]


def places(comparison: Comparison, metric: BoundMetric) -> tuple[set[str], set[str]]:
    """The systems with the best value, and those with the second best; none if all are equal."""
    values = {result.name: result.summary[metric.name] for result in comparison.results}
    known = sorted({value for value in values.values() if not math.isnan(value)}, reverse=metric.metric.higher_is_better)
    if len(known) < 2:
        return set(), set()
    best, second = ({name for name, value in values.items() if value == known[place]} for place in (0, 1))
    return best, second


def has_baseline(comparison: Comparison) -> bool:
    """Whether all systems are compared with one: a baseline, or the first of two."""
    return comparison.how.baseline is not None or len(comparison.names) == 2


# In documents: every system and every pair.


def _document_sections(comparison: Comparison, report: ComparisonReport) -> Iterator[Section]:
    figures = report.figures
    head = Paragraph(head_line(comparison))
    texts = tuple(filter(None, (changes_sentence(comparison), *doubts_on(comparison, report))))
    parts = (head, Notes(texts)) if texts else (head,)
    yield Section("comparison", title_of(comparison) or "Comparison", parts, comparison.verdict)
    for result in comparison.results:
        yield Section("system", result.name, (_summary_table(comparison, result, figures),), level=3)
    baseline = comparison.how.baseline
    title = "Significance" if baseline is None else f"Significance against {baseline}"
    below = Notes(tuple(filter(None, remarks(comparison)[1:])))
    yield Section("significance", title, (_significance_table(comparison, figures), below), level=3)
    yield from shared_sections(comparison.results, "markdown")
    yield from mover_sections(comparison, report.worst, report.best, figures)


def _summary_table(comparison: Comparison, result: Result, figures: Figures) -> Table:
    """One system: metric, value, interval."""
    how = comparison.how
    intervals = with_intervals(result, level=how.level, seed=how.seed, cluster=how.cluster).intervals
    rows = []
    for metric in comparison.metrics:
        confidence = intervals.get(metric.name)
        is_known = confidence is not None and not math.isnan(confidence.low)
        interval = (
            f"{figures.value(metric, confidence.low)} – {figures.value(metric, confidence.high)}"
            if confidence and is_known
            else UNKNOWN
        )
        best = Mark.BEST if result.name in places(comparison, metric)[0] else Mark.NONE
        value = Cell(figures.value(metric, result.summary[metric.name]), mark=best)
        rows.append((Cell(metric.name), value, Cell(interval)))
    return Table(columns("metric", "value", f"{level_text(comparison)} CI"), tuple(rows))


def _significance_table(comparison: Comparison, figures: Figures) -> Table:
    """For each pair and metric: the difference, its interval, p, effect, and whether it is significant."""
    rows = []
    for pair in comparison.pairs:
        metric = comparison.metric(pair.metric)
        rows.append(
            cells(
                f"{pair.b} vs {pair.a}",
                pair.metric,
                figures.change(metric, pair.difference),
                figures.interval(metric, pair),
                p_short(pair.p_corrected, pair.draws),
                effect_text(effect_of(pair)),
                record_text(pair),
                UNKNOWN if math.isnan(pair.p_corrected) else "yes" if pair.is_significant else "no",
            )
        )
    interval = f"{level_text(comparison)} CI of diff"
    effect = effect_name(comparison.pairs)
    heads = columns("comparison", "metric", "diff", interval, "p", effect, "better/same/worse", "significant", n_words=2)
    return Table(heads, tuple(rows))


# In papers: one table and its caption.


def _paper_sections(comparison: Comparison, report: ComparisonReport) -> Iterator[Section]:
    of_metrics = [_lettered(comparison, metric, report.figures) for metric in comparison.metrics]
    rows = [
        (Cell(letter(number)), Cell(name), *(some[number] for some in of_metrics))
        for number, name in enumerate(comparison.names)
    ]
    heads = columns("", "system", *(metric.name for metric in comparison.metrics), n_words=2)
    table = Table(heads, tuple(rows), caption=_caption(comparison))
    above = Notes((comparison.verdict, *doubts_on(comparison, report), LATEX_PACKAGES))
    yield Section("comparison", title_of(comparison), (above, table), head_line(comparison))


def _caption(comparison: Comparison) -> str:
    test = ", ".join(part for part in (test_text(comparison), correction_text(comparison)) if part)
    return (
        f"Results over {n_queries_text(comparison)}. Best in bold, second best underlined. "
        f"Superscripts: significantly better than that system ({test}, p ≤ {comparison.how.alpha:g})."
    )


# For programs.


def _exact_table(report: ComparisonReport) -> Table:
    """Every value of every pair; empty if it is undefined."""
    parts = [
        part
        for comparison, extras in report.with_extras
        for part in (comparison, *(extras.slices.parts if extras.slices else ()))
    ]
    fronts = [{"benchmark": part.results[0].benchmark, "slice": part.part} for part in parts]
    names = [name for name in ("benchmark", "slice") if any(front[name] for front in fronts)]
    rows = [
        {**{name: front[name] for name in names}, **row}
        for part, front in zip(parts, fronts, strict=True)
        for row in part.table()
    ]
    return table_from_rows(rows, digits=report.digits)


def _comparison_to_dict(comparison: Comparison, report: ComparisonReport) -> dict[str, Any]:
    """One comparison: values, intervals, every query, and the queries that changed most if requested."""
    plain = comparison.to_dict()
    how = comparison.how
    about = {"benchmark": comparison.results[0].benchmark} if comparison.results[0].benchmark else {}
    plain["intervals"] = {
        result.name: {
            name: interval.to_dict()
            for name, interval in with_intervals(
                result, level=how.level, seed=how.seed, cluster=how.cluster
            ).intervals.items()
        }
        for result in comparison.results
    }
    plain["per_query"] = {metric.name: comparison.per_query(metric.name) for metric in comparison.metrics}
    if report.residuals:
        plain["doubts"] = list(doubts_on(comparison, report))
        for row, pair in zip(plain["pairs"], comparison.pairs, strict=True):
            row["unjudged"] = comparison.unjudged(pair, thorough=True).to_dict()
    if report.worst or report.best:
        plain["movers"] = movers_to_dict(comparison, report.worst, report.best)
    return {**about, **_round_numbers(plain, report.digits)}


def _round_numbers(value: Any, digits: int | None) -> Any:
    """The value, or all numbers in it, with this many decimals; unchanged if None."""
    if digits is None:
        return value
    if isinstance(value, dict):
        return {name: _round_numbers(inner, digits) for name, inner in value.items()}
    if isinstance(value, list):
        return [_round_numbers(inner, digits) for inner in value]
    return round(value, digits) if isinstance(value, float) else value


# Sentences and short texts.


def remarks(comparison: Comparison) -> list[str]:
    """What the signs mean, what the results do not share, and notes on the runs."""
    letters = [] if has_baseline(comparison) or not any(pair.better for pair in comparison.pairs) else [LETTERS_LEGEND]
    differs = [f"The results differ: {note}. Only what they share is compared." for note in comparison.notes]
    failed = failure_notes((*comparison.results, *comparison.failed), "")
    signs = " ".join([*letters, legend(comparison)]).strip()
    return [signs, *differs, *comparison.remarks, *failed, *notes(Report(comparison.results, points_on=False))]


def doubts_on(comparison: Comparison, report: ComparisonReport) -> tuple[str, ...]:
    """What unjudged documents could change about the verdict; if requested, the range of every difference."""
    return tuple(notes_on_unjudged(comparison, every=True)) if report.residuals else comparison.doubts
