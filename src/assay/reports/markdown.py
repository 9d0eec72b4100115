"""Markdown tables, the best figure of each metric in bold."""

from __future__ import annotations

from assay.reports._cells import Cell, Table
from assay.reports._report import Renderer, Report
from assay.reports._table import coverage, notes, query_table, summary_table

MARKS = set("\\`*_[]<>|#~")


def render_markdown(report: Report) -> str:
    """One table of summaries, before it one per run when queries are asked for, then the notes."""
    parts = [f"### {_escaped(report.title)}"] if report.title else []
    parts.append(_escaped(coverage(report)))
    for result in report.results if report.per_query else ():
        parts += [f"**{_escaped(report.label(result))}**", _as_markdown(query_table(report, result))]
    if report.shown:
        parts.append(_as_markdown(summary_table(report)))
    said = notes(report)
    if said:
        parts.append("\n".join(f"- {_escaped(note)}" for note in said))
    return "\n\n".join(parts) + "\n"


def _as_markdown(table: Table) -> str:
    lines = [
        [_escaped(name) for name in table.head],
        ["---" if number == 0 else "---:" for number in range(len(table.head))],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = _escaped(cell.text)
    return f"**{text}**" if cell.is_best else text


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in MARKS else letter for letter in text.replace("&", "&amp;"))


RENDERER = Renderer("markdown", render_markdown, "tables for READMEs, issues and pull requests")
