"""Results in documents: tables in Markdown and in LaTeX, the best figure of each metric in bold."""

from __future__ import annotations

from assay.reports.markup import escape_markdown, latex_table, markdown_table
from assay.reports.report import Renderer, Report
from assay.reports.sections.scores import coverage, notes, query_table, summary_table


def render_markdown(report: Report) -> str:
    """One table of summaries, before it one per run when queries are asked for, then the notes."""
    parts = [f"### {escape_markdown(report.title)}"] if report.title else []
    parts.append(escape_markdown(coverage(report)))
    for result in report.results if report.per_query else ():
        parts += [f"**{escape_markdown(report.label(result))}**", markdown_table(query_table(report, result))]
    if report.shown:
        parts.append(markdown_table(summary_table(report)))
    notes_below = notes(report)
    if notes_below:
        parts.append("\n".join(f"- {escape_markdown(note)}" for note in notes_below))
    return "\n\n".join(parts) + "\n"


MARKDOWN = Renderer("markdown", render_markdown, "tables for READMEs, issues and pull requests")


def render_latex(report: Report) -> str:
    """A tabular per table, ready to be input; title, coverage and notes come as comments."""
    title = [report.title] if report.title else []
    parts = [f"% {line}" for line in (*title, coverage(report), *notes(report))]
    for result in report.results if report.per_query else ():
        parts += [f"% {report.label(result)}", latex_table(query_table(report, result))]
    if report.shown:
        parts.append(latex_table(summary_table(report)))
    return "\n".join(parts) + "\n"


LATEX = Renderer("latex", render_latex, "a booktabs tabular for papers")
