"""Tables and sections: what a report shows, as plain text. Renderers lay it out and escape it; nothing before them does."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol

UNKNOWN = "–"
"""The text of a cell without a figure."""
TITLE = "{}"
LOW, HIGH = "{} low", "{} high"
"""Names of columns in CSV; `{}` stands for the title of the column."""
LONGEST_CELL = 400
"""Letters of a text in a table; cards have it whole."""

Value = float | int | str | None
Kind = Literal["text", "number", "verdict", "prose"]
"""Words; figures; figures with a sign or letters behind them; running text, which a terminal breaks into lines."""


class Mark(StrEnum):
    """What is to be seen at a glance about a cell; the renderer decides how it looks."""

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
    """What it is sorted by and what CSV has, with every digit, where that is not its text; empty: it comes last."""
    mark: Mark = Mark.NONE
    note: str = ""
    """Something small beside it, such as an interval."""
    link: str = ""
    help: str = ""
    sign: str = ""
    """What is sure about a figure: ▲ ▼ ✓ ◇."""
    letters: str = ""
    """The systems that a figure is significantly better than, one letter each; they are set small and raised."""
    share: float | None = None
    """From 0 to 1: drawn as a bar beside the text."""
    tint: float | None = None
    """From -1, the worst, to 1: how strongly the cell is coloured."""
    values: tuple[tuple[str, Value], ...] | None = None
    """What CSV has in its place: names of columns and the value in each; None: its value, or its text."""


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    key: str
    """What it is called in addresses."""
    title: str | None = None
    """What stands above it; None: its key."""
    kind: Kind = "number"
    help: str = ""
    spare: int = 0
    """In which order narrow terminals do without it; 0: they never do."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.key if self.title is None else self.title)

    @property
    def head(self) -> str:
        """The title."""
        return self.title or ""

    @property
    def is_words(self) -> bool:
        """Whether it is set to the left."""
        return self.kind in ("text", "prose")


@dataclass(frozen=True)
class Table:
    """Columns and rows, what they are about, and what a reader should be told below them."""

    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    label: str = ""
    """What it is, for those who do not see it."""
    title: str = ""
    notes: tuple[str, ...] = ()
    caption: str = ""
    """What a caption should say, where it is input into a paper."""
    filters: str = ""
    """What its rows are, where a page shall offer to filter them: `queries`."""
    is_sortable: bool = True
    shapes: tuple[Table, ...] = ()
    """The same in other shapes; a terminal takes the first that fits, else the first."""
    part: ClassVar[str] = "table"


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str
    mark: Mark = Mark.NONE
    part: ClassVar[str] = "paragraph"


@dataclass(frozen=True)
class Notes:
    """Several short sentences, then commands to go on with."""

    sentences: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    """They are never broken into lines, so that they can be pasted."""
    label: str = ""
    """A word that the first sentence begins with, shown in the colour of the mark."""
    mark: Mark = Mark.NONE
    part: ClassVar[str] = "notes"


PlainPart = Table | Paragraph | Notes


class Part(Protocol):
    """What pages draw in a way of their own, such as a chart; other renderers take what it is in plain parts."""

    part: ClassVar[str]

    def plain(self) -> tuple[PlainPart, ...]:
        """The same as tables and text."""
        ...


@dataclass(frozen=True)
class Section:
    """A heading and what is below it; any of the parts, in order."""

    key: str = ""
    title: str = ""
    parts: tuple[PlainPart | Part, ...] = ()
    lead: str = ""
    level: int = 2
    """Of the heading."""

    @property
    def plain_parts(self) -> list[PlainPart]:
        """The parts as tables and text."""
        pieces = [(part,) if isinstance(part, PlainPart) else part.plain() for part in self.parts]
        return [part for some in pieces for part in some]


def table_section(table: Table) -> Section:
    """A table by itself."""
    return Section(parts=(table,))


def number(text: str, value: float, **more: Any) -> Cell:
    """A figure as people read it, sorted by its value; an undefined one comes last."""
    return Cell(text, "" if math.isnan(value) else value, **more)


def figure(text: str, value: float, low: float | None, high: float | None, **more: Any) -> Cell:
    """A figure with an interval: CSV has both ends with every digit."""
    is_known = low is not None and high is not None and not math.isnan(low)
    return number(text, value, values=((TITLE, value), (LOW, low), (HIGH, high)) if is_known else None, **more)


def words(text: str, most: int = LONGEST_CELL, **more: Any) -> Cell:
    """A text from somewhere else, cut where it would fill the page."""
    return Cell(text if len(text) <= most else text[: most - 1] + "…", **more)


def columns(*titles: str | Column, n_words: int = 1) -> tuple[Column, ...]:
    """Titles as columns: the first of words, the others of figures."""
    return tuple(
        title if isinstance(title, Column) else Column(title, kind="text" if place < n_words else "number")
        for place, title in enumerate(titles)
    )


def text_columns(*titles: str, prose: bool = False) -> tuple[Column, ...]:
    """Titles as columns of words; with `prose` the last one is running text."""
    last = len(titles) - 1
    return tuple(Column(title, kind="prose" if prose and place == last else "text") for place, title in enumerate(titles))


def cells(*texts: str) -> tuple[Cell, ...]:
    """A row of texts."""
    return tuple(map(Cell, texts))


def table_from_rows(rows: Sequence[Mapping[str, Any]], label: str = "", digits: int | None = None) -> Table:
    """Rows of values by name; columns are all names that occur, empty where a row lacks one."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    heads = tuple(Column(name, kind="text") for name in names)
    return Table(heads, tuple(tuple(_value_cell(row.get(name), digits) for name in names) for row in rows), label)


def _value_cell(value: Any, digits: int | None) -> Cell:
    """A value with every digit, unless fewer are asked for; empty where there is none."""
    if value is None:
        return Cell("")
    text = f"{value:.{digits}f}" if isinstance(value, float) and digits is not None else str(value)
    if isinstance(value, bool):
        text = text.lower()
    elif isinstance(value, list | tuple):
        text = " ".join(value)
    return Cell(text, value=text)


def anchor_of(*names: str) -> str:
    """A word that may stand behind # in an address: letters, digits and dashes, and no two names the same."""
    text = "-".join(filter(None, names))
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return plain if plain == text.lower() else f"{plain[:40]}-{_short_hash(text)}".strip("-")


def _short_hash(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def joined(parts: Sequence[str]) -> str:
    """Facts on one line."""
    return " · ".join(part for part in parts if part)
