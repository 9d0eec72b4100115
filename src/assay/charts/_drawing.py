"""Drawing: what comes out of a chart: a specification, what it says in words, and the rows behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from assay.text import printable, wrapped

Spec = dict[str, Any]
Row = Mapping[str, Any]
TITLE_WIDTH, NOTE_WIDTH = 64, 84
"""Letters of a line of them."""
NARROW = 340
"""Points of a chart on the screen of a phone, with all that stands around it."""
NARROW_PLOT = 190
"""Points of its plot, where rows have a fixed height: names stand beside it."""
NARROW_TITLE, NARROW_NOTE = 38, 54
NARROW_LABEL = 110
"""Points of a name beside a narrow plot."""
UNFIT = {
    **dict.fromkeys((0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A))),
}
"""What no XML may hold, and marks that turn the direction of writing, by which one name can look like another."""
BACKSLASH = "\N{SET MINUS}"
"""Looks like one, and is none."""


@dataclass(frozen=True)
class Drawing:
    """A chart: what draws it, what it says in words, and the rows behind it."""

    spec: Spec
    title: str
    alt: str
    """What a reader who does not see it is told: the figures, in a sentence or two."""
    rows: tuple[Row, ...]
    """The data as a table; the same as in the specification, with names that people read."""
    note: str = ""
    """What one should know to read it, below its title: that points were counted in cells, where figures are from."""

    def finished(self) -> Drawing:
        """The same with its words in the specification, and nothing in it that could do harm or be no JSON."""
        note = f"{self.note}." if self.note else ""
        alt = harmless(" ".join(filter(None, (self.alt, note))))
        head: Spec = {"text": _lines(self.title, TITLE_WIDTH)}
        if self.note:
            head["subtitle"] = _lines(self.note, NOTE_WIDTH)
        spec = _plain({**self.spec, "title": head, "description": alt})
        return replace(self, spec=spec, title=harmless(self.title), alt=alt, rows=tuple(map(_plain, self.rows)))

    def sized(self, width: int | None = None, height: int | None = None) -> Drawing:
        """The same, its plot so many points wide and high; what is not given stays."""
        given = {name: size for name, size in (("width", width), ("height", height)) if size is not None}
        return replace(self, spec={**self.spec, **given})

    def narrowed(self) -> Drawing:
        """The same for the screen of a phone: a narrow plot, what the colours mean below it, and its words on more lines."""
        legend = {"orient": "bottom", "columns": 1, "direction": "vertical"}
        axis = {"labelLimit": NARROW_LABEL}
        spec = {**self.spec, "config": {"legend": legend, "axis": axis}}
        width, height = self.spec.get("width"), self.spec.get("height")
        if isinstance(width, int) and isinstance(height, int):
            spec |= {"width": NARROW, "autosize": {"type": "fit-x", "contains": "padding"}}
        elif isinstance(width, int):
            spec |= {"width": NARROW_PLOT}
        head = {"text": _lines(self.title, NARROW_TITLE)}
        if self.note:
            head["subtitle"] = _lines(self.note, NARROW_NOTE)
        return replace(self, spec={**spec, "title": head})


def harmless(text: str) -> str:
    """The text on one line, without what no XML may hold: what draws charts dies of it."""
    return printable(text).translate(UNFIT)


def _plain(part: Any) -> Any:
    """Numbers that JSON has, and text that does no harm, however deep."""
    if isinstance(part, str):
        return harmless(part)
    if isinstance(part, float):
        return part if math.isfinite(part) else None
    if isinstance(part, Mapping):
        return {name: _heading(one) if name == "title" else _plain(one) for name, one in part.items()}
    return [_plain(one) for one in part] if isinstance(part, list | tuple) else part


def _heading(title: Any) -> Any:
    """What stands at an axis or in a tooltip, without backslashes: Vega-Lite copies it into formulas, where they count."""
    return harmless(title).replace("\\", BACKSLASH) if isinstance(title, str) else _plain(title)


def _lines(text: str, width: int) -> list[str]:
    return wrapped(harmless(text), width).split("\n")
