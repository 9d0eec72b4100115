"""BLEU: matches of n-grams with all references at once, and the score that follows from them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from assay.grammar import Param
from assay.metrics._overlap import ngrams, shared_counts

FLOOR, ADDED = 0.1, 1.0
"""What stands in for no match, and what is added to matches and to n-grams alike, as sacrebleu has it."""
MOST = 4


def order(text: str) -> int:
    """The longest n-grams that count."""
    if text not in ("1", "2", "3", "4"):
        raise ValueError(f"a whole number from 1 to {MOST}")
    return int(text)


N = Param("n", order, MOST, "n-grams of 1 to n words count, all the same", shown=True)


class Matches(NamedTuple):
    """For each length of n-grams how many match and how many there are; and the words of both sides."""

    found: tuple[float, ...]
    total: tuple[float, ...]
    n_answer: float
    n_reference: float
    """Of the reference that is nearest in length; of two as near, the shorter."""


def matches(answer: Sequence[str], references: Sequence[Sequence[str]], n: int) -> Matches:
    """An n-gram matches as often as the reference that has it most often has it."""
    nearest = min((abs(len(one) - len(answer)), len(one)) for one in references)[1]
    found: list[float] = []
    for size in range(1, n + 1):
        if found and not found[-1]:  # where shorter ones do not match, longer ones cannot
            found.append(0)
            continue
        ours = Counter(ngrams(answer, size))
        theirs = [Counter(ngrams(one, size)) for one in references]
        most = theirs[0] if len(theirs) == 1 else reduce(or_, theirs)
        found.append(shared_counts(ours, most))
    total = tuple(max(len(answer) - size, 0) for size in range(n))
    return Matches(tuple(found), total, len(answer), nearest)


def bleu_of(of: Matches, smooth: str) -> float:
    """The geometric mean of the precisions, lowered for answers that are too short; 0 where not one word matches.

    Lengths of which the answer has no n-gram do not count, so that a short answer can be perfect.
    """
    if not any(of.found):
        return 0.0
    logs, halved = [], 1.0
    for place, (found, total) in enumerate(zip(of.found, of.total, strict=True)):
        if smooth == "add_k" and place:
            found, total = found + ADDED, total + ADDED
        if not total:
            break
        if not found:
            halved *= 2
            found = {"exp": 1 / halved, "floor": FLOOR, "none": 0.0, "add_k": 0.0}[smooth]
        if not found:
            return 0.0
        logs.append(math.log(found / total))
    brevity = min(0.0, 1.0 - of.n_reference / of.n_answer)
    return math.exp(brevity + math.fsum(logs) / len(logs))
