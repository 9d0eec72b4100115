"""Shared elements: how many elements, such as tags or shingles, the sets of two documents in one list have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints, distinct, ratio, spread

MOST_PAIRS_AT_ONCE = 2_000_000
"""The most pairs of documents that are held in memory at once."""


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

    def of_rows(self, docs: Ints) -> tuple[Ints, Ints]:
        """The rows that list these documents as (row, element) pairs."""
        row, place = spread(self.size[docs])
        start = np.cumsum(self.size) - self.size
        return row, self.elements[start[docs][row] + place]


class Alike(NamedTuple):
    """Pairs of rows of one list that share at least one element, the earlier first, with their Jaccard similarity."""

    earlier: Ints
    later: Ints
    similarity: Floats


def alike_pairs(query: Ints, doc: Ints, sets: Sets, longest: int) -> Iterator[Alike]:
    """The pairs of every list, in blocks of lists. Rows are in the order of queries and ranks, at most `longest` per list.

    Jaccard 1901, Étude comparative de la distribution florale: shared elements ÷ elements of either set.
    """
    lists_at_once = max(1, MOST_PAIRS_AT_ONCE // max(longest**2, 1))
    last = int(query.max(initial=-1)) + 1
    for first in range(0, last, lists_at_once):
        start, end = np.searchsorted(query, (first, first + lists_at_once)).tolist()
        pairs = _pairs_of_block(query[start:end], doc[start:end], sets, longest)
        yield Alike(pairs.earlier + start, pairs.later + start, pairs.similarity)


def _pairs_of_block(query: Ints, doc: Ints, sets: Sets, longest: int) -> Alike:
    row, element = sets.of_rows(doc)
    order = np.lexsort((row, element, query[row]))
    row, element = row[order], element[order]
    owner, pairs = query[row], []
    for step in range(1, longest):
        is_same = (element[step:] == element[:-step]) & (owner[step:] == owner[:-step])
        if not is_same.any():
            break
        pairs.append(row[:-step][is_same] * len(doc) + row[step:][is_same])
    every = np.concatenate(pairs) if pairs else np.zeros(0, dtype=np.int64)
    pair = distinct(every)
    shared = np.diff(np.searchsorted(np.sort(every), pair), append=len(every))
    earlier, later = np.divmod(pair, max(len(doc), 1))
    size = sets.size[doc]
    return Alike(earlier, later, ratio(shared, size[earlier] + size[later] - shared))
