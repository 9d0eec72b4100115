"""Moves: how the rank of each document differs between two rankings, in words and as a drawing of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assay.reports.table import Mark
from assay.text import printable

MAX_MOVES = 6
"""Relevant documents whose moves are listed."""
ARROWS = {True: ("▼", "", "▲"), False: ("↓", "", "↑")}
"""Whether a document is relevant → the arrows for down, no change and up. Only relevant documents make a ranking better."""
ROW = 12
LEFT, RIGHT = 18, 82
"""The ends of the lines, on a drawing that is 100 wide."""


class Move(NamedTuple):
    """The ranks of a document in two rankings; None if it was not retrieved."""

    document: str
    old: int | None
    new: int | None
    grade: str = ""

    @property
    def gain(self) -> int:
        """1 if it moved up, -1 if it moved down, 0 if it stayed."""
        if self.old == self.new:
            return 0
        return 1 if self.old is None or (self.new is not None and self.new < self.old) else -1

    @property
    def tone(self) -> Mark:
        """Better if a relevant document moved up."""
        return Mark.NONE if not self.gain or not self.grade else Mark.BETTER if self.gain > 0 else Mark.WORSE

    @property
    def arrow(self) -> str:
        """An arrow for the direction."""
        return ARROWS[bool(self.grade)][self.gain + 1]

    @property
    def ranks(self) -> str:
        """`1 → 32`, `1 → not retrieved`, `not retrieved → 3`."""
        return " → ".join("not retrieved" if rank is None else f"{rank:,}" for rank in (self.old, self.new))

    @property
    def words(self) -> str:
        """What happened, for readers who do not see the arrow."""
        what = {1: "up", -1: "down", 0: "no change"}[self.gain]
        return f"rank {self.ranks}, {what}{f', {self.tone}' if self.tone else ''}"

    def seen_from(self, side: int) -> str:
        """The move beside the document in the first ranking (0) or the second (1); empty if it did not move."""
        if not self.gain:
            return ""
        if side == 0:
            return f"→ {'gone' if self.new is None else f'{self.new:,}'} {self.arrow}"
        return f"{'new' if self.old is None else f'{self.old:,} →'} {self.arrow}"


class Line(NamedTuple):
    """A line from a rank on the left to a rank on the right."""

    y1: int
    y2: int
    kind: str
    is_outside: bool
    """Whether an end is below the shown ranks."""


@dataclass(frozen=True)
class Slope:
    """The moves as lines between two columns of ranks."""

    ranks: tuple[tuple[str, int], ...]
    """The text of each rank, and where it is."""
    lines: tuple[Line, ...]
    left: int = LEFT
    right: int = RIGHT

    @property
    def height(self) -> int:
        """The height of the drawing."""
        return ROW * len(self.ranks)


def moves_between(old: Sequence[str], new: Sequence[str], relevant: Mapping[str, float]) -> dict[str, Move]:
    """Document → its move, for every document of two rankings and every relevant one."""
    before, after = ({document: rank for rank, document in enumerate(some, 1)} for some in (old, new))
    return {
        document: Move(
            printable(document),
            before.get(document),
            after.get(document),
            f"{relevant[document]:g}" if document in relevant else "",
        )
        for document in dict.fromkeys((*old, *new, *relevant))
    }


def notable_moves(moves: Mapping[str, Move], depth: int) -> tuple[Move, ...]:
    """The relevant documents that moved into, out of or within the first ranks, the largest loss first."""
    some = [move for move in moves.values() if move.grade and move.gain and _best_rank(move) <= depth]
    some.sort(key=lambda move: (move.gain, move.old or depth * 100, move.new or 0))
    return tuple(some[:MAX_MOVES])


def _best_rank(move: Move) -> int:
    return min(rank for rank in (move.old, move.new) if rank is not None)


def draw_slope(moves: Mapping[str, Move], depth: int) -> Slope | None:
    """A line for every document that is among the first ranks on both sides, or relevant and on one side; None if none."""
    lines = []
    for move in moves.values():
        inside = [rank is not None and rank <= depth for rank in (move.old, move.new)]
        if all(inside) or (move.grade and any(inside)):
            kind = f"{move.tone or ('kept' if move.grade else 'other')}"
            lines.append(Line(_y(move.old, depth), _y(move.new, depth), kind, not all(inside)))
    if not lines:
        return None
    n = max([rank for move in moves.values() for rank in (move.old, move.new) if rank is not None and rank <= depth])
    is_deep = any(line.is_outside for line in lines)
    ranks = [(str(rank), _y(rank, depth)) for rank in range(1, n + 1)] + ([("…", _y(n + 1, depth))] if is_deep else [])
    below = _y(n + 1, depth)
    lines = [line._replace(y1=min(line.y1, below), y2=min(line.y2, below)) for line in lines]
    return Slope(tuple(ranks), tuple(sorted(lines, key=lambda line: line.kind != "other")))


def _y(rank: int | None, depth: int) -> int:
    return ROW * (min(depth + 1, rank or depth + 1) - 1) + ROW // 2
