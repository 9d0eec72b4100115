"""LaTeX: a tabular in booktabs style, and text that LaTeX sets as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.reports._cells import Cell, Table

ESCAPES = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "≥": r"$\geq$",
    ">": r"\textgreater{}",
    "<": r"\textless{}",
    "–": "--",
    "−": "$-$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "[": "{[}",
    "*": "{*}",
}


def as_latex(table: Table) -> str:
    """The table; figures are set to the right, the best of them in bold."""
    columns = f"l{'r' * (len(table.head) - 1)}"
    return tabular(columns, [in_latex(name) for name in table.head], ([_cell(cell) for cell in row] for row in table.rows))


def tabular(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A tabular of cells that are LaTeX already."""
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _cell(cell: Cell) -> str:
    text = in_latex(cell.text)
    return rf"\textbf{{{text}}}" if cell.is_best else text


def in_latex(text: str) -> str:
    """The text, so that LaTeX sets it as it is."""
    return "".join(ESCAPES.get(letter, letter) for letter in text)
