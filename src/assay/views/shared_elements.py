"""Shared elements: how many elements, such as tags or shingles, the sets of two documents in one list have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assay.arrays import Floats, Ints, ratio, spread

MOST_PAIRS_AT_ONCE = 2_000_000
"""The most pairs of documents that are held in memory at once."""
MOST_ELEMENTS_AT_ONCE = 1_000_000
"""The most elements of documents that are held in memory at once, unless a single list has more."""


class Sets(NamedTuple):
    """Sets of elements, one for each document; an element is a whole number."""

    elements: Ints
    """The elements of the first set, then those of the second set …, each once."""
    size: Ints

    @classmethod
    def of(cls, sets: Sequence[Iterable[str]]) -> Sets:
        """Sets of texts."""
        numbers: dict[str, int] = {}
        unique = [dict.fromkeys(some) for some in sets]
        elements = np.fromiter(
            (numbers.setdefault(text, len(numbers)) for text in chain.from_iterable(unique)), dtype=np.int64
        )
        return cls(elements, np.fromiter(map(len, unique), np.int64, len(unique)))

    @classmethod
    def of_stretches(cls, texts: Sequence[Ints], length: int) -> Sets:
        """Sets of all stretches of so many words; a shorter text is one stretch. Words are numbers.

        A stretch is a number of 64 bits that is computed from its words: two different ones in one list are as good as never
        the same number.
        """
        unique = [np.unique(_stretches(words, min(length, len(words)))) for words in texts]
        elements = np.concatenate([np.zeros(0, dtype=np.int64), *unique])
        return cls(elements, np.fromiter(map(len, unique), np.int64, len(unique)))

    def of_rows(self, docs: Ints) -> tuple[Ints, Ints]:
        """The rows that list these documents as (row, element) pairs."""
        row, place = spread(self.size[docs])
        start = np.cumsum(self.size) - self.size
        return row, self.elements[start[docs][row] + place]


def _stretches(words: Ints, length: int) -> Ints:
    """A number for each stretch of so many words."""
    n = len(words) - length + 1 if length else 0
    mixed = _mixed(words.astype(np.uint64))
    total = np.zeros(n, dtype=np.uint64)
    for place in range(length):
        total = _mixed(total + mixed[place : place + n])
    return total.view(np.int64)


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Numbers that look random; different ones stay different. Steele, Lea & Flood 2014, SplitMix."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


class Alike(NamedTuple):
    """Pairs of rows of one list that share at least one element, the earlier first, with their Jaccard similarity."""

    earlier: Ints
    later: Ints
    similarity: Floats


def alike_pairs(query: Ints, doc: Ints, sets: Sets, longest: int) -> Iterator[Alike]:
    """The pairs of every list, in blocks of lists. Rows are in the order of queries and ranks, at most `longest` per list.

    Jaccard 1901, Étude comparative de la distribution florale: shared elements ÷ elements of either set.
    """
    size = sets.size[doc]
    for start, end in _blocks(query, size, max(longest, 1)):
        pairs = _pairs_of_block(query[start:end], doc[start:end], sets, longest)
        yield Alike(pairs.earlier + start, pairs.later + start, pairs.similarity)


def _blocks(query: Ints, size: Ints, longest: int) -> Iterator[tuple[int, int]]:
    """First and last row of each block. A block has as many whole lists as fit into memory, and at least one."""
    first, after = np.searchsorted(query, query), np.searchsorted(query, query, side="right")
    total, start = np.cumsum(size), 0
    while start < len(query):
        most = total[start] - size[start] + MOST_ELEMENTS_AT_ONCE
        end = min(int(np.searchsorted(total, most, side="right")), start + MOST_PAIRS_AT_ONCE // longest)
        end = max(int(first[end]) if end < len(query) else len(query), int(after[start]))
        yield start, end
        start = end


def _pairs_of_block(query: Ints, doc: Ints, sets: Sets, longest: int) -> Alike:
    """The pairs of some lists. A pair is a number: its earlier row × the longest list + the place of the later row."""
    row, element = sets.of_rows(doc)
    order = np.argsort(element + _mixed(query.astype(np.uint64)).view(np.int64)[row])  # one key is faster than two
    row, element = row[order], element[order]
    owner, first = query[row], np.searchsorted(query, query)
    shared = np.zeros(len(doc) * longest, dtype=np.int64)
    pairs: list[Ints] = []
    place = np.arange(len(row))
    for step in range(1, longest):  # an element in n documents of a list has another one n − 1 places away
        place = place[: np.searchsorted(place, len(row) - step)]
        is_same = (element[place] == element[place + step]) & (owner[place] == owner[place + step])
        place = place[is_same]
        if not len(place):
            break
        earlier, later = np.minimum(row[place], row[place + step]), np.maximum(row[place], row[place + step])
        pairs.append(earlier * longest + later - first[later])
        if sum(map(len, pairs)) > MOST_PAIRS_AT_ONCE:
            shared += np.bincount(np.concatenate(pairs), minlength=len(shared))
            pairs = []
    if pairs:
        shared += np.bincount(np.concatenate(pairs), minlength=len(shared))
    pair = np.flatnonzero(shared)
    earlier, rank = np.divmod(pair, max(longest, 1))
    later, size = first[earlier] + rank, sets.size[doc]
    return Alike(earlier, later, ratio(shared[pair], size[earlier] + size[later] - shared[pair]))
