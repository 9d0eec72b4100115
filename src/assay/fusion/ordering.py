"""Ordering: document ids as numbers in the same order, stretches sorted by value and id, and the fused run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints, blocks_of_similar_length, unordered_stretches
from assay.model import Ranking, Run

Words = NDArray[np.uint64]
BYTES_PER_NUMBER = 8
"""Bytes of an id in one number."""
SEPARATOR = "\0"
FIRST_IDS = 100
"""Ids that are compared first, to see whether all of them have the same start."""


@dataclass(frozen=True)
class Ids:
    """The document ids of some queries; the numbers for sorting them are computed only if there are ties."""

    docs: tuple[list[str], ...]

    @cached_property
    def flat(self) -> list[str]:
        """All of them, one after another."""
        return list(chain.from_iterable(self.docs))

    @cached_property
    def words(self) -> Words:
        """For each id a number; a larger id never has a smaller number. All are 0 if an id contains a NUL.

        UTF-8 bytes sort like the characters, so the number is made of eight bytes, the first one most significant.
        """
        text = SEPARATOR.join(map(SEPARATOR.join, filter(None, self.docs))).encode("utf-8", "surrogatepass")
        n_ids = sum(map(len, self.docs))
        end = np.append(np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 0), len(text))
        return _words(text, end) if len(end) == n_ids else np.zeros(n_ids, dtype=np.uint64)


def settle_ties(places: Ints, firsts: Ints, ends: Ints, ids: Ids, of_id: Ints) -> None:
    """Put the places of each tied group, from a first to an end, in descending order of their ids.

    Groups of the same size are sorted at once, by the numbers of the ids; if two numbers are equal, the ids decide.
    """
    sizes = ends - firsts
    for size in np.unique(sizes).tolist():
        at = firsts[sizes == size][:, np.newaxis] + np.arange(size)
        group = places[at]
        words = ids.words[of_id[group]]
        ascending = np.argsort(words, axis=1)
        places[at] = np.take_along_axis(group, ascending, axis=1)[:, ::-1]
        words = np.take_along_axis(words, ascending, axis=1)
        for row in np.flatnonzero((words[:, 1:] == words[:, :-1]).any(axis=1)).tolist():
            places[at[row]] = sorted(group[row].tolist(), key=lambda place: ids.flat[int(of_id[place])], reverse=True)


def _words(text: bytes, end: Ints) -> Words:
    """The eight bytes of each id after the common start of all ids; fewer if the id is shorter."""
    padded = text + b"\0" * 2 * BYTES_PER_NUMBER
    windows: Words = np.ndarray((len(padded) - BYTES_PER_NUMBER + 1,), dtype=">u8", buffer=padded, strides=(1,))
    start = np.append(0, end[:-1] + 1)
    start += _shared_bytes(windows, start, int((end - start).min()))
    surplus = (8 * np.clip(BYTES_PER_NUMBER - (end - start), 0, BYTES_PER_NUMBER - 1)).astype(np.uint64)
    return np.where(start < end, windows[start].astype(np.uint64) >> surplus << surplus, np.uint64(0))


def _shared_bytes(windows: Words, start: Ints, shortest: int) -> int:
    """The length in bytes of the common start of all ids; a few ids are enough to find that it is 0."""
    shared = 0
    for some in (start[:FIRST_IDS], start):
        shared = 0
        while shared < shortest:
            words = windows[some + shared].astype(np.uint64)
            differing = int(np.bitwise_or.reduce(words ^ words[0]))
            same = BYTES_PER_NUMBER - (differing.bit_length() + 7) // 8
            shared += same
            if same < BYTES_PER_NUMBER:
                break
        if not shared:
            break
    return min(shared, shortest)


def argsort_stretches(values: Floats, start: Ints, length: Ints, *, stable: bool = False) -> Ints:
    """Places of the values, stretch by stretch, highest first. The stretches cover all values without gaps.

    Equal values come in any order; if `stable`, in the given order.
    """
    places = np.arange(len(values))
    negated = -values
    unordered = unordered_stretches(negated, start, start + length)
    kind: Literal["stable"] | None = "stable" if stable or not np.isfinite(negated).all() else None
    for block in blocks_of_similar_length(length[unordered]):
        rows = unordered[block]
        columns = np.arange(int(length[rows].max()))
        filled = columns < length[rows, np.newaxis]
        at = (start[rows, np.newaxis] + columns)[filled]
        matrix = np.full(filled.shape, np.inf)
        matrix[filled] = negated[at]
        best_first = np.argsort(matrix, axis=1, kind=kind)
        places[at] = (start[rows, np.newaxis] + best_first)[filled]
    return places


def tied_groups(ordered: Floats, start: Ints) -> tuple[Ints, Ints]:
    """Start and end of each group of equal values inside a stretch of ordered values."""
    is_equal = np.concatenate(([False], ordered[1:] == ordered[:-1], [False]))
    is_equal[start[start < len(ordered)]] = False
    edges = np.flatnonzero(is_equal[1:] != is_equal[:-1])
    return edges[::2], edges[1::2] + 1


def ranks_of(values: Floats, start: Ints, length: Ints, ids: Ids, of_id: Ints) -> Ints:
    """The rank of each value in its stretch, from 1. `of_id` is the number of the id of each value."""
    places = best_first(values, start, length, ids, of_id)
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[places] = np.arange(1, len(values) + 1) - np.repeat(start, length)
    return ranks


def best_first(values: Floats, start: Ints, length: Ints, ids: Ids, of_id: Ints) -> Ints:
    """Places of the values, stretch by stretch, highest first; equal values by id, descending."""
    places = argsort_stretches(values, start, length)
    firsts, ends = tied_groups(values[places], start)
    if len(firsts):
        settle_ties(places, firsts, ends, ids, of_id)
    return places


@dataclass(frozen=True)
class Ordered:
    """For each query: its documents and their scores, best first."""

    docs: tuple[list[str], ...]
    """For each query: the documents that any run has."""
    order: Ints
    """The positions of the documents among the documents of their query."""
    score: Floats
    length: Ints
    """For each query: the number of documents kept."""

    def rankings(self) -> Iterator[Ranking]:
        """For each query: its documents with their scores, best first.

        One query at a time, so that its documents are still in the processor's cache for the next step.
        """
        order, score = self.order.tolist(), self.score.tolist()
        first = 0
        for docs, length in zip(self.docs, self.length.tolist(), strict=True):
            stretch = slice(first, first + length)
            yield dict(zip(map(docs.__getitem__, order[stretch]), score[stretch], strict=True))
            first += length


def fused_run(query_ids: tuple[str, ...], blocks: Sequence[Ordered], tag: str) -> Run:
    """The run made of blocks of queries."""
    return Run.deferred(
        query_ids,
        np.concatenate([block.length for block in blocks]),
        np.concatenate([block.score for block in blocks]),
        lambda: list(chain.from_iterable(block.rankings() for block in blocks)),
        tag,
    )
