"""Scattered runs: TREC files in which the lines of a query are not together, ranked by counting in two passes.

The first pass finds the judged documents and their scores. The second pass counts, for each of them, the rows of its query
with a better score and those with the same score. Besides the judgments, only a hash of every row is kept, to find documents
that appear twice; if there are many rows, in temporary files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from assay.arrays import Bools, Floats, Ints, ScoreOrder, spread
from assay.files.block_scan import RowBlock
from assay.files.blocks.byte_fields import FACTOR, ByteFields, Words, find_hashes
from assay.files.blocks.seen_hashes import SeenHashes
from assay.files.blocks.trec_blocks import Unusual
from assay.files.counted_judgments import CountedJudgments, JudgedFields, Placed
from assay.files.long_reads import long_read
from assay.model import Qrels

MAX_PAIRS = 1 << 20
"""Comparisons of tied documents that are made at once."""


def count_scattered(
    read: Callable[[], Iterable[RowBlock]], qrels: Qrels, judged: JudgedFields, precisions: Sequence[str]
) -> CountedJudgments:
    """Count the rows that `read` reads from the start in two passes; Unusual if a document may appear twice."""
    finder = Finder(qrels, judged)
    with long_read() as progress, SeenHashes() as seen:
        for part in _parts(read(), finder.numbers):
            seen.add(finder.add(part))
        if seen.has_duplicates(partial(progress.advance, "", 0, 0)):
            raise Unusual
    hits = finder.hits()
    documents = judged.documents.take(hits.judgment)
    counters = {precision: RankCounter(hits, documents, precision) for precision in precisions}
    for part in _parts(read(), finder.numbers):
        for counter in counters.values():
            counter.add(part.query, part.block.documents, part.block.scores(), part.first)
    placed = {precision: counter.placed() for precision, counter in counters.items()}
    return CountedJudgments(hits.judgment, placed, finder.length(), finder.n_constant(), finder.n_extra)


@dataclass(frozen=True, eq=False)
class Part:
    """A block with the number of the query of each row, and the number of the first row in the file."""

    block: RowBlock
    query: Ints
    first: int


class QueryNumbers:
    """Query → its number: that of the judgments, and new ones for queries without judgments."""

    def __init__(self, judged: JudgedFields) -> None:
        self._known = dict(judged.queries)

    def __len__(self) -> int:
        return len(self._known)

    def of(self, queries: ByteFields) -> Ints:
        """The numbers of these queries."""
        known = self._known
        distinct, which = queries.distinct()
        return np.array([known.setdefault(name, len(known)) for name in distinct.texts()], dtype=np.int64)[which]


def _parts(blocks: Iterable[RowBlock], numbers: QueryNumbers) -> Iterator[Part]:
    n_rows = 0
    for block in blocks:
        query = np.repeat(numbers.of(block.queries), block.ends - block.start)
        yield Part(block, query, n_rows)
        n_rows += len(block)


@dataclass(frozen=True, eq=False)
class JudgedHits:
    """The judged documents of a run: their judgments, queries, scores and rows in the file."""

    judgment: Ints
    query: Ints
    score: Floats
    row: Ints


@dataclass(eq=False)
class Finder:
    """The first pass: finds the judged documents, and counts the rows of each query."""

    qrels: Qrels
    judged: JudgedFields
    numbers: QueryNumbers = field(init=False)
    _hits: list[JudgedHits] = field(default_factory=list)
    _n_rows: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _first_score: Floats = field(default_factory=lambda: np.zeros(0))
    _varies: Bools = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        self.numbers = QueryNumbers(self.judged)
        pairs = _paired(self.judged.hashes, self.qrels.query_of)
        self._order = np.argsort(pairs)
        self._pairs = pairs[self._order]
        if (self._pairs[1:] == self._pairs[:-1]).any():
            raise Unusual

    def add(self, part: Part) -> Words:
        """Look for judged documents in a block, and return a hash of each row."""
        block, query = part.block, part.query
        score = block.scores()
        self._count_rows(query, score)
        pair = _paired(block.documents.hashes(), query)
        row, near = find_hashes(pair, self._pairs)
        judgment = self._order[near]
        same = self.qrels.query_of[judgment] == query[row]
        same &= block.documents.take(row).equal(self.judged.documents.take(judgment))
        row, judgment = row[same], judgment[same]
        self._hits.append(JudgedHits(judgment, query[row], score[row], part.first + row))
        return pair

    def _count_rows(self, query: Ints, score: Floats) -> None:
        n_more = len(self.numbers) - len(self._n_rows)
        self._n_rows = np.append(self._n_rows, np.zeros(n_more, dtype=np.int64))
        self._first_score = np.append(self._first_score, np.full(n_more, np.nan))
        self._varies = np.append(self._varies, np.zeros(n_more, dtype=bool))
        is_new = self._n_rows[query] == 0
        self._first_score[query[is_new][::-1]] = score[is_new][::-1]
        self._varies[query[score != self._first_score[query]]] = True
        self._n_rows += np.bincount(query, minlength=len(self._n_rows))

    def hits(self) -> JudgedHits:
        """The judged documents, query by query, the best first."""
        names = ("judgment", "query", "score", "row")
        judgment, query, score, row = (np.concatenate([getattr(part, name) for part in self._hits]) for name in names)
        order = np.lexsort((row, -score, query))
        return JudgedHits(judgment[order], query[order], score[order], row[order])

    def length(self) -> Ints:
        """The number of rows of each judged query; -1 if it has none."""
        n_rows = self._n_rows[: len(self.qrels)]
        return np.where(n_rows > 0, n_rows, -1)

    def n_constant(self) -> int:
        """The number of judged queries with several rows that all have the same score."""
        judged = slice(len(self.qrels))
        return int(((self._n_rows[judged] > 1) & ~self._varies[judged]).sum())

    @property
    def n_extra(self) -> int:
        """The number of queries without judgments."""
        return len(self.numbers) - len(self.qrels)


def _paired(document: Words, query: Ints) -> Words:
    """One hash for query and document together."""
    return document ^ ((query + 1).astype(np.uint64) * FACTOR)


class RankCounter:
    """The second pass: counts better and equal rows for the judged documents, in one precision."""

    def __init__(self, hits: JudgedHits, documents: ByteFields, precision: str) -> None:
        """The documents are those of the hits, which are sorted by query and by score, the best first."""
        self._row, self._documents, self._precision = hits.row, documents, precision
        with np.errstate(over="ignore"):
            negated = -hits.score.astype(precision)
        n_queries = int(hits.query.max(initial=-1)) + 1
        end = np.cumsum(np.bincount(hits.query, minlength=n_queries))
        start = np.append(np.zeros(1, dtype=np.int64), end[:-1])[: len(end)]
        self._order = ScoreOrder(negated, start, end, np.ones(len(end), dtype=bool))
        self.counts = np.zeros((4, len(negated) + 1), dtype=np.int64)
        """Better, equal, above and earlier rows of each judged document. Counts of parts of a run can be added up."""

    def empty(self) -> RankCounter:
        """A counter for the same documents that has not counted any row."""
        counter = copy(self)
        counter.counts = np.zeros_like(self.counts)
        return counter

    def add(self, queries: Ints, documents: ByteFields, scores: Floats, number: int) -> None:
        """Count rows; `number` is that of the first row in the file."""
        order, n = self._order, self.counts.shape[1]
        rows = np.flatnonzero(queries < len(order.end))
        rows = rows[order.end[queries[rows]] > order.start[queries[rows]]]
        query = queries[rows]
        with np.errstate(over="ignore"):
            key = -scores[rows].astype(self._precision)
        first = order.first_at_least(query, key, strictly=False)
        is_equal = first < order.end[query]
        is_equal[is_equal] = order.negated[first[is_equal]] == key[is_equal]
        past = first.copy()
        past[is_equal] = order.first_at_least(query[is_equal], key[is_equal], strictly=True)
        better, equal, above, earlier = self.counts
        better += np.bincount(past, minlength=n) - np.bincount(order.end[query], minlength=n)
        for equals in _in_parts(np.flatnonzero(is_equal), past - first):
            owner, position = spread(past[equals] - first[equals])
            entry, row = first[equals][owner] + position, rows[equals][owner]
            equal += np.bincount(entry, minlength=n)
            is_above = documents.take(row).above(self._documents.take(entry))
            above += np.bincount(entry[is_above], minlength=n)
            is_earlier = number + row < self._row[entry]
            earlier += np.bincount(entry[is_earlier], minlength=n)

    def placed(self) -> Placed:
        """The counts of each judged document."""
        return placed_of(self.counts)


def _in_parts(rows: Ints, n_pairs: Ints) -> list[Ints]:
    """The rows in parts that need about MAX_PAIRS comparisons each, so that memory stays small if many rows are tied."""
    needed = np.cumsum(n_pairs[rows])
    if not len(rows) or needed[-1] <= MAX_PAIRS:
        return [rows]
    return np.split(rows, np.searchsorted(needed, np.arange(MAX_PAIRS, needed[-1], MAX_PAIRS)))


def placed_of(counts: Ints) -> Placed:
    """The counts of a RankCounter of the whole run. A row counts as better from its place on, to the end of its query."""
    better, equal, above, earlier = counts[:, :-1]
    return Placed(np.cumsum(better), equal, above, earlier)
