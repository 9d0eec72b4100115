"""Cells: a table before it is set as text, Markdown or LaTeX."""

from __future__ import annotations

from dataclasses import dataclass


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
