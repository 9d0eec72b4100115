"""markdown: sections under their headings; those that are too large cut between paragraphs."""

from __future__ import annotations

from collections.abc import Iterator

from assay.chunkers._chunker import SIZE, Chunker, Cut, Piece
from assay.chunkers._headings import Heading, outline
from assay.chunkers._measured import Measured
from assay.chunkers._packing import lines, split_by, words
from assay.grammar import Param

JOINT = " > "
DEEPEST = 6


def depth(text: str) -> int:
    """A level of headings: 1 … 6."""
    if text not in {str(level) for level in range(1, DEEPEST + 1)}:
        raise ValueError("a whole number from 1 to 6")
    return int(text)


def markdown(text: str, path: str, *, size: int, headings: int) -> Cut:  # noqa: ARG001 (whatever the ending is)
    """A heading with no text of its own goes with the section that follows. A `#` in fenced code is no heading.

    The title of a chunk is the path of its headings. Fenced code is cut only where it is too large by itself.
    """
    found = outline(text)
    measured = Measured(text)
    levels = (lambda _: found.blocks, lines, words)
    chosen = [heading for heading in found.headings if heading.level <= headings]
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
        path = [*(one for one in path if one.level < heading.level), heading]
        if text[heading.end : stop].strip() or stop == len(text):
            yield start, stop, JOINT.join(one.title for one in path if one.title)
            start = stop
    if not headings:
        yield 0, len(text), ""


CHUNKER = Chunker(
    "markdown",
    "sections under their headings; those that are too large cut between paragraphs",
    markdown,
    params=(SIZE, Param("headings", depth, DEEPEST, "the deepest level of headings that starts a chunk")),
)
