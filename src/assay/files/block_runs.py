"""The block reader for TREC runs: NumPy splits, reads and ranks a block of lines at a time, whole queries only.

A rank is one more than the number of better rows of its query. So a block leaves behind only its judged documents, each with
the number of better and of equal rows, and memory does not grow with the file. Judged documents are found by a hash and then
compared byte by byte. If the lines of a query are not together, `scattered_runs` counts in two passes. If anything else is
unusual (a malformed line, a document that may appear twice), another reader reads the file.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Ints, ScoreOrder, distinct, spread
from assay.files.byte_fields import FACTOR, PADDING, ByteFields, find_hashes
from assay.files.counted_judgments import (
    CountedJudgments,
    JudgedFields,
    Placed,
    has_many_judgments,
    judged_fields,
    return_free_memory,
)
from assay.files.long_reads import LongRead, long_read
from assay.files.rows import n_columns, trec_fields
from assay.files.scattered_runs import count_scattered
from assay.files.source import FileSource
from assay.files.trec_blocks import BLOCK, WIDTH, Block, Unusual, read_blocks
from assay.model import Qrels, RankRule
from assay.views import Ranked

LEAST = 50_000
"""Bytes of a file; smaller ones are read faster line by line."""
LARGE = 50_000_000
"""Bytes of a file whose blocks leave much free memory behind."""
MAX_PARTS = 4
LEAST_PART = 1 << 23
"""Bytes of a part that is worth a thread."""
MAX_PAIRS_PER_ROW = 8
"""If tied documents need more comparisons than this for each row, sorting them is faster."""
TIES = frozenset({"docid_desc", "docid_asc", "input_order", "reverse_order"})


def rank_blocks(
    source: Any, qrels: Qrels, rules: Collection[RankRule], *, name_extra: bool = False
) -> dict[RankRule, Ranked] | None:
    """Rank a TREC file by several rules; None if it must be read in another way, for example to name queries."""
    if not _is_readable(source) or any(rule.drop_self or rule.ties not in TIES for rule in rules):
        return None
    precisions = tuple(dict.fromkeys(rule.precision for rule in rules))
    try:
        counted = _count(source, qrels, precisions)
    except Unusual:
        return None
    if name_extra and counted.n_extra:
        return None
    if has_many_judgments(qrels) or source.path.stat().st_size >= LARGE:
        return_free_memory()
    tag = trec_fields(source.first_line, WIDTH)[5].decode("utf-8", "replace")
    return {rule: counted.ranked(qrels, rule, tag) for rule in rules}


def _count(source: FileSource, qrels: Qrels, precisions: Sequence[str]) -> CountedJudgments:
    judged = judged_fields(qrels)
    try:
        return _scan_parts(source, Scan(qrels, judged, precisions), _parts(source)).counted()
    except QueryComesBack:
        return count_scattered(source, qrels, judged, precisions)


def _scan_parts(source: FileSource, scan: Scan, parts: Sequence[tuple[int, int | None]]) -> Scan:
    """Scan the parts of a file side by side; NumPy computes outside of the interpreter's lock."""
    with long_read() as read:

        def scan_part(part: tuple[int, int | None]) -> Scan:
            own = scan.empty()
            with source.reading() as file:
                for block in read_blocks(file, *part):
                    read.advance(source.label, block.n_bytes, len(block))
                    own.add(block)
            return own

        if len(parts) == 1:
            return scan_part(parts[0])
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(parts)) as pool, _stopping(read):
            return Scan.joined(list(pool.map(scan_part, parts)))


@contextmanager
def _stopping(read: LongRead) -> Iterator[None]:
    """After Ctrl-C, stop the threads, which cannot be interrupted themselves."""
    try:
        yield
    except KeyboardInterrupt:
        read.is_stopped = True
        raise


def _parts(source: FileSource) -> list[tuple[int, int | None]]:
    """Where parts of the file begin and end, each with whole queries; None: the end of the file."""
    size = source.path.stat().st_size
    n_parts = min(os.cpu_count() or 1, MAX_PARTS, size // LEAST_PART)
    if source.compression or n_parts < 2:
        return [(0, None)]
    cuts = [_next_query(source, size * part // n_parts) for part in range(1, n_parts)]
    places = [0, *sorted({cut for cut in cuts if cut is not None})]
    return list(zip(places, [*places[1:], None], strict=True))


def _next_query(source: FileSource, place: int) -> int | None:
    """The first place after this one at which a query begins; None if none begins soon."""
    with source.reading() as file:
        file.seek(place)
        text = file.read(BLOCK)
    begin, end = text.find(b"\n") + 1, text.rfind(b"\n") + 1
    if not 0 < begin < end:
        return None
    block = Block.of(np.frombuffer(text + bytes(PADDING), dtype=np.uint8), begin, end)
    return place + int(block.line[block.start[1]]) if len(block.start) > 1 else None


def _is_readable(source: Any) -> bool:
    if not isinstance(source, FileSource) or source.path.stat().st_size < LEAST or source.kind != "trec":
        return False
    return n_columns(source.first_line) == WIDTH


class QueryComesBack(Exception):
    """The lines of a query are not together."""


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
        """The scan of all parts of a file; QueryComesBack if a query is in two of them."""
        whole = scans[0].empty()
        for scan in scans:
            if not whole._seen.isdisjoint(scan._seen):
                raise QueryComesBack
            whole._seen |= scan._seen
            whole.n_extra += scan.n_extra
            whole.n_constant += scan.n_constant
            whole.length = np.maximum(whole.length, scan.length)
            whole._judgments += scan._judgments
            for precision, placed in scan._placed.items():
                whole._placed[precision] += placed
        return whole

    def add(self, block: Block) -> None:
        """Rank the judged documents of a block."""
        names = block.queries.texts()
        n_seen = len(self._seen)
        self._seen.update(names)
        if len(self._seen) < n_seen + len(names):
            raise QueryComesBack
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

    def _find(self, block: Block, number: Ints, lengths: Ints) -> tuple[Ints, Ints, Ints]:
        """The lines of judged documents, their judgments, and the places of their queries in the block."""
        place = np.repeat(np.arange(len(number)), lengths)
        salt = np.arange(1, len(number) + 1, dtype=np.uint64) * FACTOR
        pair = block.documents.hashes()
        pair ^= salt[place]
        ordered = np.sort(pair)
        if (ordered[1:] == ordered[:-1]).any():
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


def _place(block: Block, score: NDArray[np.floating], row: Ints, place: Ints) -> Placed:
    """Count the better and equal rows of each judged document, and break ties."""
    negated = -score
    order = ScoreOrder.of(negated.copy(), block.start, block.ends)
    better, equal = order.locate(place, score[row])
    above, earlier = np.zeros((2, len(row)), dtype=np.int64)
    tied = np.flatnonzero(equal > 1)
    if len(tied):
        rows = _rows_in_order(negated, order, distinct(place[tied]))
        first = block.start[place[tied]] + better[tied]
        above[tied], earlier[tied] = _break_ties(block.documents, rows, row[tied], first, equal[tied])
    return Placed(better, equal, above, earlier)


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
