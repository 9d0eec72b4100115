"""Gathering: units of a source text, one after the other, put together into pieces."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, NamedTuple

from assay.chunkers._chunker import Piece
from assay.chunkers._measured import Measured
from assay.chunkers._packing import lines, split_by, words
from assay.chunkers._scopes import definition_name

Scope = tuple[str, ...]
SMALL = 8
"""What is smaller than one part in so many of a chunk, such as the head of a class, goes with what comes next."""


class Unit(NamedTuple):
    """A stretch that is not cut: a node, or text between nodes."""

    start: int
    end: int
    scope: Scope
    node: Any = None


class Gathering:
    """Takes units in order. A piece ends where the next unit does not fit, and before and behind what is cut itself."""

    def __init__(self, measured: Measured, size: int) -> None:
        self.measured, self.size = measured, size
        self.pieces: list[Piece] = []
        self._start = 0
        """Where the piece starts that units are added to."""
        self._end = 0
        """Where the last unit ends."""
        self._units: list[Unit] = []
        self._loose: int | None = None
        """Where the comments start that stand right above the next unit."""
        self._line = 0
        """Where the last line starts that a unit starts in."""
        self._must_end = False

    def add(self, unit: Unit) -> None:
        """Put a unit to the others, or start a new piece with it."""
        place = self._place(unit.start)
        begins_line = place == 0 or self.measured.text[place - 1] == "\n"
        is_tail = not begins_line or (unit.node is not None and not unit.node.is_named)
        if self._must_end and not (is_tail and self.fits(unit.end)):
            self._end_at(place)
        self._must_end = False
        above = self._loosen(unit, place, begins_line)
        if self._units and not self.fits(unit.end):
            self._end_at(self._best_cut(unit.end, place, (above, place if begins_line else self._line)))
            if not self.fits(unit.end):
                self._end_at(place)
        if begins_line:
            self._line = place
        self._units.append(unit)
        self._end = unit.end

    def add_large(self, start: int, end: int, scope: Scope) -> None:
        """A stretch that has no parts and does not fit: it is cut into lines, and those that are too large into words."""
        self._end_at(self._place(start))
        first, *others = split_by((lines, words), self.measured, self._start, end, self.size)
        self._units = [Unit(start, first[1], scope)]
        for one, other in others:
            self._end_at(one)
            self._units = [Unit(one, other, scope)]
        self._end, self._loose = end, None

    def before_large(self, start: int) -> None:
        """Something follows that does not fit and is cut: it starts a piece, with the comments above it."""
        if self.measured.count(self._start, self._end) * SMALL > self.size:
            place = self._place(start)
            loose = self._loose if self._loose is not None and not self._is_parted(place) else None
            self._end_at(place if loose is None else loose)

    def behind_large(self) -> None:
        """What follows starts a piece, except for brackets, commas and whatever stands in the same line."""
        self._must_end = True

    def finish(self) -> list[Piece]:
        """All pieces; the last one reaches to the end of the text."""
        self._end_at(len(self.measured))
        return self.pieces

    def fits(self, end: int) -> bool:
        """Whether everything up to there is one piece."""
        return self.measured.count(self._start, end) <= self.size

    def _place(self, start: int) -> int:
        """Where to cut before a unit: where its line starts, if nothing else stands there."""
        return max(self._end, self.measured.text.rfind("\n", self._end, start) + 1) if self._has_line(start) else start

    def _has_line(self, start: int) -> bool:
        return self._end == 0 or self.measured.text[self._end - 1] == "\n" or "\n" in self.measured.text[self._end : start]

    def _is_parted(self, place: int) -> bool:
        """Whether an empty line stands between the last unit and a place."""
        return self.measured.text.count("\n", max(0, self._end - 1), place) > 1

    def _loosen(self, unit: Unit, place: int, begins_line: bool) -> int | None:
        """Where the comments above a unit start, which belong to it, or its own where it is the first of them."""
        is_comment = unit.node is not None and _is_above(unit.node)
        if self._loose is not None and self._is_parted(place):
            self._loose = None
        if is_comment and begins_line and self._loose is None:
            self._loose = place
        above = self._loose
        self._loose = above if is_comment else None
        return above

    def _best_cut(self, end: int, place: int, candidates: tuple[int | None, ...]) -> int:
        """The first of some cuts that makes a new piece which holds all up to `end`; else the place itself."""
        for cut in candidates:
            if cut is not None and cut > self._start and self.measured.count(cut, end) <= self.size:
                return cut
        return place

    def _end_at(self, place: int) -> None:
        """End the piece there, unless it would be empty; units behind that place belong to the next."""
        if place <= self._start or not self.measured.count(self._start, place):
            return
        inside = [unit for unit in self._units if unit.start < place]
        self.pieces.append(Piece(self._start, place, _title(inside)))
        self._units = [unit for unit in self._units if unit.start >= place]
        self._start = place


_ABOVE = frozenset(("attribute_item", "decorator", "inner_attribute_item"))


def _is_above(node: Any) -> bool:
    """Whether a node is about the one below it: a comment, or what some languages write like one."""
    return "comment" in node.type or node.type in _ABOVE


def _title(units: list[Unit]) -> str:
    """The class or function that all units stand in, and which one they are, if there is just one.

    Comments and brackets do not count, unless there is nothing else.
    """
    said = [unit for unit in units if unit.node is None or (unit.node.is_named and not _is_above(unit.node))] or units
    if not said:
        return ""
    scope = said[0].scope
    for unit in said[1:]:
        if unit.scope != scope:
            alike = takewhile(lambda pair: pair[0] == pair[1], zip(scope, unit.scope, strict=False))
            scope = tuple(one for one, _ in alike)
    name = definition_name(said[0].node) if len(said) == 1 and said[0].node is not None else ""
    return ".".join((*scope, name) if name else scope)
