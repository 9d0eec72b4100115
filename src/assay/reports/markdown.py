"""Markdown tables, the best figure of each metric in bold."""

from __future__ import annotations

from assay.reports._markdown_table import as_markdown, in_markdown
from assay.reports._report import Renderer, Report
from assay.reports._table import coverage, notes, query_table, summary_table


def render_markdown(report: Report) -> str:
    """One table of summaries, before it one per run when queries are asked for, then the notes."""
    parts = [f"### {in_markdown(report.title)}"] if report.title else []
    parts.append(in_markdown(coverage(report)))
    for result in report.results if report.per_query else ():
        parts += [f"**{in_markdown(report.label(result))}**", as_markdown(query_table(report, result))]
    if report.shown:
        parts.append(as_markdown(summary_table(report)))
    said = notes(report)
    if said:
        parts.append("\n".join(f"- {in_markdown(note)}" for note in said))
    return "\n\n".join(parts) + "\n"


RENDERER = Renderer("markdown", render_markdown, "tables for READMEs, issues and pull requests")
