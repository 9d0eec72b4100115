"""Other orders of tied documents: the best, the worst, and random ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from assay.model.graded import GradedRun, tie_groups
from assay.model.ordering import Ints, spread

Words = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)
"""From one word of a sequence to the next: odd, so that none returns before all have come (the golden ratio, as in
SplitMix64).
"""


def best_order(run: GradedRun) -> GradedRun:
    """Among equals, judged documents come first, best grade first."""
    if run.ties is None:
        return run
    return run.reordered(run.ties.better + _places_by_grade(run, best_first=True))


def worst_order(run: GradedRun) -> GradedRun:
    """Among equals, judged documents come last, best grade last of all."""
    if run.ties is None:
        return run
    _, group = tie_groups(run.retrieved.query, run.ties.better)
    n_unjudged = run.ties.equal - np.bincount(group)[group]
    return run.reordered(run.ties.better + n_unjudged + _places_by_grade(run, best_first=False))


def random_orders(run: GradedRun, count: int, seed: int = 0) -> Iterator[GradedRun]:
    """Equals in orders drawn at random, every one as likely as any other.

    What is drawn for a query depends on the seed, its id and its own ties: not on other queries, nor on the order given.
    """
    if run.ties is None:
        yield from repeat(run, count)
        return
    start, group = tie_groups(run.retrieved.query, run.ties.better)
    size = run.ties.equal[start]
    # every document of every group gets a random number; the judged ones are the first of their group, best grade first
    first = np.cumsum(size) - size
    owner, nth = spread(size)
    judged = first[group] + _places_by_grade(run, best_first=True) - 1
    query, rank = run.retrieved.query[start][owner], run.ties.better[start][owner] + nth
    keys = _keys(run.query_ids, seed)
    place = np.empty(len(owner), dtype=np.int64)
    for number in range(count):
        drawn = _scrambled(_scrambled(keys + np.uint64(number))[query] + rank.astype(np.uint64) * STEP)
        place[np.lexsort((drawn, owner))] = nth
        yield run.reordered(run.ties.better + place[judged] + 1)


def _keys(query_ids: Sequence[str], seed: int) -> Words:
    """A number for each query, the same on every machine."""
    hashed = (blake2b(f"{seed} {query}".encode(errors="surrogatepass"), digest_size=8).digest() for query in query_ids)
    return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64)


def _scrambled(word: Words) -> Words:
    """Words in which every bit depends on every bit given (Steele, Lea & Flood 2014, Fast Splittable Pseudorandom Number
    Generators, OOPSLA: the finishing step of SplitMix64).
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def _places_by_grade(run: GradedRun, *, best_first: bool) -> Ints:
    """1, 2, … within each group of equals, by grade."""
    hits = run.retrieved
    start, group = tie_groups(hits.query, run.ties.better)  # type: ignore[union-attr]
    order = np.lexsort((-hits.grade if best_first else hits.grade, group))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - start[group[order]] + 1
    return place
