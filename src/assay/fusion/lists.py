"""Lists: rankings of several runs as flat arrays over all queries, and exact sums over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise, repeat
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import BadParameter, DataError
from assay.fusion.ordering import Ids, Ordered, best_first, fused_run, ranks_of
from assay.model import Ranking, Run
from assay.text import counted

BLOCK_ROWS = 200_000
"""Occurrences that are processed at once, if queries are independent of each other."""


@dataclass(frozen=True)
class RankedLists:
    """Each document that any run has for a query is a *pair*; each run that has it adds an *occurrence*.

    Occurrences are ordered by query, and by run within a query: one stretch for each ranking that is not empty.
    Pairs are numbered query by query, and so are the documents in `docs`.
    """

    query_ids: tuple[str, ...]
    docs: tuple[list[str], ...]
    """For each query: the documents that any run has."""
    n_runs: int
    pair: Ints
    """For each occurrence: the number of its (query, document)."""
    score: Floats
    """For each occurrence: its score in its run."""
    length: Ints
    """For each stretch: its number of documents."""
    stretch_query: Ints
    stretch_run: Ints
    original_score: Floats | None = None
    """The scores that decide ranks, if `score` is normalised."""

    @classmethod
    def of(cls, runs: Sequence[Any]) -> RankedLists:
        """Lists of runs, or of anything that can become a run. A query may be missing from some runs."""
        prepared = as_runs(runs)
        return cls.of_queries(prepared, all_queries(prepared))

    @classmethod
    def of_queries(cls, runs: Sequence[Run], query_ids: tuple[str, ...]) -> RankedLists:
        """Lists of some queries of prepared runs."""
        lengths, score = _in_query_order(runs, query_ids)
        docs, pair = _numbered(runs, query_ids, lengths)
        query, run = np.nonzero(lengths)
        return cls(query_ids, docs, len(runs), pair, score, lengths[query, run], query, run)

    @classmethod
    def in_blocks(cls, runs: Sequence[Run]) -> Iterator[RankedLists]:
        """Lists of all queries, in blocks that fit into the cache of a processor, which is much faster than all at once."""
        query_ids = all_queries(runs)
        rows = np.zeros(len(query_ids), dtype=np.int64)
        for run in runs:
            at = _places(run, query_ids)
            rows[at >= 0] += run.n_retrieved[at[at >= 0]]
        block = np.cumsum(rows) // BLOCK_ROWS
        ends = [*(np.flatnonzero(np.diff(block)) + 1).tolist(), len(query_ids)]
        for first, end in pairwise([0, *ends]):
            yield cls.of_queries(runs, query_ids[first:end])

    @cached_property
    def start(self) -> Ints:
        """The start of each stretch."""
        return np.cumsum(self.length) - self.length

    @cached_property
    def stretch(self) -> Ints:
        """For each occurrence: its stretch."""
        return np.repeat(np.arange(len(self.length)), self.length)

    @cached_property
    def run(self) -> Ints:
        """For each occurrence: its run."""
        return np.repeat(self.stretch_run, self.length)

    @cached_property
    def rank(self) -> Ints:
        """For each occurrence: its rank in its run, from 1; equal scores are ordered by document id, descending."""
        return ranks_of(
            self.score if self.original_score is None else self.original_score, self.start, self.length, self.ids, self.pair
        )

    @cached_property
    def ids(self) -> Ids:
        """The document of each pair."""
        return Ids(self.docs)

    @cached_property
    def n_candidates(self) -> Ints:
        """For each query: the number of documents in all runs together."""
        return np.fromiter(map(len, self.docs), np.int64, len(self.docs))

    @cached_property
    def query_start(self) -> Ints:
        """For each query: the number of its first pair."""
        return np.cumsum(self.n_candidates) - self.n_candidates

    @cached_property
    def query(self) -> Ints:
        """For each pair: its query."""
        return np.repeat(np.arange(len(self.docs)), self.n_candidates)

    @cached_property
    def n_pairs(self) -> int:
        """The number of pairs."""
        return int(self.n_candidates.sum())

    @cached_property
    def n_found(self) -> Ints:
        """For each pair: the number of runs that contain it."""
        return np.bincount(self.pair, minlength=self.n_pairs)

    def sums(self, values: Floats) -> Floats:
        """For each pair: the sum of the values of its occurrences."""
        return sums(self.pair, values, self.n_pairs, self.n_runs)

    def lowest(self, values: Floats) -> Floats:
        """For each pair: the lowest value of its occurrences."""
        lowest = np.full(self.n_pairs, np.inf)
        np.minimum.at(lowest, self.pair, values)
        return lowest

    def weights(self, weights: Sequence[float], each: float) -> Floats:
        """For each occurrence: the weight of its run; `each` if there are no weights."""
        if weights and len(weights) != self.n_runs:
            expected = f"expected {counted(self.n_runs, 'weight')}, one per run, as in weights=[0.7, 0.3]"
            raise BadParameter(f"{expected}; found {len(weights)}")
        return np.array(weights or [each] * self.n_runs)[self.run]

    def check_finite(self) -> None:
        """Raise if a score is infinite, because nothing can be added to it."""
        if not np.isfinite(self.score).all():
            place = int(np.flatnonzero(~np.isfinite(self.score))[0])
            query, doc = self.query_ids[self.query[self.pair[place]]], self.ids.flat[self.pair[place]]
            raise DataError(
                f"run {self.run[place] + 1}, query {query}: the score of document {doc} must be a finite number, "
                f"not {self.score[place]}. Fix the score, or use a fusion by ranks, such as rrf"
            )

    def fused(self, values: Floats, tag: str = "", depth: int = 0) -> Run:
        """The run in which each pair has its value as score."""
        return fused_run(self.query_ids, [self.ordered(values, depth)], tag)

    def ordered(self, values: Floats, depth: int = 0) -> Ordered:
        """The documents of each query by value, best first; equal values by id; cut at `depth` unless it is 0."""
        start, length = self.query_start, self.n_candidates
        places = best_first(values, start, length, self.ids, np.arange(len(values)))
        if depth:
            rank = np.arange(len(places)) - start[self.query]
            places, length = places[rank < depth], np.minimum(length, depth)
        return Ordered(self.docs, places - np.repeat(start, length), values[places], length)


def as_runs(runs: Sequence[Any]) -> list[Run]:
    """Runs, from anything that can become a run."""
    if not isinstance(runs, Sequence) or isinstance(runs, str | bytes) or not runs:
        raise BadParameter("fusion needs a list of runs, such as [bm25, dense]")
    return [run if isinstance(run, Run) else Run(run) for run in runs]


def all_queries(runs: Sequence[Run]) -> tuple[str, ...]:
    """The queries of all runs, in the order of their first occurrence."""
    query_ids = runs[0].query_ids
    if all(run.query_ids == query_ids for run in runs):
        return query_ids
    return tuple(dict.fromkeys(chain.from_iterable(run.query_ids for run in runs)))


def _places(run: Run, query_ids: tuple[str, ...]) -> Ints:
    """The position of each query in the run; -1 if it is missing."""
    return np.fromiter(map(run.numbers.get, query_ids, repeat(-1)), np.int64, len(query_ids))


def _in_query_order(runs: Sequence[Run], query_ids: tuple[str, ...]) -> tuple[Ints, Floats]:
    """The number of documents of each run for each query (queries × runs), and all scores, query by query."""
    lengths = np.zeros((len(query_ids), len(runs)), dtype=np.int64)
    begins = np.zeros_like(lengths)
    for number, run in enumerate(runs):
        at = _places(run, query_ids)
        has = at >= 0
        lengths[has, number] = run.n_retrieved[at[has]]
        begins[has, number] = run.order.start[at[has]]
    targets = (np.cumsum(lengths) - lengths.ravel()).reshape(lengths.shape)
    score = np.empty(int(lengths.sum()))
    for number, run in enumerate(runs):
        length = lengths[:, number]
        place = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
        score[np.repeat(targets[:, number], length) + place] = run.scores[np.repeat(begins[:, number], length) + place]
    return lengths, score


def _numbered(runs: Sequence[Run], query_ids: tuple[str, ...], lengths: Ints) -> tuple[tuple[list[str], ...], Ints]:
    """The documents of each query, and for each occurrence the number of its pair.

    A document gets the position of its first occurrence in its query. All queries share one list of numbers, and the table
    of a query is freed before the next one needs memory, because this function is most of the work of a fusion.
    """
    docs: list[list[str]] = []
    sizes = lengths.sum(axis=1)
    numbers = list(range(int(sizes.max(initial=0))))

    def mentions() -> Iterator[Iterator[int]]:
        for rankings in zip(*(_of_queries(run, query_ids) for run in runs), strict=True):
            known: dict[str, int] = {}
            yield map(known.setdefault, chain.from_iterable(rankings), numbers)
            docs.append(list(known))

    flat = chain.from_iterable(mentions())
    first = np.fromiter(flat, np.int64, int(sizes.sum()))
    next(flat, None)
    first += np.repeat(np.cumsum(sizes) - sizes, sizes)
    number = np.cumsum(first == np.arange(len(first))) - 1
    return tuple(docs), number[first]


def _of_queries(run: Run, query_ids: tuple[str, ...]) -> Iterator[Ranking]:
    """The ranking of the run for each query; empty if the query is missing."""
    rankings: list[Ranking] = [*run.rankings, {}]
    return map(rankings.__getitem__, map(run.numbers.get, query_ids, repeat(-1)))


ROUNDED_TERMS = 3
"""From so many terms on, the order of addition may change the last digit."""


def sums(pair: Ints, values: Floats, n_pairs: int, n_terms: int) -> Floats:
    """The sum of the values of each pair, which has at most n_terms values.

    Documents with the same values in different runs must tie, so three or more values are added without rounding: each is
    split into a high and a low part with so few digits that the sums of the parts are exact (Rump, Ogita & Oishi 2008,
    Accurate Floating-Point Summation, SIAM J. Sci. Comput. 31). The rest, below 10⁻³¹ of the largest value, is rounded.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if n_terms < ROUNDED_TERMS or not 0 < largest < 1e290:
        return _rounded_sums(pair, values, n_pairs)
    unit = 2.0 ** (np.frexp(largest)[1] + n_terms.bit_length() + 1)
    high, rest = _split_at(values, unit)
    low, rest = _split_at(rest, unit * 2.0 ** (n_terms.bit_length() - 51))
    total = _rounded_sums(pair, high, n_pairs) + _rounded_sums(pair, low, n_pairs)
    return total + _rounded_sums(pair, rest, n_pairs) if rest.any() else total


def _rounded_sums(pair: Ints, values: Floats, n_pairs: int) -> Floats:
    return np.bincount(pair, values, n_pairs).astype(np.float64, copy=False)


def _split_at(values: Floats, unit: float) -> tuple[Floats, Floats]:
    """The part of each value that fits above the unit, and the rest."""
    high = (values + unit) - unit
    return high, values - high
