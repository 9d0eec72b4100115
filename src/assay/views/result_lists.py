"""Result lists: the `result_lists` view, with the first documents of every query and what is known about them.

It needs no judgments. Tags, vectors, popularity and texts are read when a metric needs them, once for each document.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Protocol

import numpy as np

from assay.arrays import Bools, Floats, Ints, ratio, spread
from assay.model import NO_DOCUMENT, document_number
from assay.text import words_of
from assay.views.shared_elements import Sets, alike_pairs

ROUNDING = 1e-9
"""Similarities that are lower than a threshold by less than this reach it."""


class KnownDocuments(Protocol):
    """What is known about documents. Each method answers for ids in the given order."""

    @property
    def n_catalogue(self) -> int:
        """The number of documents of the catalogue."""
        ...

    def in_catalogue(self, ids: Sequence[str]) -> Sequence[str | None]:
        """For each id the document of the catalogue that it is or, as a chunk, belongs to; None if there is none."""
        ...

    def tags(self, ids: Sequence[str]) -> Sequence[Collection[str]]:
        """The tags of each document; empty if it has none."""
        ...

    def texts(self, ids: Sequence[str]) -> Sequence[str]:
        """The text of each document; empty if it has none."""
        ...

    def vectors(self, ids: Sequence[str]) -> Floats:
        """A row of length 1 for each document; nan if it has no vector."""
        ...

    def popularity(self, ids: Sequence[str]) -> Floats:
        """The share of each document in all interactions; nan if unknown."""
        ...


class RetrievedDocuments:
    """Every retrieved document once, sorted by id, with what is known about it."""

    def __init__(self, ids: Iterable[str], known: KnownDocuments) -> None:
        self.ids = tuple(sorted(set(ids)))
        self._known = known
        self._shingles: dict[int, Sets] = {}

    def numbers(self, ids: Iterable[str]) -> Ints:
        """The numbers of documents."""
        number = {name: place for place, name in enumerate(self.ids)}
        return np.fromiter(map(number.__getitem__, ids), np.int64)

    @property
    def n_catalogue(self) -> int:
        """The number of documents of the catalogue."""
        return self._known.n_catalogue

    @cached_property
    def catalogue_number(self) -> Ints:
        """A number for each document of the catalogue, the same in every result; others have `NO_DOCUMENT`.

        A chunk has the number of its document.
        """
        names = self._known.in_catalogue(self.ids)
        number: dict[str | None, int] = {name: document_number(name) for name in set(names) if name is not None}
        return np.fromiter((number.get(name, NO_DOCUMENT) for name in names), np.int64, len(names))

    @cached_property
    def tags(self) -> Sets:
        """The tags of each document."""
        return Sets.of(self._known.tags(self.ids))

    @cached_property
    def vectors(self) -> Floats:
        """The vector of each document, of length 1; nan if it has none."""
        return self._known.vectors(self.ids)

    @cached_property
    def has_vector(self) -> Bools:
        """Which documents have a vector."""
        return np.asarray(~np.isnan(self.vectors).any(axis=1))

    @cached_property
    def popularity(self) -> Floats:
        """The share of each document in all interactions; nan if unknown."""
        return self._known.popularity(self.ids)

    @cached_property
    def _words(self) -> list[Ints]:
        """The words of each document as numbers, which need much less memory."""
        numbers: dict[str, int] = {}
        return [
            np.array([numbers.setdefault(word, len(numbers)) for word in words_of(text)], dtype=np.int64)
            for text in self._known.texts(self.ids)
        ]

    def shingles(self, length: int) -> Sets:
        """The shingles of each document: all stretches of so many words; a shorter text is one shingle."""
        if length not in self._shingles:
            self._shingles[length] = Sets.of_stretches(self._words, length)
        return self._shingles[length]


@dataclass(frozen=True, eq=False)
class ResultLists:
    """A row for each retrieved document: its query, rank and number, in the order of queries and ranks."""

    query_ids: tuple[str, ...]
    query: Ints
    rank: Ints
    doc: Ints
    """The number of the document among the retrieved documents."""
    documents: RetrievedDocuments

    @classmethod
    def of(cls, query_ids: tuple[str, ...], lists: Sequence[Sequence[str]], known: KnownDocuments) -> ResultLists:
        """The view of these lists of ids, best first; one list for each query."""
        query, place = spread(np.fromiter(map(len, lists), np.int64, len(lists)))
        documents = RetrievedDocuments(chain.from_iterable(lists), known)
        return cls(query_ids, query, place + 1, documents.numbers(chain.from_iterable(lists)), documents)

    @property
    def n_queries(self) -> int:
        """How many queries there are to score."""
        return len(self.query_ids)

    def first(self, k: int) -> ResultLists:
        """The first k documents of each list."""
        keep = self.rank <= k
        if keep.all():
            return self
        return replace(self, query=self.query[keep], rank=self.rank[keep], doc=self.doc[keep])

    @property
    def _longest(self) -> int:
        return int(self.rank.max(initial=0))

    @property
    def length(self) -> Ints:
        """The number of documents of each query."""
        return np.bincount(self.query, minlength=self.n_queries)

    def mean(self, values: Floats, keep: Bools) -> Floats:
        """The mean per query of the values of some rows; nan for a query without any."""
        count = np.bincount(self.query[keep], minlength=self.n_queries)
        total = np.bincount(self.query[keep], weights=values[keep], minlength=self.n_queries)
        return np.where(count > 0, ratio(total, count), np.nan)

    def cosine_distance(self) -> Floats:
        """The mean of 1 − cos over all pairs of documents of a list; nan with fewer than two vectors.

        The sum of all cosines in a list is the squared length of the sum of its vectors.
        """
        vectors, keep = self.documents.vectors, self.documents.has_vector[self.doc]
        total = np.zeros((self.n_queries, vectors.shape[1]))
        for rank in range(1, self._longest + 1):
            rows = keep & (self.rank == rank)
            total[self.query[rows]] += vectors[self.doc[rows]]
        count = np.bincount(self.query[keep], minlength=self.n_queries).astype(float)
        cosine = ratio(np.vecdot(total, total) - count, count * (count - 1))
        return np.where(count > 1, np.clip(1 - cosine, 0.0, 2.0), np.nan)

    def tag_distance(self) -> Floats:
        """The mean of 1 − Jaccard similarity of tags over all pairs of documents of a list; nan with fewer than two."""
        tags = self.documents.tags
        keep = tags.size[self.doc] > 0
        query = self.query[keep]
        alike = np.zeros(self.n_queries)
        for pairs in alike_pairs(query, self.doc[keep], tags, self._longest):
            alike += np.bincount(query[pairs.earlier], weights=pairs.similarity, minlength=self.n_queries)
        count = np.bincount(query, minlength=self.n_queries)
        return np.where(count > 1, 1 - ratio(alike, count * (count - 1) / 2), np.nan)

    def tag_counts(self) -> tuple[Ints, Ints]:
        """How often each list has each of its tags, as the query and the count of each pair."""
        row, tag = self.documents.tags.of_rows(self.doc)
        n_tags = int(tag.max(initial=0)) + 1
        pair, count = np.unique(self.query[row] * n_tags + tag, return_counts=True)
        return pair // n_tags, count

    def repeats_earlier(self, threshold: float, length: int) -> tuple[Bools, Bools]:
        """Which rows nearly repeat an earlier one of their list, and which rows have a text.

        Two documents are nearly equal if the Jaccard similarity of their shingles reaches the threshold.
        """
        shingles = self.documents.shingles(length)
        has_text = shingles.size[self.doc] > 0
        is_repeat = np.zeros(len(self.doc), dtype=bool)
        for pairs in alike_pairs(self.query, self.doc, shingles, self._longest):
            is_repeat[pairs.later[pairs.similarity >= threshold - ROUNDING]] = True
        return is_repeat, has_text

    def exposure(self) -> Floats:
        """For each query the size of the catalogue, and the numbers of the retrieved documents that the catalogue has.

        A list shows a document once, also if several of its chunks are in it.
        """
        every = self.documents.catalogue_number[self.doc]
        known, place = np.unique(every, return_inverse=True)
        _, first = np.unique(self.query * len(known) + place, return_index=True)
        numbers = np.full(len(every), NO_DOCUMENT)
        numbers[first] = every[first]
        parts = np.full((self.n_queries, 1 + self._longest), float(NO_DOCUMENT))
        parts[:, 0] = self.documents.n_catalogue
        parts[self.query, self.rank] = numbers
        return parts
