"""Output for the terminal: titles, aligned columns, and wrapped sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.reports.layout import BOLD, DIM, Style, set_table
from assay.reports.rendering import Renderer
from assay.reports.table import Mark, Notes, Paragraph, PlainPart, Section
from assay.text import printable

COLOURS = {Mark.BEST: BOLD, Mark.MUTED: DIM, Mark.FAILED: "\x1b[1;31m", Mark.WARNED: "\x1b[1;33m"}


def render_console(sections: Sequence[Section], style: Style) -> str:
    """Render sections for a terminal. Colour only repeats what position and words say."""
    blocks = [block for section in sections for block in _blocks(section, style) if block]
    return "\n\n".join(blocks) + "\n"


def _blocks(section: Section, style: Style) -> Iterator[str]:
    head = [style.styled(_lines(section.title, style), BOLD)] if section.title else []
    yield "\n".join([*head, *([style.styled(_lines(section.lead, style), DIM)] if section.lead else [])])
    for part in section.plain_parts:
        yield from _part_blocks(part, style)


def _part_blocks(part: PlainPart, style: Style) -> Iterator[str]:
    if isinstance(part, Paragraph):
        text = _lines(part.text, style)
        yield style.styled(text, COLOURS[part.mark]) if part.mark in COLOURS else text
    elif isinstance(part, Notes):
        text = "\n".join([*(_lines(sentence, style) for sentence in part.sentences), *map(escape_console, part.commands)])
        yield text.replace(part.label, style.styled(part.label, COLOURS[part.mark]), 1) if part.label else text
    else:
        title = [style.styled(_lines(part.title, style), BOLD)] if part.title else []
        yield "\n".join([*title, *([set_table(part, style)] if part.rows else [])])
        yield "\n".join(_lines(note, style) for note in part.notes)


def _lines(text: str, style: Style) -> str:
    return style.wrapped(escape_console(text))


escape_console = printable
"""Text without control characters; cells are escaped when a table is laid out."""

CONSOLE = Renderer("table", render_console, "aligned columns for the terminal")
