"""Tables and sections: what a report shows, as plain text that renderers and templates escape, and nothing before them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.text import printable

NUMBER, TEXT = "number", "text"
STEPS = 5
"""Strengths of a tint, each way."""
LONGEST_CELL = 400
"""Letters of a text in a table; cards have it whole."""


@dataclass(frozen=True)
class Field:
    """One field of a table."""

    text: str
    sort: float | str | None = None
    """What it is sorted by, where that is not its text."""
    tone: str = ""
    """Classes: `best`, `better`, `worse`, `heat-p3` …"""
    beside: str = ""
    """Something small below it, such as an interval."""
    href: str = ""
    title: str = ""
    share: float | None = None
    """From 0 to 1: drawn as a bar beside the text."""


@dataclass(frozen=True)
class Column:
    """The head of a column."""

    head: str
    kind: str = NUMBER
    title: str = ""


@dataclass(frozen=True)
class Grid:
    """A table. With `what` it gets a box that filters: `queries`."""

    label: str
    """What it is, for those who do not see it."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Field, ...], ...]
    title: str = ""
    what: str = ""
    is_sortable: bool = True
    notes: tuple[str, ...] = ()
    part: ClassVar[str] = "grid"


@dataclass(frozen=True)
class Words:
    """A paragraph."""

    text: str
    tone: str = ""
    part: ClassVar[str] = "words"


@dataclass(frozen=True)
class Notes:
    """Several short sentences."""

    sentences: tuple[str, ...]
    part: ClassVar[str] = "notes"


@dataclass(frozen=True)
class Section:
    """A heading and what is below it; any of the parts, in order."""

    anchor: str
    title: str
    parts: tuple[Any, ...]
    lead: str = ""


def number(text: str, value: float, **more: Any) -> Field:
    """A figure as people read it, sorted by its value; an undefined one comes last."""
    return Field(text, "" if math.isnan(value) else value, **more)


def words(text: str, **more: Any) -> Field:
    """A text from somewhere else, on one line and without control characters; cut where it would fill the page."""
    plain = printable(text)
    return Field(plain if len(plain) <= LONGEST_CELL else plain[: LONGEST_CELL - 1] + "…", **more)


def tint(value: float, strongest: float) -> str:
    """The class that tints a field: blue above 0, orange below, the deeper the nearer to the strongest."""
    if not math.isfinite(value) or strongest <= 0:
        return ""
    step = min(STEPS, math.ceil(STEPS * abs(value) / strongest - 1e-9))
    return f"heat-{'p' if value > 0 else 'm'}{step}" if step else ""


def anchor_of(*names: str) -> str:
    """A word that may stand behind # in an address: letters, digits and dashes, and no two names the same."""
    text = "-".join(filter(None, names))
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return plain if plain == text.lower() else f"{plain[:40]}-{_short_hash(text)}".strip("-")


def _short_hash(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def columns(*heads: str | Column, words_first: int = 1) -> tuple[Column, ...]:
    """Heads as columns: the first of words, the others of figures."""
    return tuple(
        head if isinstance(head, Column) else Column(head, TEXT if place < words_first else NUMBER)
        for place, head in enumerate(heads)
    )


def joined(parts: Sequence[str]) -> str:
    """Facts on one line."""
    return " · ".join(part for part in parts if part)


@dataclass(frozen=True)
class Cell:
    """One field of a table."""

    text: str
    is_best: bool = False


@dataclass(frozen=True)
class Table:
    """A head and rows of cells."""

    head: list[str]
    rows: list[list[Cell]]
    left: frozenset[int] = frozenset({0})
    """Columns of words, set to the left; figures are set to the right."""
