"""LaTeX: one booktabs tabular per table, ready to include in a paper; titles and notes are comments before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.reports.layout import Style
from assay.reports.rendering import Renderer
from assay.reports.table import Cell, Mark, Notes, Paragraph, Section, Table
from assay.text import printable

ESCAPES = {
    "\\": r"\textbackslash{}",
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    ">": r"\textgreater{}",
    "<": r"\textless{}",
    "–": "--",
    "−": "$-$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "[": "{[}",
    "*": "{*}",
}
MARKS = {Mark.BEST: r"\textbf", Mark.SECOND: r"\underline"}


def render_latex(sections: Sequence[Section], style: Style) -> str:  # noqa: ARG001 (as all renderers)
    """Render sections, separated by an empty line; in each, everything that is not a table comes first, as comments."""
    return "\n\n".join(filter(None, map(_section, sections))) + "\n"


def _section(section: Section) -> str:
    comments = [section.title, section.lead]
    for part in section.plain_parts:
        if isinstance(part, Paragraph):
            comments.append(part.text)
        elif isinstance(part, Notes):
            comments += [*part.sentences, *part.commands]
    tables = [line for part in section.plain_parts if isinstance(part, Table) for line in _table_lines(part)]
    return "\n".join([*_comments(comments), *tables])


def _comments(texts: Iterable[str]) -> Iterator[str]:
    """Texts as comments. They need no escaping: LaTeX ignores comments, and `printable` removes line breaks."""
    return (f"% {printable(text)}" for text in texts if text)


def _table_lines(table: Table) -> Iterator[str]:
    yield from _comments((table.title, *table.notes))
    if table.caption:
        yield f"% caption: {escape_latex(table.caption)}"
    if table.rows:
        kinds = "".join("l" if _is_left(table, place) else "r" for place in range(len(table.columns)))
        yield tabular(
            kinds, [escape_latex(column.head) for column in table.columns], (map(_cell, row) for row in table.rows)
        )


def _is_left(table: Table, place: int) -> bool:
    """Whether a column is left-aligned: text, and values followed by letters, which would not be aligned otherwise."""
    return table.columns[place].is_words or any(row[place].letters for row in table.rows)


def _cell(cell: Cell) -> str:
    text = escape_latex(" ".join(filter(None, (cell.text, cell.note, cell.sign))))
    marked = f"{MARKS[cell.mark]}{{{text}}}" if cell.mark in MARKS else text
    return rf"{marked}\textsuperscript{{{escape_latex(cell.letters)}}}" if cell.letters else marked


def tabular(columns: str, head: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    """A tabular from cells that are already LaTeX."""
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _row(head), r"\midrule", *map(_row, rows)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _row(cells: Iterable[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def escape_latex(text: str) -> str:
    """The text escaped for LaTeX."""
    return "".join(ESCAPES.get(letter, letter) for letter in printable(text))


LATEX = Renderer("latex", render_latex, "a booktabs tabular for papers")
