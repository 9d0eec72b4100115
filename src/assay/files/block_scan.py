"""Block scan: finds and ranks the judged documents of blocks of whole queries.

A rank is one more than the number of better rows of its query. So a block leaves behind only its judged documents, each with
the number of better and of equal rows, and memory does not grow with the rows. Judged documents are found by a hash and then
compared byte by byte. Two documents of a query with the same hash may be one that appears twice: another reader decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints, ScoreOrder, distinct, spread
from assay.files.blocks.byte_fields import FACTOR, ByteFields, find_hashes, has_duplicates
from assay.files.blocks.trec_blocks import NeedsTwoPasses, Unusual
from assay.files.counted_judgments import CountedJudgments, JudgedFields, Placed
from assay.model import Qrels

MAX_PAIRS_PER_ROW = 8
"""If tied documents need more comparisons than this for each row, sorting them is faster."""
TIES = frozenset({"docid_desc", "docid_asc", "input_order", "reverse_order"})
"""The tie rules for which counts are enough."""


class RowBlock(Protocol):
    """Rows of a run: lines of a TREC file, or rows of a table."""

    @property
    def queries(self) -> ByteFields:
        """The id of each query; a query whose rows are not together appears several times."""

    @property
    def documents(self) -> ByteFields:
        """The document of each row."""

    @property
    def start(self) -> Ints:
        """For each query, its first row."""

    @property
    def ends(self) -> Ints:
        """For each query, the row after its last one."""

    def scores(self) -> Floats:
        """The score of each row."""

    def __len__(self) -> int:
        """The number of rows."""


@dataclass(eq=False)
class Scan:
    """The judged documents of all blocks so far, with the numbers of better and equal rows in each precision."""

    qrels: Qrels
    judged: JudgedFields
    precisions: Sequence[str]
    n_extra: int = 0
    length: Ints = field(init=False)
    n_constant: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _judgments: list[Ints] = field(default_factory=list)
    _placed: dict[str, list[Placed]] = field(init=False)

    def __post_init__(self) -> None:
        self.length = np.full(len(self.qrels), -1, dtype=np.int64)
        self._placed = {precision: [] for precision in self.precisions}

    def empty(self) -> Scan:
        """A scan of nothing, with the same judgments."""
        return Scan(self.qrels, self.judged, self.precisions)

    @classmethod
    def joined(cls, scans: Sequence[Scan]) -> Scan:
        """The scan of all parts of a file; NeedsTwoPasses if a query is in two of them."""
        whole = scans[0].empty()
        for scan in scans:
            if not whole._seen.isdisjoint(scan._seen):
                raise NeedsTwoPasses
            whole._seen |= scan._seen
            whole.n_extra += scan.n_extra
            whole.n_constant += scan.n_constant
            whole.length = np.maximum(whole.length, scan.length)
            whole._judgments += scan._judgments
            for precision, placed in scan._placed.items():
                whole._placed[precision] += placed
        return whole

    def add(self, block: RowBlock) -> None:
        """Rank the judged documents of a block."""
        names = block.queries.texts()
        n_seen = len(self._seen)
        self._seen.update(names)
        if len(self._seen) < n_seen + len(names):
            raise NeedsTwoPasses
        number = np.fromiter((self.judged.queries.get(name, -1) for name in names), np.int64, len(names))
        self.n_extra += int((number < 0).sum())
        lengths = block.ends - block.start
        known = number >= 0
        self.length[number[known]] = lengths[known]
        score = block.scores()
        row, judgment, place = self._find(block, number, lengths)
        self._judgments.append(judgment)
        for precision, placed in self._placed.items():
            with np.errstate(over="ignore"):
                scores = score.astype(precision, copy=False)
            placed.append(_place(block, scores, row, place))
        first, last = score[block.start], score[block.ends - 1]
        for query in np.flatnonzero(known & (lengths > 1) & (first == last)).tolist():
            self.n_constant += bool((score[block.start[query] : block.ends[query]] == first[query]).all())

    def _find(self, block: RowBlock, number: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints]:
        """The lines of judged documents, their judgments, and the places of their queries in the block."""
        place = np.repeat(np.arange(len(number)), lengths)
        salt = np.arange(1, len(number) + 1, dtype=np.uint64) * FACTOR
        pair = block.documents.hashes()
        pair ^= salt[place]
        if has_duplicates(pair):
            raise Unusual  # a document that may appear twice
        judgment = self._judgments_of(number)
        judged_place = np.repeat(np.arange(len(number)), self._n_judged(number))
        sought = self.judged.hashes[judgment] ^ salt[judged_place]
        order = np.argsort(sought)
        sought, judgment = sought[order], judgment[order]
        if (sought[1:] == sought[:-1]).any():
            raise Unusual
        row, near = find_hashes(pair, sought)
        judgment = judgment[near]
        same = block.documents.take(row).equal(self.judged.documents.take(judgment))
        return row[same], judgment[same], place[row[same]]

    def _n_judged(self, number: Ints) -> Ints:
        offsets = self.qrels.offsets
        return np.where(number >= 0, offsets[number + 1] - offsets[number], 0)

    def _judgments_of(self, number: Ints) -> Ints:
        """The judgments of the queries of a block, query by query."""
        owner, position = spread(self._n_judged(number))
        return self.qrels.offsets[number[owner]] + position

    def counted(self) -> CountedJudgments:
        """The judged documents of all blocks."""
        judgment = np.concatenate([*self._judgments, np.zeros(0, dtype=np.int64)])
        placed = {precision: Placed.joined(parts) for precision, parts in self._placed.items()}
        return CountedJudgments(judgment, placed, self.length, self.n_constant, self.n_extra)


def _place(block: RowBlock, score: NDArray[np.floating], row: Ints, place: Ints) -> Placed:
    """Count the better and equal rows of each judged document, and break ties."""
    negated = -score
    order = ScoreOrder.of(negated.copy(), block.start, block.ends)
    if order.was_sorted.all():
        better, equal = _locate_sorted(negated, block.start, row, place)
    else:
        better, equal = order.locate(place, score[row])
    above, earlier = np.zeros((2, len(row)), dtype=np.int64)
    tied = np.flatnonzero(equal > 1)
    if len(tied):
        rows = _rows_in_order(negated, order, distinct(place[tied]))
        first = block.start[place[tied]] + better[tied]
        above[tied], earlier[tied] = _break_ties(block.documents, rows, row[tied], first, equal[tied])
    return Placed(better, equal, above, earlier)


def _locate_sorted(negated: NDArray[np.floating], start: Ints, row: Ints, place: Ints) -> tuple[Ints, Ints]:
    """How many rows of its query are better than each of these rows, and how many equal, if all queries are sorted."""
    begins = np.ones(len(negated), dtype=bool)
    np.not_equal(negated[1:], negated[:-1], out=begins[1:])
    begins[start] = True
    group = np.flatnonzero(begins)
    number = np.searchsorted(group, row, side="right") - 1
    first = group[number]
    return first - start[place], np.append(group[1:], len(negated))[number] - first


def _rows_in_order(negated: NDArray[np.floating], order: ScoreOrder, places: Ints) -> Ints:
    """The rows by score, the best first; equal scores in the order of the file. Only queries with ties are sorted."""
    rows = np.arange(len(negated))
    for place in places[~order.was_sorted[places]].tolist():
        start, end = order.start[place], order.end[place]
        rows[start:end] = start + np.argsort(negated[start:end], kind="stable")
    return rows


def _break_ties(documents: ByteFields, rows: Ints, row: Ints, first: Ints, n_equal: Ints) -> tuple[Ints, Ints]:
    """How many of the equal rows have a higher id than each judged document, and how many come before it."""
    group, inverse = np.unique(first, return_inverse=True)
    size = np.zeros(len(group), dtype=np.int64)
    size[inverse] = n_equal
    if n_equal.sum() > MAX_PAIRS_PER_ROW * size.sum():
        return _break_ties_by_sorting(documents, rows, row, group, size)
    owner, position = spread(n_equal)
    equals = rows[first[owner] + position]
    own = row[owner]
    is_above = documents.take(equals).above(documents.take(own))
    n_rows = len(row)
    return (
        np.bincount(owner, is_above, n_rows).astype(np.int64),
        np.bincount(owner, equals < own, n_rows).astype(np.int64),
    )


def _break_ties_by_sorting(documents: ByteFields, rows: Ints, row: Ints, group: Ints, size: Ints) -> tuple[Ints, Ints]:
    """The same by sorting each group once, for groups with many judged documents."""
    owner, position = spread(size)
    equals = rows[group[owner] + position]
    above, earlier = np.zeros((2, len(rows)), dtype=np.int64)
    earlier[equals] = position
    above[equals[documents.take(equals).order_within(owner)]] = position
    return above[row], earlier[row]
