"""The table people read at the terminal: coverage, figures, then what to know about them."""

from __future__ import annotations

from assay.reports.report import Renderer, Report
from assay.reports.sections.scores import coverage, notes, query_table, summary_table
from assay.reports.table import Table
from assay.reports.text_layout import BOLD, DIM, Style, fit_table, needed_width


def render_console(report: Report) -> str:
    """Plain when nobody watches; colour only repeats what position and words say."""
    style = Style(report.width, report.colour)
    title = [style.styled(style.wrapped(report.title), BOLD)] if report.title else []
    parts = ["\n".join([*title, style.styled(style.wrapped(coverage(report)), DIM)])]
    for result in report.results if report.per_query else ():
        name = style.styled(style.wrapped(report.label(result)), BOLD)
        parts.append("\n".join([name, *fit_table(query_table(report, result), style)]))
    if report.shown:
        parts.append("\n\n".join(fit_table(_summary(report), style)))
    notes_below = notes(report)
    closing = [*(style.wrapped(note) for note in notes_below), *([report.next_step] if report.next_step else [])]
    if closing:
        parts.append("\n".join(closing))
    return "\n\n".join(parts) + "\n"


def _summary(report: Report) -> Table:
    """One run per row where that fits, else one metric per row."""
    if not report.width:
        return summary_table(report)
    table = summary_table(report, one_metric_per_row=False)
    other_way = summary_table(report, one_metric_per_row=True)
    return other_way if needed_width(table) > report.width >= needed_width(other_way) else table


CONSOLE = Renderer("table", render_console, "aligned columns for the terminal")
