"""Letters: mark in a table which systems are beaten by which, and which are not told apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from assay.comparison.comparison import Comparison

ALPHABET = "abcdefghijklmnopqrstuvwxyz"
MIN_RANGE_LENGTH = 4
"""This many neighbours or more are written as a range: a–d."""


def letter(number: int) -> str:
    """The letter of a system: a … z, then aa, ab … like the columns of a spreadsheet."""
    text = ""
    number += 1
    while number:
        number, last = divmod(number - 1, len(ALPHABET))
        text = ALPHABET[last] + text
    return text


def beaten_by(comparison: Comparison, metric: str) -> dict[str, tuple[int, ...]]:
    """System → the positions of the systems that it is significantly better than, on one metric."""
    place = {name: number for number, name in enumerate(comparison.names)}
    beaten: dict[str, list[int]] = {name: [] for name in comparison.names}
    for pair in comparison.pairs:
        if pair.metric == metric and pair.better:
            beaten[pair.better].append(place[pair.a if pair.better == pair.b else pair.b])
    return {name: tuple(sorted(numbers)) for name, numbers in beaten.items()}


def letters_of(numbers: Sequence[int], n_systems: int, stretch: str = "–") -> str:
    """`abd`, `a–e`; separated by commas if there are more systems than letters."""
    parts: list[str] = []
    for _, some in groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in some]
        if len(run) >= MIN_RANGE_LENGTH:
            parts.append(f"{letter(run[0])}{stretch}{letter(run[-1])}")
        else:
            parts += map(letter, run)
    return ("," if n_systems > len(ALPHABET) or any(stretch in part for part in parts) else "").join(parts)


def undistinguished(order: Sequence[str], alike: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups in which no pair is distinguished, so that each such pair is in at least one group."""
    place = {name: number for number, name in enumerate(order)}
    edges = sorted({tuple(sorted((place[a], place[b]))) for a, b in alike})
    known, covered = set(edges), set[tuple[int, ...]]()
    groups = []
    for edge in edges:
        if edge in covered:
            continue
        group = list(edge)
        for other in range(len(order)):
            if other not in group and all(tuple(sorted((member, other))) in known for member in group):
                group.append(other)
        group.sort()
        covered |= {(a, b) for number, a in enumerate(group) for b in group[number + 1 :]}
        groups.append([order[member] for member in group])
    return groups
