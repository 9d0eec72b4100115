"""Training: lists with judgments, and how often documents at each rank are relevant."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints, ratio, running_sums
from assay.errors import DataError
from assay.fusion.lists import RankedLists
from assay.model import Qrels

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Training:
    """Rankings of judged queries. A document with a grade above 0 is relevant."""

    lists: RankedLists
    judged: Ints
    """The queries that are judged."""
    n_relevant: Ints
    """For each query: the number of relevant documents, retrieved or not; 0 if it has no judgments."""
    pair_is_relevant: Bools

    @classmethod
    def of(cls, lists: RankedLists, qrels: Qrels) -> Training:
        """The training data. Raise if no query is judged, because there is nothing to learn from."""
        relevant = {query: {doc for doc, grade in qrels[query].items() if grade > 0} for query in qrels}
        judged = [number for number, query in enumerate(lists.query_ids) if query in relevant]
        if not judged:
            raise DataError(
                f"none of the {len(lists.query_ids):,} queries in the runs has judgments, so there is nothing to learn "
                "from. Use judgments of the queries in the runs"
            )
        sets = [relevant.get(query, set()) for query in lists.query_ids]
        flags = chain.from_iterable(
            map(relevant.__contains__, docs) for relevant, docs in zip(sets, lists.docs, strict=True)
        )
        is_relevant = np.fromiter(flags, bool, lists.n_pairs)
        return cls(lists, np.array(judged), np.fromiter(map(len, sets), np.int64, len(sets)), is_relevant)

    @cached_property
    def is_judged(self) -> Bools:
        """For each query: whether it has judgments."""
        is_judged = np.zeros(len(self.lists.query_ids), dtype=bool)
        is_judged[self.judged] = True
        return is_judged

    @cached_property
    def is_relevant(self) -> Bools:
        """For each occurrence: whether it is relevant."""
        return self.pair_is_relevant[self.lists.pair]

    def shares(self, segment: Ints, n_segments: int) -> tuple[Floats, ...]:
        """For each run: the mean over its judged rankings of the share of relevant documents in each segment.

        Segments are numbered from 0. A ranking that does not reach a segment does not count for it.
        """
        lists = self.lists
        cell = lists.stretch * n_segments + segment
        size = np.bincount(cell, minlength=len(lists.length) * n_segments).reshape(-1, n_segments)
        n_relevant = np.bincount(cell, self.is_relevant, len(lists.length) * n_segments).reshape(-1, n_segments)
        share, reached = ratio(n_relevant, size), size > 0
        taught = self.is_judged[lists.stretch_query]
        means = []
        for run in range(lists.n_runs):
            mine = taught & (lists.stretch_run == run)
            means.append(ratio(share[mine].sum(axis=0), reached[mine].sum(axis=0)))
        return tuple(means)

    def shares_by_rank(self) -> tuple[Floats, ...]:
        """For each run and rank: the share of relevant documents among the judged rankings that reach this rank."""
        lists = self.lists
        taught = self.is_judged[lists.stretch_query][lists.stretch]
        deepest = int(lists.length.max(initial=0))
        shares = []
        for run in range(lists.n_runs):
            mine = taught & (lists.run == run)
            at = lists.rank[mine] - 1
            shares.append(ratio(np.bincount(at, self.is_relevant[mine], deepest), np.bincount(at, minlength=deepest)))
        return tuple(shares)

    def average_precision(self) -> tuple[Floats, ...]:
        """For each run: the mean average precision over all judged queries; a query missing from the run scores 0."""
        lists = self.lists
        in_order = np.lexsort((lists.rank, lists.stretch))
        relevant = self.is_relevant[in_order].astype(float)
        so_far = running_sums(relevant, lists.stretch, len(lists.length))
        precision = np.bincount(lists.stretch, relevant * so_far / lists.rank[in_order], len(lists.length))
        score = ratio(precision, self.n_relevant[lists.stretch_query])
        by_run = np.bincount(lists.stretch_run, score, lists.n_runs)
        return tuple(np.array([value]) for value in (by_run / len(self.judged)).tolist())


def padded(values: tuple[Floats, ...], length: int) -> Floats:
    """Arrays of several runs as rows, filled up with 0."""
    rows = np.zeros((len(values), max(length, *map(len, values))))
    for row, value in zip(rows, values, strict=True):
        row[: len(value)] = value
    return rows
