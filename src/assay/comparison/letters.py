"""letters: every system has a letter, and bears the letters of those it is shown to be better than."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from assay.comparison.comparison import Comparison

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
LONG_STRETCH = 4
"""So many neighbours, or more, are written as a stretch: a–d."""


def letter(number: int) -> str:
    """The letter of a system: a … z, then aa, ab … as columns of a spreadsheet have them."""
    text = ""
    number += 1
    while number:
        number, last = divmod(number - 1, len(ALPHABET))
        text = ALPHABET[last] + text
    return text


def beaten_by(comparison: Comparison, metric: str) -> dict[str, tuple[int, ...]]:
    """System → the numbers of the systems it is significantly better than, on one metric."""
    place = {name: number for number, name in enumerate(comparison.names)}
    found: dict[str, list[int]] = {name: [] for name in comparison.names}
    for pair in comparison.pairs:
        if pair.metric == metric and pair.better:
            found[pair.better].append(place[pair.a if pair.better == pair.b else pair.b])
    return {name: tuple(sorted(numbers)) for name, numbers in found.items()}


def letters_of(numbers: Sequence[int], n_systems: int, stretch: str = "–") -> str:
    """`abd`, `a–e`; with commas between them where there are more systems than letters."""
    parts: list[str] = []
    for _, some in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in some]
        if len(run) >= LONG_STRETCH:
            parts.append(f"{letter(run[0])}{stretch}{letter(run[-1])}")
        else:
            parts += map(letter, run)
    return ("," if n_systems > len(ALPHABET) or any(stretch in part for part in parts) else "").join(parts)
