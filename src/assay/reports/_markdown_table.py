"""Markdown: a table as Markdown writes one, and text that means what it says."""

from __future__ import annotations

from assay.reports._cells import Cell, Table

MARKS = set("\\`*_[]<>|#~")


def as_markdown(table: Table) -> str:
    """The table; figures are set to the right, the best of them in bold."""
    lines = [
        [in_markdown(name) for name in table.head],
        ["---" if number in table.left else "---:" for number in range(len(table.head))],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = in_markdown(cell.text)
    return f"**{text}**" if cell.is_best else text


def in_markdown(text: str) -> str:
    """The text, so that Markdown shows it as it is."""
    return "".join(f"\\{letter}" if letter in MARKS else letter for letter in text.replace("&", "&amp;"))
