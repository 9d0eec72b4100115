"""Markdown: headings, tables with the best values in bold, and lists of notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.reports.layout import Style
from assay.reports.rendering import Renderer
from assay.reports.table import Cell, Mark, Notes, Paragraph, PlainPart, Section, Table
from assay.text import printable

SPECIAL = set("\\`*_[]<>|#~")


def render_markdown(sections: Sequence[Section], style: Style) -> str:  # noqa: ARG001 (as all renderers)
    """Render sections with headings of their level; the title of a table is above it in bold."""
    return "\n\n".join(block for section in sections for block in _blocks(section) if block) + "\n"


def _blocks(section: Section) -> Iterator[str]:
    if section.title:
        yield f"{'#' * section.level} {escape_markdown(section.title)}"
    yield escape_markdown(section.lead)
    for part in section.plain_parts:
        yield from _part_blocks(part)


def _part_blocks(part: PlainPart) -> Iterator[str]:
    if isinstance(part, Paragraph):
        yield escape_markdown(part.text)
    elif isinstance(part, Notes):
        yield _list((*part.sentences, *part.commands))
    else:
        yield f"**{escape_markdown(part.title)}**" if part.title else ""
        yield _table(part) if part.rows else ""
        yield _list(part.notes)


def _list(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {escape_markdown(sentence)}" for sentence in sentences)


def _table(table: Table) -> str:
    """The table: numbers are right-aligned, and the best values are bold."""
    lines = [
        [escape_markdown(column.head) for column in table.columns],
        ["---" if column.is_words else "---:" for column in table.columns],
        *([_cell(cell) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = escape_markdown(" ".join(filter(None, (cell.text, cell.note, cell.letters, cell.sign))))
    return f"**{text}**" if cell.mark == Mark.BEST else text


def escape_markdown(text: str) -> str:
    """The text escaped for Markdown."""
    return "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in printable(text).replace("&", "&amp;"))


MARKDOWN = Renderer("markdown", render_markdown, "tables for READMEs, issues and pull requests")
