"""LaTeX tables in booktabs style, the best figure of each metric in bold."""

from __future__ import annotations

from assay.reports._cells import Cell, Table
from assay.reports._report import Renderer, Report
from assay.reports._table import coverage, notes, query_table, summary_table

ESCAPES = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "≥": r"$\geq$",
    ">": r"\textgreater{}",
    "<": r"\textless{}",
    "–": "--",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "[": "{[}",
    "*": "{*}",
}


def render_latex(report: Report) -> str:
    """A tabular per table, ready to be input; title, coverage and notes come as comments."""
    title = [report.title] if report.title else []
    parts = [f"% {line}" for line in (*title, coverage(report), *notes(report))]
    for result in report.results if report.per_query else ():
        parts += [f"% {report.label(result)}", _as_latex(query_table(report, result))]
    if report.shown:
        parts.append(_as_latex(summary_table(report)))
    return "\n".join(parts) + "\n"


def _as_latex(table: Table) -> str:
    lines = [
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        _row([_escaped(name) for name in table.head]),
        r"\midrule",
        *(_row([_cell(cell) for cell in row]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _row(cells: list[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(cell: Cell) -> str:
    text = _escaped(cell.text)
    return rf"\textbf{{{text}}}" if cell.is_best else text


def _escaped(text: str) -> str:
    return "".join(ESCAPES.get(letter, letter) for letter in text)


RENDERER = Renderer("latex", render_latex, "a booktabs tabular for papers")
