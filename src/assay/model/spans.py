"""Spans: the `spans` view; which stretches of files were retrieved for each query, best first, and which are gold."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.model.gold_spans import GoldSpans
from assay.model.ordering import Floats, Ints
from assay.model.places import NOWHERE, Places
from assay.model.policy import RankRule
from assay.model.records import Span
from assay.model.run import Run
from assay.model.stretches import union_sizes

MANY_PAIRS = 50_000_000
"""So many pairs of query and file can each have a cell of a table."""


class Truth(NamedTuple):
    """What is gold, and where chunks stand: all that a run needs to be seen as spans."""

    spans: Mapping[str, Sequence[Span]]
    places: Places


@dataclass(frozen=True)
class Sizes:
    """How much each query has of what was retrieved, of what is gold, and of both at once, in one unit."""

    retrieved: Floats
    gold: Floats
    both: Floats


@dataclass(frozen=True)
class Spans:
    """Every retrieved chunk in rank order (query, rank, number), where chunks stand, and the gold spans."""

    query_ids: tuple[str, ...]
    query: Ints
    rank: Ints
    chunk: Ints
    """The number of its place; -1 for a chunk whose place is not known: it takes a rank, and covers nothing."""
    file: Ints
    """For each number: the file it stands in."""
    gold: GoldSpans
    places: Places
    n_files: int

    @classmethod
    def of(cls, query_ids: tuple[str, ...], run: Run, rule: RankRule, truth: Truth) -> Spans:
        """A run as spans, ranked by a rule. A query that it lacks has nothing."""
        run = run.without_self() if rule.drop_self else run
        places = truth.places
        query, rank, chunk = _rows(query_ids, run, rule, places)
        gold = GoldSpans.of(truth.spans, query_ids, places)  # what gold names may tell files apart: before `arrays`
        file, _ = places.arrays
        return cls(query_ids, query, rank, chunk, file, gold, places, places.n_files)

    @property
    def n_queries(self) -> int:
        """How many queries there are to score."""
        return len(self.query_ids)

    def scores(self, values: Floats) -> Floats:
        """The values, undefined for queries without gold spans; an empty list of them is ground truth, and scores 0."""
        return np.where(self.gold.is_given, values, np.nan)

    def sizes(self, k: int | None, tokens: int | None, unit: str) -> Sizes:
        """What the first k chunks cover, or those that a budget pays for; what several of them share counts once."""
        unit = self.gold.unit if unit == "gold" else unit
        sizes: Sizes = self._remembered(("sizes", k, tokens, unit), lambda: self._sizes(k, tokens, unit))
        return sizes

    def both(self, k: int | None, tokens: int | None, unit: str) -> tuple[Floats, Floats]:
        """How much of the gold was retrieved, and how much of it there is; looks at files with gold alone."""
        unit = self.gold.unit if unit == "gold" else unit
        found: tuple[Floats, Floats] = self._remembered(("both", k, tokens, unit), lambda: self._both(k, tokens, unit))
        return found

    def _sizes(self, k: int | None, tokens: int | None, unit: str) -> Sizes:
        both, gold = self.both(k, tokens, unit)
        return Sizes(self._retrieved(k, tokens, unit), gold, both)

    def _retrieved(self, k: int | None, tokens: int | None, unit: str) -> Floats:
        """How much the first chunks cover; where no two chunks share anything, their sizes add up."""
        sizes, query, chunk = self.places.sizes(unit), self.query, self.chunk
        if (k, tokens) != (None, None):
            rows = self._within(np.arange(len(self.rank)) if k is None else np.flatnonzero(self.rank <= k), None, tokens)
            query, chunk = query[rows], chunk[rows]
        if sizes is None:
            return self._union(query, chunk, unit)
        return np.bincount(query, weights=sizes[chunk], minlength=self.n_queries).astype(float, copy=False)

    def _both(self, k: int | None, tokens: int | None, unit: str) -> tuple[Floats, Floats]:
        """What two sets share is what they have one by one, less what they have together."""
        rows = self._within(self._gold_rows, k, tokens)
        query, chunk = self.query[rows], self.chunk[rows]
        gold = self._remembered(("gold", unit), lambda: self._union(query[:0], chunk[:0], unit, with_gold=True))
        return self._union(query, chunk, unit) + gold - self._union(query, chunk, unit, with_gold=True), gold

    def _union(self, query: Ints, chunk: Ints, unit: str, *, with_gold: bool = False) -> Floats:
        """How much some chunks cover for each query, with the gold spans or without; what they share counts once."""
        if (chunk == NOWHERE).any():
            query, chunk = query[chunk != NOWHERE], chunk[chunk != NOWHERE]
        parts = [(query, self.file[chunk], *self.places.within(chunk, unit))]
        if with_gold:
            parts.append((self.gold.query, self.gold.file, *self.gold.within(unit)))
        query, file, start, end = map(np.concatenate, zip(*parts, strict=True))
        return union_sizes(query * self.n_files + file, start, end, query, self.n_queries)

    def _within(self, rows: Ints, k: int | None, tokens: int | None) -> Ints:
        """Those of some rows that are within a cutoff and within a budget."""
        rows = rows if k is None else rows[self.rank[rows] <= k]
        return rows if tokens is None else rows[self._remembered("tokens", self._tokens_used)[rows] <= tokens]

    def _tokens_used(self) -> Ints:
        """For each chunk: how many words it has together with all that stand before it."""
        total = np.cumsum(self.places.tokens(self.chunk))
        first = np.flatnonzero(self.rank == 1)
        before = np.zeros(self.n_queries, dtype=np.int64)
        before[self.query[first]] = np.where(first > 0, total[first - 1], 0)
        return total - before[self.query]

    @cached_property
    def _file_of_row(self) -> Ints:
        """Query and file of each row in one number; a chunk without a place is a file by itself."""
        if not len(self.file):
            return self._n_pairs + np.arange(len(self.chunk))
        found = self.query * self.n_files
        found += self.file[self.chunk]
        unknown = np.flatnonzero(self.chunk == NOWHERE)
        found[unknown] = self._n_pairs + unknown
        return found

    @cached_property
    def _gold_rows(self) -> Ints:
        """The rows of chunks whose file has gold spans of the query."""
        files = self._file_of_row
        if self._n_pairs > MANY_PAIRS:
            return np.flatnonzero(np.isin(files, self._gold_files))
        table = np.zeros(self._n_pairs + 1, dtype=bool)
        table[self._gold_files] = True
        return np.flatnonzero(table[np.minimum(files, self._n_pairs)])

    @property
    def _n_pairs(self) -> int:
        return self.n_queries * self.n_files

    @cached_property
    def _gold_files(self) -> Ints:
        """Query and file of gold spans in one number, each once, ascending."""
        return np.unique(self.gold.query * self.n_files + self.gold.file)

    @cached_property
    def n_gold_files(self) -> Ints:
        """In how many files the gold spans of each query are."""
        return np.bincount(self._gold_files // max(self.n_files, 1), minlength=self.n_queries)

    def found_files(self, tokens: int | None = None) -> tuple[Ints, Ints]:
        """Query and rank of each gold file that was found; files are ranked where the first of their chunks stands."""
        found: tuple[Ints, Ints] = self._remembered(("files", tokens), lambda: self._found_files(tokens))
        return found

    def _found_files(self, tokens: int | None) -> tuple[Ints, Ints]:
        rows = self._within(self._gold_rows, None, tokens)
        rows = rows[np.unique(self._file_of_row[rows], return_index=True)[1]]
        deepest = np.zeros(self.n_queries, dtype=np.int64)
        np.maximum.at(deepest, self.query[rows], self.rank[rows])
        query = np.repeat(np.arange(self.n_queries), deepest)
        before = np.searchsorted(self.query, query) + np.arange(len(query)) - (np.cumsum(deepest) - deepest)[query]
        firsts = np.sort(before[np.unique(self._file_of_row[before], return_index=True)[1]])
        place = np.searchsorted(firsts, rows) - np.searchsorted(self.query[firsts], self.query[rows])
        return self.query[rows], place + 1

    @cached_property
    def _memory(self) -> dict[Hashable, Any]:
        return {}

    def _remembered(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made before for the same question; metrics ask the same ones again and again."""
        if key not in self._memory:
            self._memory[key] = make()
        return self._memory[key]


def _rows(query_ids: tuple[str, ...], run: Run, rule: RankRule, places: Places) -> tuple[Ints, Ints, Ints]:
    """Query, rank and number of all that was retrieved, best first. Only what is not in order, or tied, is sorted."""
    flat, order = places.located(run), run.order
    asked = np.array([run.numbers.get(query, NOWHERE) for query in query_ids], dtype=np.int64)
    there = np.flatnonzero(asked != NOWHERE)
    lengths = np.zeros(len(asked), dtype=np.int64)
    lengths[there] = (order.end - order.start)[asked[there]]
    query = np.repeat(np.arange(len(asked)), lengths)
    first = np.cumsum(lengths) - lengths
    rank = np.arange(1, len(query) + 1) - first[query]
    if len(asked) == len(order.start) and (asked == np.arange(len(asked))).all():
        chunk = flat
    else:
        chunk = flat[order.start[asked[query]] + rank - 1]
    is_open = run.unsettled(rule)[asked[there]]
    chunk = chunk.copy() if is_open.any() else chunk
    for place in there[is_open].tolist():
        chunk[first[place] : first[place] + lengths[place]] = places.numbers(run.in_order(int(asked[place]), rule))
    return query, rank, chunk
