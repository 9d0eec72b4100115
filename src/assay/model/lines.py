"""Lines of a text: which characters they are, and on which lines characters stand."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate


def count_lines(text: str) -> int:
    """How many lines a text has; the last one need not end in a line feed."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


class Lines:
    """Where each line of a text begins. A line ends in its line feed, which belongs to it; other breaks are letters."""

    def __init__(self, text: str) -> None:
        self.size = len(text)
        lengths = [len(line) + 1 for line in text.split("\n")]
        self._starts = [0, *accumulate(lengths[:-1])]
        self.n_lines = count_lines(text)

    def characters(self, start: int, end: int) -> tuple[int, int]:
        """Lines [start, end), counted from 0, as characters [start, end); what is beyond the text is left out."""
        return self._start_of(start), self._start_of(end)

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """Characters [start, end) as the lines [start, end) that they touch, counted from 0; none where there are none."""
        start, end = max(start, 0), min(end, self.size)
        first = bisect_right(self._starts, start) - 1
        return (first, bisect_right(self._starts, end - 1)) if start < end else (first, first)

    def _start_of(self, line: int) -> int:
        return self._starts[max(line, 0)] if line < self.n_lines else self.size
