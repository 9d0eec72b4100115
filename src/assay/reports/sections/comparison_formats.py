"""A comparison in every format: at the terminal, in Markdown, LaTeX, CSV and JSON, and with slices beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.catalog import find_entry
from assay.comparison import (
    UNKNOWN,
    Comparison,
    Figures,
    RankAgreement,
    SliceComparison,
    WorstSlices,
    beaten_by,
    letter,
    letters_of,
)
from assay.errors import UsageError
from assay.evaluation import Result, with_intervals
from assay.masking import mask
from assay.metrics import BoundMetric
from assay.reports.markup import (
    Sheet,
    csv_from_rows,
    escape_latex,
    escape_markdown,
    json_text,
    markdown_table,
    render_sheets,
    tabular,
)
from assay.reports.outputs import ENDINGS, check_endings, check_outputs, form_of
from assay.reports.report import Report
from assay.reports.sections.comparison import (
    ComparisonReport,
    baseline_table,
    correction_text,
    effect_text,
    has_baseline,
    head_line,
    legend,
    level_text,
    n_queries_text,
    p_short,
    pairs_of_first,
    places,
    record_text,
    shown_pairs,
    test_text,
    title_of,
    with_letters,
)
from assay.reports.sections.moved_queries import all_movers, error_lines, missing_lines, mover_lines, preview, rankings_table
from assay.reports.sections.run_notes import chunk_sheets, failure_notes
from assay.reports.sections.scores import notes
from assay.reports.sections.slices import agreement_sheets, slice_comparison_sheets, worst_slices_sheets
from assay.reports.table import Cell, Table
from assay.reports.text_layout import BOLD, DIM, Style, fit_table
from assay.text import printable


def render_markdown(report: ComparisonReport) -> str:
    """A section for each comparison."""
    return "\n\n".join("\n\n".join(_markdown_parts(comparison, report)) for comparison in report.comparisons) + "\n"


def _markdown_parts(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    figures = Figures(report.digits)
    yield f"## {escape_markdown(title_of(comparison) or 'Comparison')}"
    yield escape_markdown(printable(comparison.verdict))
    yield escape_markdown(head_line(comparison))
    for result in comparison.results:
        yield f"### {escape_markdown(printable(result.name))}"
        yield markdown_table(_summary(comparison, result, figures))
    baseline = comparison.how.baseline
    yield "### Significance" if baseline is None else f"### Significance against {escape_markdown(printable(baseline))}"
    yield markdown_table(_pairs(comparison, figures))
    if lines := [remark for remark in remarks(comparison)[1:] if remark]:
        yield "\n".join(f"- {escape_markdown(printable(remark))}" for remark in lines)
    for sheet in chunk_sheets(comparison.results):
        yield f"### {escape_markdown(printable(sheet.title))}"
        yield markdown_table(sheet.table)
    yield from _movers(comparison, report)


def _summary(comparison: Comparison, result: Result, figures: Figures) -> Table:
    """One system: metric, value, interval."""
    how = comparison.how
    intervals = with_intervals(result, level=how.level, seed=how.seed).intervals
    rows = []
    for metric in comparison.metrics:
        confidence = intervals.get(metric.name)
        value = figures.value(metric, result.summary[metric.name])
        is_known = confidence is not None and not math.isnan(confidence.low)
        interval = (
            f"{figures.value(metric, confidence.low)} – {figures.value(metric, confidence.high)}"
            if confidence and is_known
            else UNKNOWN
        )
        rows.append([Cell(metric.name), Cell(value, result.name in places(comparison, metric)[0]), Cell(interval)])
    return Table(["metric", "value", f"{level_text(comparison)} CI"], rows)


def _pairs(comparison: Comparison, figures: Figures) -> Table:
    """Each pair and metric: the difference, its interval, p, effect, and whether it is significant."""
    rows = []
    for pair in comparison.pairs:
        metric = comparison.metric(pair.metric)
        texts = (
            f"{printable(pair.b)} vs {printable(pair.a)}",
            pair.metric,
            figures.change(metric, pair.difference),
            figures.interval(metric, pair),
            p_short(pair.p_corrected),
            effect_text(pair.cohens_d),
            record_text(pair),
            UNKNOWN if math.isnan(pair.p) else "yes" if pair.is_significant else "no",
        )
        rows.append([Cell(text) for text in texts])
    interval = f"{level_text(comparison)} CI of diff"
    heads = ["comparison", "metric", "diff", interval, "p", "effect", "better/same/worse", "significant"]
    return Table(heads, rows, frozenset({0, 1}))


def _movers(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    figures = Figures(report.digits)
    for words, movers in all_movers(comparison, report.worst, report.best):
        yield f"### {escape_markdown(words.rstrip(':.'))}"
        for mover in movers:
            metric = comparison.metric(mover.metric)
            move = f"{figures.value(metric, mover.score_a)} → {figures.value(metric, mover.score_b)}"
            asked = f" “{escape_markdown(printable(mover.text))}”" if mover.text else ""
            yield f"**{escape_markdown(printable(mover.query))}**{asked} {move}"
            if errors := list(error_lines(mover)):
                yield "\n".join(f"- {escape_markdown(line)}" for line in errors)
            if mover.ranking_a or mover.ranking_b:
                yield markdown_table(rankings_table(mover))
            if lines := list(missing_lines(mover)):
                yield "\n".join(f"- {escape_markdown(line)}" for line in lines)


LETTERS_LEGEND = "Raised letters: significantly better than the system of that letter."


def render_console(report: ComparisonReport) -> str:
    """One comparison after the other; plain when nobody watches."""
    return "\n".join("\n\n".join(_console_parts(comparison, report)) + "\n" for comparison in report.comparisons)


def _console_parts(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    style, figures = Style(report.width, report.colour), Figures(report.digits)
    title = title_of(comparison)
    head = [style.styled(style.wrapped(title), BOLD)] if title else []
    yield "\n".join([*head, style.styled(style.wrapped(head_line(comparison)), DIM)])
    if has_baseline(comparison):
        yield "\n\n".join(fit_table(baseline_table(comparison, figures), style))
    else:
        yield from _all_pairs(comparison, figures, style)
    hint = "" if report.worst or report.best else preview(comparison, figures)
    sentences = [comparison.verdict, hint, *remarks(comparison)]
    yield "\n".join(style.wrapped(printable(sentence)) for sentence in sentences if sentence)
    for words, movers in all_movers(comparison, report.worst, report.best):
        yield style.wrapped(words)
        yield from (mover_lines(mover, comparison, figures, style) for mover in movers)


def _all_pairs(comparison: Comparison, figures: Figures, style: Style) -> Iterator[str]:
    """All systems with letters, then the pairs on the metric that decides."""
    yield "\n\n".join(fit_table(with_letters(comparison, figures), style))
    n_pairs, n_shown = len(comparison.pairs) // len(comparison.metrics), len(shown_pairs(comparison))
    cut = f"  {n_shown} of {n_pairs:,} pairs: the best system and those closest to it; csv has all."
    more = [style.wrapped(cut)] if n_shown < n_pairs else []
    yield "\n".join(["\n\n".join(fit_table(pairs_of_first(comparison, figures), style)), *more])


def remarks(comparison: Comparison) -> list[str]:
    """What signs mean, what was not the same, and what a careful reader should know about the runs."""
    letters = [] if has_baseline(comparison) or not any(pair.better for pair in comparison.pairs) else [LETTERS_LEGEND]
    differs = [f"Not the same: {note}; what they share is compared." for note in comparison.notes]
    failed = failure_notes(comparison.results, "")
    signs = " ".join([*letters, legend(comparison)]).strip()
    return [signs, *differs, *comparison.remarks, *failed, *notes(Report(comparison.results, points_on=False))]


SCHEMA = "assay.comparison/1"


def render_csv(report: ComparisonReport) -> str:
    """Every figure of every pair; empty where one is not defined."""
    fronts = [name for name in ("benchmark", "slice") if any(_front(comparison)[name] for comparison in report.comparisons)]
    rows = [
        {**{name: _front(comparison)[name] for name in fronts}, **row}
        for comparison in report.comparisons
        for row in comparison.table()
    ]
    return csv_from_rows(rows, report.digits)


def _front(comparison: Comparison) -> dict[str, str]:
    return {"benchmark": printable(comparison.results[0].benchmark), "slice": printable(comparison.part)}


def render_json(report: ComparisonReport) -> str:
    """All of each comparison. Later versions add keys; these stay."""
    return json_text(
        {"schema": SCHEMA, "comparisons": [comparison_to_dict(comparison, report) for comparison in report.comparisons]}
    )


def comparison_to_dict(comparison: Comparison, report: ComparisonReport) -> dict[str, Any]:
    """One comparison: figures, intervals, every query, and the queries that moved, as far as they are asked for."""
    plain = comparison.to_dict()
    how = comparison.how
    about = {"benchmark": comparison.results[0].benchmark} if comparison.results[0].benchmark else {}
    plain["intervals"] = {
        result.name: {
            name: interval.to_dict()
            for name, interval in with_intervals(result, level=how.level, seed=how.seed).intervals.items()
        }
        for result in comparison.results
    }
    plain["per_query"] = {metric.name: comparison.per_query(metric.name) for metric in comparison.metrics}
    if report.worst or report.best:
        plain["movers"] = [
            mover.to_dict() for _, movers in all_movers(comparison, report.worst, report.best) for mover in movers
        ]
    return {**about, **round_numbers(plain, report.digits)}


def round_numbers(value: Any, digits: int | None) -> Any:
    """The value, or all numbers in it, with that many decimals; as it is where nobody asked."""
    if digits is None:
        return value
    if isinstance(value, dict):
        return {name: round_numbers(inner, digits) for name, inner in value.items()}
    if isinstance(value, list):
        return [round_numbers(inner, digits) for inner in value]
    return round(value, digits) if isinstance(value, float) else value


LATEX_PACKAGES = r"needs \usepackage{booktabs}"


def render_latex(report: ComparisonReport) -> str:
    """A tabular for each comparison, ready to be input; what a caption should say comes before it as a comment."""
    return "\n".join("\n".join(_lines(comparison, Figures(report.digits))) + "\n" for comparison in report.comparisons)


def _lines(comparison: Comparison, figures: Figures) -> Iterator[str]:
    title = title_of(comparison)
    comments = [*([title] if title else []), head_line(comparison), printable(comparison.verdict), LATEX_PACKAGES]
    yield from (f"% {line}" for line in comments)
    yield f"% caption: {_caption(comparison)}"
    columns = [_column(comparison, metric, figures) for metric in comparison.metrics]
    rows = [
        [letter(number), escape_latex(printable(name)), *(column[name] for column in columns)]
        for number, name in enumerate(comparison.names)
    ]
    head = ["", "system", *(escape_latex(metric.name) for metric in comparison.metrics)]
    yield tabular("l" * len(head), head, rows)


def _caption(comparison: Comparison) -> str:
    """What the table shows, in words of LaTeX."""
    test = ", ".join(part for part in (test_text(comparison), correction_text(comparison)) if part)
    alpha = f"$p \\leq {comparison.how.alpha:g}$"
    return (
        f"Results over {escape_latex(n_queries_text(comparison))}. Best in bold, second best underlined. "
        f"Superscripts: significantly better than that system ({escape_latex(test)}, {alpha})."
    )


def _column(comparison: Comparison, metric: BoundMetric, figures: Figures) -> dict[str, str]:
    """System → its figure, dressed up."""
    best, second = places(comparison, metric)
    beaten = beaten_by(comparison, metric.name)
    texts = {}
    for result in comparison.results:
        text = escape_latex(figures.value(metric, result.summary[metric.name]))
        dressed = (
            rf"\textbf{{{text}}}" if result.name in best else rf"\underline{{{text}}}" if result.name in second else text
        )
        letters = letters_of(beaten[result.name], len(comparison.names), "--")
        texts[result.name] = rf"{dressed}\textsuperscript{{{letters}}}" if letters else dressed
    return texts


FORMATS: dict[str, Callable[[ComparisonReport], str]] = {
    "table": render_console,
    "markdown": render_markdown,
    "latex": render_latex,
    "csv": render_csv,
    "json": render_json,
}


def find_format(name: str) -> Callable[[ComparisonReport], str]:
    """What renders that format; a near match is offered for one nobody knows."""
    return find_entry("format of comparisons", name, FORMATS)


def render_comparison(report: ComparisonReport, form: str = "table") -> str:
    """The comparisons in a format."""
    return find_format(form)(report)


def check_comparison_outputs(paths: Iterable[str], form: str = "") -> None:
    """Refuse files that could not be written, before anything is worked out."""
    paths = list(paths)
    check_endings(paths, tuple(ENDINGS), form)
    check_outputs(paths, form=form)


@dataclass(frozen=True)
class ComparisonExtras:
    """More about one comparison, as far as somebody asked for it."""

    slices: SliceComparison | None = None
    worst: WorstSlices | None = None
    agreement: tuple[RankAgreement, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain: dict[str, Any] = {}
        if self.slices is not None:
            plain["slices"] = self.slices.to_dict()
        if self.worst is not None:
            plain["worst_slices"] = self.worst.to_dict()
        if self.agreement:
            plain["agreement"] = [agreement.to_dict() for agreement in self.agreement]
        return plain


def render_with_extras(report: ComparisonReport, beside: Sequence[ComparisonExtras], form: str) -> str:
    """Each comparison with what stands beside it. In CSV, slices are rows like those of the whole."""
    if form == "csv":
        parts = [
            part
            for comparison, more in zip(report.comparisons, beside, strict=True)
            for part in (comparison, *(more.slices.parts if more.slices else ()))
        ]
        return render_comparison(replace(report, comparisons=parts), form)
    if form == "json":
        everything = [
            {**comparison_to_dict(comparison, report), **round_numbers(more.to_dict(), report.digits)}
            for comparison, more in zip(report.comparisons, beside, strict=True)
        ]
        return json_text({"schema": SCHEMA, "comparisons": everything})
    style = Style(report.width if form == "table" else None, report.colour and form == "table")
    texts = []
    for comparison, more in zip(report.comparisons, beside, strict=True):
        text = render_comparison(replace(report, comparisons=[comparison]), form)
        sheets = list(_sheets(more, Figures(report.digits), style))
        texts.append(f"{text}\n{render_sheets(sheets, form, style)}" if sheets else text)
    return "\n".join(texts)


def write_with_extras(path: Path, report: ComparisonReport, beside: Sequence[ComparisonExtras], form: str = "") -> None:
    """Write the same to a file, in the format that the ending tells; without one, in the given form."""
    plain = replace(report, width=None, colour=False)
    text = render_with_extras(plain, beside, form_of(path, form))
    with atomic_write(path) as file:
        file.write(mask(text).encode("utf-8", "surrogatepass"))


def check_fits_csv(forms: Sequence[str], flags: Sequence[str]) -> None:
    """CSV is one table with a row for each pair, in which some things have no place."""
    if "csv" in forms and flags:
        raise UsageError(f"{' and '.join(flags)} has no place in csv, which is one table; use json, markdown or table")


def _sheets(beside: ComparisonExtras, figures: Figures, style: Style) -> Iterator[Sheet]:
    if beside.slices is not None:
        yield from slice_comparison_sheets(beside.slices, figures, style.width)
    if beside.worst is not None:
        yield from worst_slices_sheets(beside.worst, figures, style.width)
    yield from agreement_sheets(beside.agreement, figures.digits)
