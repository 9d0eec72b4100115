"""Unjudged documents of two systems: which documents are the same, and at which ranks either system has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Ints
from assay.views.graded import GradedRun

Documents = Callable[[str, int | None], Sequence[str]]
"""Query, number of documents (None: all) → the documents of a system, best first."""


class UnjudgedDocuments(NamedTuple):
    """The unjudged documents that one or both of two systems retrieved, grouped by query."""

    query: Ints
    rank_a: Ints
    """The rank in the first system; 0 if it did not retrieve the document."""
    rank_b: Ints

    def within(self, k: int | None) -> UnjudgedDocuments:
        """Only documents that one of the systems has at rank k or better. A rank beyond k becomes 0."""
        if k is None:
            return self
        rank_a, rank_b = (np.where(rank <= k, rank, 0) for rank in (self.rank_a, self.rank_b))
        inside = (rank_a > 0) | (rank_b > 0)
        return UnjudgedDocuments(self.query[inside], rank_a[inside], rank_b[inside])

    def by_query(self) -> Iterator[tuple[int, slice]]:
        """Each query that has such documents, and where they are."""
        starts = np.flatnonzero(np.diff(self.query, prepend=-1))
        for start, end in pairwise([*starts.tolist(), len(self.query)]):
            yield int(self.query[start]), slice(start, end)


def unjudged_documents(
    a: GradedRun, b: GradedRun, documents_a: Documents, documents_b: Documents, k: int | None
) -> UnjudgedDocuments:
    """The unjudged documents in the first k ranks of two systems on the same queries. Negative grades count as unjudged."""
    columns: list[list[int]] = [[], [], []]
    open_a, open_b = (_open_ranks(run, k) for run in (a, b))
    for number, query_id in enumerate(a.query_ids):
        ranks = [ranks_of(number) for ranks_of in (open_a, open_b)]
        if not any(ranks):
            continue
        by_a, by_b = (
            _ranks_by_document(documents(query_id, k) if some else (), some)
            for documents, some in zip((documents_a, documents_b), ranks, strict=True)
        )
        every = dict.fromkeys((*by_a, *by_b))
        columns[0] += [number] * len(every)
        columns[1] += [by_a.get(document, 0) for document in every]
        columns[2] += [by_b.get(document, 0) for document in every]
    query, rank_a, rank_b = (np.array(column, dtype=np.int64) for column in columns)
    return UnjudgedDocuments(query, rank_a, rank_b)


def _ranks_by_document(documents: Sequence[str], ranks: Sequence[int]) -> dict[str, int]:
    return {documents[rank - 1]: rank for rank in ranks}


def _open_ranks(run: GradedRun, k: int | None) -> Callable[[int], list[int]]:
    """A function that returns the ranks of the unjudged documents of a query, down to rank k."""
    judged = run.judged.top(k)
    length = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    end = np.cumsum(length)
    is_open: Bools = np.ones(int(end[-1]) if len(end) else 0, dtype=bool)
    is_open[(end - length)[judged.query] + judged.rank - 1] = False

    def ranks(number: int) -> list[int]:
        mine = is_open[end[number] - length[number] : end[number]]
        return [rank + 1 for rank in np.flatnonzero(mine).tolist()]

    return ranks
