"""Overlap: what two lists of tokens have in common, and how much of each that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple


class Overlap(NamedTuple):
    """How much two texts share, and how much there is of each."""

    shared: int
    n_answer: int
    n_reference: int

    @property
    def precision(self) -> float:
        """Share of the answer that the reference has."""
        return self.shared / self.n_answer if self.n_answer else 0.0

    @property
    def recall(self) -> float:
        """Share of the reference that the answer has."""
        return self.shared / self.n_reference if self.n_reference else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both: twice what is shared, over all there is."""
        total = self.n_answer + self.n_reference
        return 2 * self.shared / total if total else 0.0


def overlap(answer: Sequence[Hashable], reference: Sequence[Hashable], count: str = "bag") -> Overlap:
    """Tokens in common, as a set or with repetitions."""
    if count == "set":
        ours, theirs = set(answer), set(reference)
        return Overlap(len(ours & theirs), len(ours), len(theirs))
    shared = shared_counts(Counter(answer), Counter(reference))
    return Overlap(shared, len(answer), len(reference))


def shared_counts(ours: Mapping[Hashable, int], theirs: Mapping[Hashable, int]) -> int:
    """How many tokens two counts share, repetitions included."""
    both = ours.keys() & theirs.keys()
    return sum(map(min, map(ours.__getitem__, both), map(theirs.__getitem__, both)))


def token_f1(answer: list[str], references: list[list[str]], count: str) -> float:
    """F1 of the tokens, with the reference most alike; where one side has none, whether the other has none either."""
    return max(
        overlap(answer, one, count).f1 if answer and one else float(answer == one)  # tokens of SQuAD may be none
        for one in references
    )


def is_one_of(answer: list[str], references: list[list[str]]) -> float:
    """Whether a reference has the same tokens in the same order."""
    return float(answer in references)


def ngrams(tokens: Sequence[str], n: int) -> list[Hashable]:
    """Stretches of n tokens, one from each place on."""
    return list(tokens) if n == 1 else list(zip(*[tokens[start:] for start in range(n)], strict=False))


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """How long the longest sequence is that both have, with gaps.

    After Hyyrö 2004, Bit-parallel LCS-length computation revisited, AWOCA. Each token of the shorter text has a bit, so
    that a row of the usual table is one sum of large integers.
    """
    if len(first) > len(second):
        first, second = second, first
    places: dict[str, int] = {}
    bit = 1
    for token in first:
        places[token] = places.get(token, 0) | bit
        bit <<= 1
    row = full = bit - 1
    for token in second:
        if match := places.get(token):
            met = row & match
            row = (row + met) | (row - met)
    return (~row & full).bit_count()
