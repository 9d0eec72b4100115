"""LaTeX tables in booktabs style, the best figure of each metric in bold."""

from __future__ import annotations

from assay.reports._latex_table import as_latex
from assay.reports._report import Renderer, Report
from assay.reports._table import coverage, notes, query_table, summary_table


def render_latex(report: Report) -> str:
    """A tabular per table, ready to be input; title, coverage and notes come as comments."""
    title = [report.title] if report.title else []
    parts = [f"% {line}" for line in (*title, coverage(report), *notes(report))]
    for result in report.results if report.per_query else ():
        parts += [f"% {report.label(result)}", as_latex(query_table(report, result))]
    if report.shown:
        parts.append(as_latex(summary_table(report)))
    return "\n".join(parts) + "\n"


RENDERER = Renderer("latex", render_latex, "a booktabs tabular for papers")
