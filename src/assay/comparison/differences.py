"""Differences: what a sentence about two systems needs to know, whatever their values were measured on."""

from __future__ import annotations

from typing import Protocol


class Difference(Protocol):
    """Two systems on one metric: of the same queries (a `Pair`), or of different users (variants of an experiment)."""

    @property
    def difference(self) -> float:
        """The value of the second system minus the value of the first."""
        ...

    @property
    def low(self) -> float:
        """The lower end of the interval of the difference."""
        ...

    @property
    def high(self) -> float:
        """The upper end."""
        ...

    @property
    def p_corrected(self) -> float:
        """P, corrected for all comparisons."""
        ...

    @property
    def draws(self) -> int:
        """The number of random draws behind p."""
        ...

    @property
    def is_same(self) -> bool:
        """Whether nothing differs at all."""
        ...
