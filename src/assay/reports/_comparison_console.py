"""A comparison at the terminal: what it rests on, the figures, the verdict, and where to look next."""

from __future__ import annotations

from collections.abc import Iterator

from assay.comparison import Comparison, Figures
from assay.reports._comparison_movers import all_movers, mover_lines, preview
from assay.reports._comparison_report import ComparisonReport
from assay.reports._comparison_tables import against_one, is_against_one, pairs_of_first, shown_pairs, with_letters
from assay.reports._comparison_words import head_line, legend, title_of
from assay.reports._failures import failure_notes
from assay.reports._layout import BOLD, DIM, Style, fitted
from assay.reports._report import Report
from assay.reports._table import notes
from assay.text import printable

LETTERS = "Raised letters: significantly better than the system of that letter."


def render_console(report: ComparisonReport) -> str:
    """One comparison after the other; plain when nobody watches."""
    return "\n".join("\n\n".join(_parts(one, report)) + "\n" for one in report.comparisons)


def _parts(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    style, figures = Style(report.width, report.colour), Figures(report.digits)
    title = title_of(comparison)
    head = [style.styled(style.wrapped(title), BOLD)] if title else []
    yield "\n".join([*head, style.styled(style.wrapped(head_line(comparison)), DIM)])
    if is_against_one(comparison):
        yield "\n\n".join(fitted(against_one(comparison, figures), style))
    else:
        yield from _all_pairs(comparison, figures, style)
    hint = "" if report.worst or report.best else preview(comparison, figures)
    said = [comparison.verdict, hint, *remarks(comparison)]
    yield "\n".join(style.wrapped(printable(sentence)) for sentence in said if sentence)
    for words, movers in all_movers(comparison, report.worst, report.best):
        yield style.wrapped(words)
        yield from (mover_lines(mover, comparison, figures, style) for mover in movers)


def _all_pairs(comparison: Comparison, figures: Figures, style: Style) -> Iterator[str]:
    """All systems with letters, then the pairs on the metric that decides."""
    yield "\n\n".join(fitted(with_letters(comparison, figures), style))
    n_pairs, n_shown = len(comparison.pairs) // len(comparison.metrics), len(shown_pairs(comparison))
    cut = f"  {n_shown} of {n_pairs:,} pairs: the best system and those closest to it; csv has all."
    more = [style.wrapped(cut)] if n_shown < n_pairs else []
    yield "\n".join(["\n\n".join(fitted(pairs_of_first(comparison, figures), style)), *more])


def remarks(comparison: Comparison) -> list[str]:
    """What signs mean, what was not the same, and what a careful reader should know about the runs."""
    letters = [] if is_against_one(comparison) or not any(pair.better for pair in comparison.pairs) else [LETTERS]
    differs = [f"Not the same: {note}; what they share is compared." for note in comparison.notes]
    failed = failure_notes(comparison.results, "")
    signs = " ".join([*letters, legend(comparison)]).strip()
    return [signs, *differs, *comparison.remarks, *failed, *notes(Report(comparison.results, points_on=False))]
