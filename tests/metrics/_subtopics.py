"""What the tests of diversity share: rankings written as the subtopics of each document, and plain loops over them.

A document is written as a text with a letter for each subtopic it is relevant to: "ab"; "" is relevant to none, None was
never judged.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple

import assay

LETTERS = "abcd"


class Case(NamedTuple):
    """One query: the subtopics of the document at each rank, and of those that were judged but not retrieved."""

    ranked: Sequence[str | None]
    missed: Sequence[str] = ()


def as_rows(cases: Iterable[Case], letters: str = LETTERS) -> tuple[list[tuple[str, str, int, str]], dict[str, list[str]]]:
    """Judgments and a run that come down to these cases. Each document is judged for every subtopic."""
    judged, run = [], {}
    for number, (ranked, missed) in enumerate(cases):
        query = f"q{number}"
        docs = {f"d{place:03}": about for place, about in enumerate(ranked)}
        run[query] = list(docs)
        docs |= {f"m{place:03}": about for place, about in enumerate(missed)}
        judged += [
            (query, doc, int(letter in about), letter)
            for doc, about in docs.items()
            if about is not None
            for letter in letters
        ]
    return judged, run


def score(metric: str, ranked: Sequence[str | None], missed: Sequence[str] = ()) -> float:
    """The score of one ranking."""
    return assay.evaluate(*as_rows([Case(ranked, missed)]), metric)[metric]


def subtopics_of(ranked: Sequence[str | None], missed: Sequence[str]) -> set[str]:
    """The subtopics with a relevant document."""
    return set("".join(about or "" for about in (*ranked, *missed)))


def gain(ranked: Sequence[str | None], alpha: float, weight: Callable[[int], float], k: int | None = None) -> float:
    """Go down the ranking: a subtopic gains 1 at first, and (1 − alpha) times as much each time it comes again."""
    left = dict.fromkeys(LETTERS, 1.0)
    total = 0.0
    for rank, about in enumerate(ranked[:k], 1):
        for letter in about or "":
            total += left[letter] * weight(rank)
            left[letter] *= 1 - alpha
    return total


def ideal(ranked: Sequence[str | None], missed: Sequence[str], alpha: float) -> list[str]:
    """At each rank the document that gains most, of equals the larger id: m… before d…, later before earlier."""
    left = dict.fromkeys(LETTERS, 1.0)
    waiting = [*reversed(missed), *(about for about in reversed(ranked) if about is not None)]
    found = []
    while waiting:
        place = max(
            range(len(waiting)), key=lambda place: (round(sum(left[letter] for letter in waiting[place]), 9), -place)
        )
        found.append(waiting.pop(place))
        for letter in found[-1]:
            left[letter] *= 1 - alpha
    return found


def random_cases(seed: int, n: int) -> list[Case]:
    """Short and long rankings, the same ones for the same seed."""
    rng = random.Random(seed)

    def document() -> str:
        return "".join(letter for letter in LETTERS if rng.random() < 0.3)

    return [
        Case(
            [document() if rng.random() < 0.7 else None for _ in range(rng.randint(0, 12))],
            [document() for _ in range(rng.choice((0, 1, 3)))],
        )
        for _ in range(n)
    ]


CASES = [case for case in random_cases(1, 80) if any(about is not None for about in (*case.ranked, *case.missed))]
"""Every query has a judgment at least."""


@cache
def judgments_and_run() -> tuple[assay.Qrels, assay.Run]:
    """The cases as they are evaluated."""
    rows, run = as_rows(CASES)
    return assay.Qrels(rows), assay.Run(run)
