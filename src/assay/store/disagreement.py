"""Disagreements: pairs that people graded differently, with all their grades and the grade that settles them, if any."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from assay.store.judgment import PEOPLE, Judgment


class Disagreement(NamedTuple):
    """A pair that people graded differently."""

    benchmark: str
    query: str
    document: str
    grades: tuple[Judgment, ...]
    """The grades of the people, by name."""
    settled: Judgment | None = None
    """The grade that counts, and who settled it; None if it is open, so that the lower median counts."""

    @property
    def distance(self) -> float:
        """The difference between the highest and the lowest grade."""
        every = [judgment.grade for judgment in self.grades]
        return max(every) - min(every) if every else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain = {"benchmark": self.benchmark, "query": self.query, "document": self.document}
        settled = None if self.settled is None else self.settled.to_dict()
        return {**plain, "grades": [judgment.to_dict() for judgment in self.grades], "settled": settled}


def disagreements(judgments: Iterable[Judgment]) -> list[Disagreement]:
    """The pairs that people graded differently: open ones first, and of these the largest differences.

    A settled pair stays in the list, even if the people agree later. Other kinds of judgments do not count.
    """
    by_pair: defaultdict[tuple[str, str, str], list[Judgment]] = defaultdict(list)
    settled: dict[tuple[str, str, str], Judgment] = {}
    for judgment in judgments:
        pair = judgment.benchmark, judgment.query, judgment.document
        if judgment.kind == PEOPLE and judgment.is_settled:
            settled[pair] = judgment
        elif judgment.kind == PEOPLE:
            by_pair[pair].append(judgment)
    found = [
        Disagreement(*pair, tuple(sorted(by_pair[pair], key=lambda one: one.judge)), settled.get(pair))
        for pair in sorted({*by_pair, *settled})
        if pair in settled or len({judgment.grade for judgment in by_pair[pair]}) > 1
    ]
    return sorted(found, key=lambda one: (one.settled is not None, -one.distance))
