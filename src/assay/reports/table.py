"""Tables and sections: what a report shows, as plain text. Only renderers lay it out and escape it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol

from assay.text import shorten_middle

UNKNOWN = "–"
"""The text of a cell without a value."""
TITLE = "{}"
LOW, HIGH = "{} low", "{} high"
"""Names of columns in CSV; `{}` is replaced by the title of the column."""
LONGEST_CELL = 400
"""Characters of a text in a table; cards show the whole text."""

Value = float | int | str | None
Kind = Literal["text", "number", "verdict", "prose"]
"""Text; numbers; numbers followed by a sign or letters; prose, which a terminal wraps."""


class Mark(StrEnum):
    """What a cell should show at a glance; the renderer decides how it looks."""

    NONE = ""
    BEST = "best"
    SECOND = "second"
    BETTER = "better"
    WORSE = "worse"
    RELEVANT = "relevant"
    MUTED = "muted"
    PASSED = "pass"
    FAILED = "fail"
    WARNED = "warn"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Cell:
    """One field of a table."""

    text: str
    value: Value = None
    """The value for sorting and for CSV, with every digit, if that is not the text; an empty value is sorted last."""
    mark: Mark = Mark.NONE
    note: str = ""
    """A small text next to it, such as an interval."""
    link: str = ""
    help: str = ""
    sign: str = ""
    """What is significant about a value: ▲ ▼ ✓ ◇."""
    letters: str = ""
    """The systems that a value is significantly better than, one superscript letter each."""
    share: float | None = None
    """From 0 to 1: drawn as a bar next to the text."""
    tint: float | None = None
    """From -1 (worst) to 1 (best): how strongly the cell is coloured."""
    picture: str = ""
    """The address of a small image next to it; only web pages show it."""
    values: tuple[tuple[str, Value], ...] | None = None
    """What CSV has in its place: names of columns and the value in each; None: its value or its text."""


@dataclass(frozen=True)
class Column:
    """The heading of a column."""

    key: str
    """Its name in URLs."""
    title: str | None = None
    """The text of the heading; None: its key."""
    kind: Kind = "number"
    help: str = ""
    spare: int = 0
    """The order in which narrow terminals leave out columns; 0: never."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.key if self.title is None else self.title)

    @property
    def head(self) -> str:
        """The title."""
        return self.title or ""

    @property
    def is_words(self) -> bool:
        """Whether it is left-aligned."""
        return self.kind in ("text", "prose")


@dataclass(frozen=True)
class Table:
    """Columns and rows, with a title, and notes below them."""

    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    label: str = ""
    """What it is, for screen readers."""
    title: str = ""
    notes: tuple[str, ...] = ()
    caption: str = ""
    """The caption for a paper."""
    filters: str = ""
    """What its rows are, such as `queries`, if a page should offer to filter them."""
    is_sortable: bool = True
    shapes: tuple[Table, ...] = ()
    """The same table in other shapes; a terminal uses the first that fits, or the first if none fits."""
    part: ClassVar[str] = "table"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of text."""

    text: str
    mark: Mark = Mark.NONE
    part: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class Notes:
    """Several short sentences, then commands to continue with."""

    sentences: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    """They are never broken into lines, so that they can be pasted."""
    label: str = ""
    """A word at the start of the first sentence, shown in the colour of the mark."""
    mark: Mark = Mark.NONE
    part: ClassVar[str] = "notes"


PlainPart = Table | Paragraph | Notes


class Part(Protocol):
    """A part that pages render in their own way, such as a chart; other renderers use its plain parts."""

    part: ClassVar[str]

    def plain(self) -> tuple[PlainPart, ...]:
        """The same as tables and text."""
        ...


@dataclass(frozen=True)
class Section:
    """A heading and the parts below it, in order."""

    key: str = ""
    title: str = ""
    parts: tuple[PlainPart | Part, ...] = ()
    lead: str = ""
    level: int = 2
    """The level of the heading."""

    @property
    def plain_parts(self) -> list[PlainPart]:
        """The parts as tables and text."""
        pieces = [(part,) if isinstance(part, PlainPart) else part.plain() for part in self.parts]
        return [part for some in pieces for part in some]


def table_section(table: Table) -> Section:
    """A section with only a table."""
    return Section(parts=(table,))


def number(text: str, value: float, **more: Any) -> Cell:
    """A cell with a number as text, sorted by its value; undefined numbers come last."""
    return Cell(text, "" if math.isnan(value) else value, **more)


def figure(text: str, value: float, low: float | None, high: float | None, **more: Any) -> Cell:
    """A cell with a number and an interval; CSV has both ends with every digit."""
    is_known = low is not None and high is not None and not math.isnan(low)
    return number(text, value, values=((TITLE, value), (LOW, low), (HIGH, high)) if is_known else None, **more)


def words(text: str, most: int = LONGEST_CELL, **more: Any) -> Cell:
    """A cell with a text from outside, cut at its end if it is too long."""
    return Cell(text if len(text) <= most else text[: most - 1] + "…", **more)


def short_name(text: str, most: int, **more: Any) -> Cell:
    """A cell with a name, shortened in the middle if it is too long, because names mostly differ at the ends."""
    return Cell(shorten_middle(text, most), **more)


def columns(*titles: str | Column, n_words: int = 1) -> tuple[Column, ...]:
    """Titles as columns: the first of text, the others of numbers."""
    return tuple(
        title if isinstance(title, Column) else Column(title, kind="text" if place < n_words else "number")
        for place, title in enumerate(titles)
    )


def text_columns(*titles: str, prose: bool = False) -> tuple[Column, ...]:
    """Titles as columns of text; with `prose` the last one is wrapped text."""
    last = len(titles) - 1
    return tuple(Column(title, kind="prose" if prose and place == last else "text") for place, title in enumerate(titles))


def cells(*texts: str) -> tuple[Cell, ...]:
    """A row of texts."""
    return tuple(map(Cell, texts))


def table_from_rows(
    rows: Sequence[Mapping[str, Any]], label: str = "", digits: int | None = None, names: Sequence[str] = ()
) -> Table:
    """A table from rows of values by name; columns are the given names, then all that occur. Missing values are empty."""
    names = list(dict.fromkeys([*names, *(name for row in rows for name in row)]))
    heads = tuple(Column(name, kind="text") for name in names)
    return Table(heads, tuple(tuple(_value_cell(row.get(name), digits) for name in names) for row in rows), label)


def _value_cell(value: Any, digits: int | None) -> Cell:
    """A value with every digit unless fewer are requested; empty if there is none."""
    if value is None:
        return Cell("")
    text = f"{value:.{digits}f}" if isinstance(value, float) and digits is not None else str(value)
    if isinstance(value, bool):
        text = text.lower()
    elif isinstance(value, list | tuple):
        text = " ".join(value)
    return Cell(text, value=text)


def anchor_of(*names: str) -> str:
    """An anchor for a URL, with only letters, digits and dashes; different names get different anchors."""
    text = "-".join(filter(None, names))
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return plain if plain == text.lower() else f"{plain[:40]}-{_short_hash(text)}".strip("-")


def _short_hash(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def joined(parts: Sequence[str]) -> str:
    """Facts joined on one line."""
    return " · ".join(part for part in parts if part)
