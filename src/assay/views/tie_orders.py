"""Other orders of tied documents: the best, the worst, and random ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints, spread
from assay.views.graded import GradedRun, Hits, tie_groups

Words = NDArray[np.uint64]

STEP = np.uint64(0x9E3779B97F4A7C15)
"""The step from one word of a sequence to the next; odd, so that no word repeats before all have occurred (the golden
ratio, as in SplitMix64).
"""


def best_order(run: GradedRun) -> GradedRun:
    """Among tied documents, judged ones come first, best grade first."""
    if run.ties is None:
        return run
    return run.reordered(run.ties.better + _places_by_grade(run, best_first=True))


def worst_order(run: GradedRun) -> GradedRun:
    """Among tied documents, judged ones come last, best grade last."""
    if run.ties is None:
        return run
    _, group = tie_groups(run.retrieved.query, run.ties.better)
    n_unjudged = run.ties.equal - np.bincount(group)[group]
    return run.reordered(run.ties.better + n_unjudged + _places_by_grade(run, best_first=False))


def random_orders(run: GradedRun, count: int, seed: int = 0) -> Iterator[GradedRun]:
    """Tied documents in random orders, all equally likely.

    The orders for a query depend on the seed, its id and its own ties, not on other queries or on the given order.
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
    from hashlib import blake2b

    hashed = (blake2b(f"{seed} {query}".encode(errors="surrogatepass"), digest_size=8).digest() for query in query_ids)
    return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64)


def _scrambled(word: Words) -> Words:
    """Words in which every bit depends on every input bit (Steele, Lea & Flood 2014, Fast Splittable Pseudorandom Number
    Generators, OOPSLA: the finishing step of SplitMix64).
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def _places_by_grade(run: GradedRun, *, best_first: bool) -> Ints:
    """Places 1, 2, … within each group of tied documents, by grade."""
    hits = run.retrieved
    start, group = tie_groups(hits.query, run.ties.better)  # type: ignore[union-attr]
    order = np.lexsort((-hits.grade if best_first else hits.grade, group))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - start[group[order]] + 1
    return place


class OpenQuery(NamedTuple):
    """A query with retrieved documents that are unjudged."""

    number: int
    grade: Floats
    """The grade at each rank; nan if unjudged."""
    open: Ints
    """The unjudged places: rank − 1."""
    ideal: Floats
    """All real judgments of the query, best first."""


def open_queries(run: GradedRun) -> Iterator[OpenQuery]:
    """The queries with retrieved unjudged documents, one by one. Negative grades count as unjudged."""
    judged, ideal = run.judged, run.ideal.where(run.ideal.grade >= 0)
    for number in np.flatnonzero(judged.count < run.n_retrieved).tolist():
        mine, all_of_it = (slice(hits.first[number], hits.first[number] + hits.count[number]) for hits in (judged, ideal))
        grade = np.full(run.n_retrieved[number], np.nan)
        grade[judged.rank[mine] - 1] = judged.grade[mine]
        yield OpenQuery(number, grade, np.flatnonzero(np.isnan(grade)), ideal.grade[all_of_it])


def with_unjudged_relevant(run: GradedRun, k: int | None, grade: float, after: int = 0) -> GradedRun:
    """Give a grade to every unjudged document from rank `after` + 1 to rank k (None: to the end), in the ideal ranking too.

    Negative grades mark documents that were pooled but not judged, so these documents are unjudged too.
    """
    query, rank = _unjudged_ranks(run, k, after)
    hits, n = run.retrieved, run.n_queries
    is_outside = (hits.rank > (k or hits.rank.max(initial=0))) | (hits.rank <= after)
    unchanged = hits.where((hits.grade >= 0) | is_outside)
    added = np.full(len(query), grade)
    every = Hits(
        np.concatenate((unchanged.query, query)),
        np.concatenate((unchanged.rank, rank)),
        np.concatenate((unchanged.grade, added)),
        n,
    )
    order = np.argsort(every.query * (every.rank.max(initial=0) + 1) + every.rank, kind="stable")  # merges two sorted parts
    retrieved = Hits(every.query[order], every.rank[order], every.grade[order], n)
    ideal = _best_first(np.concatenate((query, run.ideal.query)), np.concatenate((added, run.ideal.grade)), n)
    return replace(run, retrieved=retrieved, ideal=ideal, judgment=None, judgments=None, ties=None, tie_rule="settled")


def _best_first(query: Ints, grade: Floats, n: int) -> Hits:
    """The ideal ranking of grades. Its two parts are sorted already, and the first usually has the best grades."""
    order = np.argsort(query, kind="stable")
    if (grade[order][:-1] < grade[order][1:])[query[order][:-1] == query[order][1:]].any():
        order = np.lexsort((-grade, query))
    ideal = Hits(query[order], query, grade[order], n)
    return replace(ideal, rank=ideal.position)


def _unjudged_ranks(run: GradedRun, k: int | None, after: int) -> tuple[Ints, Ints]:
    """Query and rank of every unjudged document from rank `after` + 1 to rank k."""
    length = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    first = np.cumsum(length) - length
    query = np.repeat(np.arange(run.n_queries), length)
    is_open = np.ones(len(query), dtype=bool)
    judged = run.judged.top(k)
    is_open[first[judged.query] + judged.rank - 1] = False
    rank = np.arange(len(query)) - first[query] + 1
    is_open &= rank > after
    return query[is_open], rank[is_open]
