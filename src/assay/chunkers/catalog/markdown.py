"""Markdown: sections by headings (CommonMark 0.31, sections 4.2, 4.3 and 4.5), and the ends of blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from assay.chunkers.chunker import SIZE, Chunker, Cut, Piece
from assay.chunkers.packing import Measured, Places, lines, split_by, words
from assay.grammar import Param

_LINE = re.compile(
    r"^ {0,3}(?:(?P<hashes>#{1,6})(?P<heading>[ \t][^\n]*)?\r?$"
    r"|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$"
    r"|(?P<underline>=+|-+)[ \t]*\r?$"
    r"|(?P<blank>)[ \t]*\r?$)",
    re.MULTILINE,
)
_CLOSING_HASHES = re.compile(r"(?:^|(?<=[ \t]))#++$")
_NO_TITLE = re.compile(r"\s*(?:[#>|`~*+=-]|\d{1,9}[.)])")
"""Lines that an underline does not turn into a heading: lists, quotes, tables, rules."""


class Heading(NamedTuple):
    """Start, level and title of a heading, and the end of the heading, where its text starts."""

    start: int
    level: int
    title: str
    end: int


class Outline(NamedTuple):
    """The headings of a text, and the places between its blocks: after empty lines outside of fenced code."""

    headings: list[Heading]
    blocks: Places


def outline(text: str) -> Outline:
    """The outline of a Markdown text. A `#` in fenced code is not a heading, and an open fence reaches to the end."""
    headings: list[Heading] = []
    blocks: list[int] = []
    fence = ""
    for match in _LINE.finditer(text):
        if fence:
            fence = "" if _closes(match, fence) else fence
        elif match["fence"] and not (match["fence"][0] == "`" and "`" in match["info"]):
            fence = match["fence"]
        elif match["hashes"]:
            headings.append(_of_hashes(match))
        elif match["underline"] and (heading := _underlined(text, match)):
            headings.append(heading)
        elif match["blank"] is not None and match.end() < len(text):
            blocks.append(match.end() + 1)
    return Outline(headings, np.array(blocks, np.int64))


def _closes(match: re.Match[str], fence: str) -> bool:
    """A fence is closed by the same character, repeated at least as often, with nothing after it."""
    return bool(match["fence"]) and match["fence"].startswith(fence) and not match["info"].strip()


def _of_hashes(match: re.Match[str]) -> Heading:
    title = _CLOSING_HASHES.sub("", (match["heading"] or "").strip()).strip()
    return Heading(match.start(), len(match["hashes"]), title, match.end())


def _underlined(text: str, match: re.Match[str]) -> Heading | None:
    """The heading in the single line between an empty line and an underline, if it is one."""
    start = text.rfind("\n", 0, max(0, match.start() - 1)) + 1
    line = text[start : match.start()]
    before = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
    if not line.strip() or before.strip() or _NO_TITLE.match(line) or line.startswith(("    ", "\t")):
        return None
    return Heading(start, 1 if match["underline"][0] == "=" else 2, line.strip(), match.end())


JOINT = " > "
DEEPEST_HEADING = 6


def depth(text: str) -> int:
    """A level of headings: 1 … 6."""
    if text not in {str(level) for level in range(1, DEEPEST_HEADING + 1)}:
        raise ValueError("a whole number from 1 to 6")
    return int(text)


def markdown(text: str, path: str, *, size: int, headings: int) -> Cut:  # noqa: ARG001 (the same for any file extension)
    """A heading without text below it belongs to the section that follows. A `#` in fenced code is not a heading.

    The title of a chunk is the path of its headings. Fenced code is cut only if it is larger than `size`.
    """
    sections = outline(text)
    measured = Measured(text)
    levels = (lambda _: sections.blocks, lines, words)
    chosen = [heading for heading in sections.headings if heading.level <= headings]
    return Cut(
        [
            Piece(start, end, title)
            for section, stop, title in _sections(text, chosen)
            for start, end in split_by(levels, measured, section, stop, size)
        ]
    )


def _sections(text: str, headings: list[Heading]) -> Iterator[tuple[int, int, str]]:
    """Start, end and title of each section."""
    path: list[Heading] = []
    start = 0
    if headings and text[: headings[0].start].strip():
        yield 0, headings[0].start, ""
        start = headings[0].start
    for number, heading in enumerate(headings):
        stop = headings[number + 1].start if number + 1 < len(headings) else len(text)
        path = [*(parent for parent in path if parent.level < heading.level), heading]
        if text[heading.end : stop].strip() or stop == len(text):
            yield start, stop, JOINT.join(parent.title for parent in path if parent.title)
            start = stop
    if not headings:
        yield 0, len(text), ""


MARKDOWN = Chunker(
    "markdown",
    "sections by headings; sections that are too large are cut between paragraphs",
    markdown,
    params=(SIZE, Param("headings", depth, DEEPEST_HEADING, "deepest heading level that starts a chunk, from 1 to 6")),
)
