"""The block reader for TREC runs: NumPy splits, reads and ranks a block of lines at a time, whole queries only.

A rank is one more than the number of better rows of its query. So a block leaves behind only its judged documents, each with the
number of better and of equal rows, and memory does not grow with the file. Judged documents are found by a hash and then compared
byte by byte. If anything is unusual (a malformed line, a document that may appear twice, a query that comes back), this reader
gives up, and another one reads the file.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Bools, Floats, Ints, ScoreOrder, spread
from assay.errors import DataError
from assay.files.byte_fields import FACTOR, PADDING, ByteFields, Bytes, Words
from assay.files.decimals import parse_decimals
from assay.files.rows import n_columns, trec_fields
from assay.files.source import BOM, FileSource
from assay.model import Qrels, RankRule
from assay.views import Ranked, Ties, counted_run

BLOCK = 1 << 20
"""Bytes that are read at a time."""
LARGEST_BLOCK = 1 << 26
"""Bytes of the rows of one query; a larger one is left to the database."""
LEAST = 50_000
"""Bytes of a file; smaller ones are read faster line by line."""
WIDTH = 6
NEWLINE, HASH_SIGN = b"\n#"
SPACES = b" \t"
TABLE_BITS = np.uint64(48)
MAX_PAIRS_PER_ROW = 8
"""If tied documents need more comparisons than this for each row, sorting them is faster."""
TIES = frozenset({"docid_desc", "docid_asc", "input_order", "reverse_order"})


class Unusual(Exception):
    """Another reader must read this file."""


def rank_blocks(
    source: Any, qrels: Qrels, rules: Collection[RankRule], *, name_extra: bool = False
) -> dict[RankRule, Ranked] | None:
    """Rank a TREC file by several rules; None if it must be read in another way, for example to name queries."""
    if not _is_readable(source) or any(rule.drop_self or rule.ties not in TIES for rule in rules):
        return None
    with source.reading() as file:
        scan = Scan(qrels, judged_fields(qrels), tuple(dict.fromkeys(rule.precision for rule in rules)))
        try:
            for block in _read_blocks(file, BLOCK):
                scan.add(block)
        except Unusual:
            return None
    if name_extra and scan.n_extra:
        return None
    tag = trec_fields(source.first_line, WIDTH)[5].decode("utf-8", "replace")
    return {rule: scan.ranked(rule, tag) for rule in rules}


def _is_readable(source: Any) -> bool:
    if not isinstance(source, FileSource) or source.path.stat().st_size < LEAST or source.kind != "trec":
        return False
    return n_columns(source.first_line) == WIDTH


# Judgments as bytes


@dataclass(frozen=True, eq=False)
class JudgedFields:
    """The judgments of a Qrels as hashes and bytes."""

    queries: Mapping[bytes, int]
    """Query → its number."""
    documents: ByteFields
    hashes: Words
    """The hash of each document."""

    @classmethod
    def of(cls, qrels: Qrels) -> JudgedFields:
        """The judgments as bytes."""
        queries = {query.encode("utf-8", "surrogatepass"): number for number, query in enumerate(qrels.query_ids)}
        documents = ByteFields.of(qrels.docs)
        return cls(queries, documents, documents.hashes())


_KNOWN: dict[int, tuple[ref[Qrels], JudgedFields]] = {}


def judged_fields(qrels: Qrels) -> JudgedFields:
    """The judgments as bytes; computed once, because several runs are often scored with the same judgments."""
    key = id(qrels)
    if key not in _KNOWN:
        _KNOWN[key] = ref(qrels, lambda _: _KNOWN.pop(key, None)), JudgedFields.of(qrels)
    return _KNOWN[key][1]


# Blocks of lines


def _read_blocks(file: IO[bytes], size: int) -> Iterator[Block]:
    """The lines of a file in blocks that end where a query ends."""
    buffer = bytearray(PADDING + size + PADDING)
    filled, is_first, is_last = 0, True, False
    while not is_last:
        with memoryview(buffer) as view:
            n_read = _fill(file, view[PADDING + filled : PADDING + size])
        filled, is_last = filled + n_read, filled + n_read < size
        if is_first and buffer[PADDING : PADDING + len(BOM)] == BOM:
            raise Unusual
        is_first = False
        if is_last and filled and buffer[PADDING + filled - 1] != NEWLINE:
            buffer[PADDING + filled] = NEWLINE
            filled += 1
        end = buffer.rfind(b"\n", PADDING, PADDING + filled) + 1
        block = Block.of(np.frombuffer(buffer, dtype=np.uint8), PADDING, end) if end else None
        used = 0
        if block is not None:
            block = block if is_last else block.without_last_query()
            if len(block.start):
                yield block
                used = block.end - PADDING
        if used:
            left = bytes(buffer[PADDING + used : PADDING + filled])
            del block
            buffer[PADDING : PADDING + len(left)] = left
            filled = len(left)
        elif not is_last:
            if size >= LARGEST_BLOCK:
                raise Unusual
            size *= 2
            buffer = buffer[: PADDING + filled] + bytes(size - filled + PADDING)


def _fill(file: IO[bytes], view: memoryview) -> int:
    """Read until the view is full or the file ends."""
    filled = 0
    while filled < len(view):
        n_read = file.readinto(view[filled:])  # type: ignore[attr-defined]
        if not n_read:
            break
        filled += n_read
    return filled


@dataclass(frozen=True, eq=False)
class Block:
    """Lines of six columns: where the columns end, and where the rows of each query begin."""

    data: Bytes
    marks: Ints
    """For each line, the place of the byte after each column."""
    line: Ints
    """For each line, the place of its first byte."""
    start: Ints
    """For each query, its first line."""
    end: int
    """The place after the last line."""

    @classmethod
    def of(cls, data: Bytes, begin: int, end: int) -> Block:
        """The lines between two places; Unusual if they are not plain lines of six columns with one mark between them."""
        text = data[begin:end]
        marks = np.flatnonzero(text <= 32)
        if len(marks) % WIDTH:
            raise Unusual
        marks += begin
        marks = marks.reshape(-1, WIDTH)
        line = np.empty(len(marks), dtype=np.int64)
        line[0] = begin
        line[1:] = marks[:-1, 5] + 1
        _check_lines(data, marks, line, text)
        queries = ByteFields(data, line, marks[:, 0] - line)
        return cls(data, marks, line, np.flatnonzero(queries.differs_from_previous()), end)

    def without_last_query(self) -> Block:
        """The block without the last query, which may go on after it."""
        last = int(self.start[-1])
        return Block(self.data, self.marks[:last], self.line[:last], self.start[:-1], int(self.line[last]))

    def __len__(self) -> int:
        return len(self.line)

    @cached_property
    def ends(self) -> Ints:
        """For each query, the line after its last one."""
        return np.append(self.start[1:], len(self))

    @cached_property
    def documents(self) -> ByteFields:
        """The ids of documents."""
        begin = self.marks[:, 1] + 1
        return ByteFields(self.data, begin, self.marks[:, 2] - begin)

    def queries(self) -> list[bytes]:
        """The id of each query."""
        places = zip(self.line[self.start].tolist(), self.marks[self.start, 0].tolist(), strict=True)
        data = self.data
        return [data[first:end].tobytes() for first, end in places]

    def scores(self) -> Floats:
        """The score of each line."""
        try:
            return parse_decimals(self.data, self.marks[:, 3] + 1, self.marks[:, 4])
        except DataError:
            raise Unusual from None


def _check_lines(data: Bytes, marks: Ints, line: Ints, text: Bytes) -> None:
    """Every line has five equal spaces or tabs and a line end, no empty column, and is neither a comment nor broken text."""
    kinds = data[marks]
    mark = kinds[0, 0]
    is_plain = mark in SPACES and (kinds[:, :5] == mark).all() and (kinds[:, 5] == NEWLINE).all()
    if not is_plain or (np.diff(marks, axis=1) < 2).any() or (marks[:, 0] == line).any() or (data[line] == HASH_SIGN).any():
        raise Unusual
    if text.max() > 127:
        try:
            str(text.data, "utf-8")
        except UnicodeDecodeError:
            raise Unusual from None


# Ranks


@dataclass(eq=False)
class Scan:
    """The judged documents of all blocks so far, with the numbers of better and equal rows in each precision."""

    qrels: Qrels
    judged: JudgedFields
    precisions: tuple[str, ...]
    n_extra: int = 0
    length: Ints = field(init=False)
    n_constant: int = 0
    _seen: set[bytes] = field(default_factory=set)
    _judgments: list[Ints] = field(default_factory=list)
    _placed: dict[str, list[Placed]] = field(init=False)

    def __post_init__(self) -> None:
        self.length = np.full(len(self.qrels), -1, dtype=np.int64)
        self._placed = {precision: [] for precision in self.precisions}

    def add(self, block: Block) -> None:
        """Rank the judged documents of a block."""
        names = block.queries()
        n_seen = len(self._seen)
        self._seen.update(names)
        if len(self._seen) < n_seen + len(names):
            raise Unusual  # a query that comes back
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
        table = np.zeros(1 << (64 - int(TABLE_BITS)), dtype=bool)
        table[sought >> TABLE_BITS] = True
        row = np.flatnonzero(table[pair >> TABLE_BITS])
        if not len(sought):
            row = row[:0]
        near = np.minimum(np.searchsorted(sought, pair[row]), max(len(sought) - 1, 0))
        is_hit = sought[near] == pair[row] if len(row) else np.zeros(0, dtype=bool)
        row, judgment = row[is_hit], judgment[near[is_hit]]
        same = block.documents.take(row).equal(self.judged.documents.take(judgment))
        return row[same], judgment[same], place[row[same]]

    def _n_judged(self, number: Ints) -> Ints:
        offsets = self.qrels.offsets
        return np.where(number >= 0, offsets[number + 1] - offsets[number], 0)

    def _judgments_of(self, number: Ints) -> Ints:
        """The judgments of the queries of a block, query by query."""
        owner, position = spread(self._n_judged(number))
        return self.qrels.offsets[number[owner]] + position

    def ranked(self, rule: RankRule, tag: str) -> Ranked:
        """The run ranked by a rule."""
        placed = Placed.joined(self._placed[rule.precision])
        judgment = np.concatenate([*self._judgments, np.zeros(0, dtype=np.int64)])
        return counted_run(
            self.qrels,
            judgment,
            Ties(placed.better, placed.equal),
            placed.ahead(rule.ties),
            self.length,
            n_constant=self.n_constant,
            n_extra=self.n_extra,
            tag=tag,
        )


@dataclass(frozen=True, eq=False)
class Placed:
    """For each judged document: how many rows are better, how many equal, and how many of these come before it."""

    better: Ints
    equal: Ints
    above: Ints
    """Equal rows whose document has a higher id."""
    earlier: Ints
    """Equal rows that come before it in the file."""

    @classmethod
    def joined(cls, parts: list[Placed]) -> Placed:
        """The documents of all blocks."""
        none = np.zeros(0, dtype=np.int64)
        names = ("better", "equal", "above", "earlier")
        return cls(*(np.concatenate([*(getattr(part, name) for part in parts), none]) for name in names))

    def ahead(self, ties: str) -> Ints:
        """How many equal rows come before each document."""
        count = self.above if ties.startswith("docid") else self.earlier
        return count if ties in ("docid_desc", "input_order") else self.equal - 1 - count


def _place(block: Block, score: NDArray[np.floating], row: Ints, place: Ints) -> Placed:
    """Count the better and equal rows of each judged document, and break ties."""
    negated = -score
    order = ScoreOrder.of(negated.copy(), block.start, block.ends)
    better, equal = order.locate(place, score[row])
    above, earlier = np.zeros((2, len(row)), dtype=np.int64)
    tied = np.flatnonzero(equal > 1)
    if len(tied):
        rows = _rows_in_order(negated, order, np.unique(place[tied]))
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


def _break_ties_by_sorting(
    documents: ByteFields, rows: Ints, row: Ints, group: Ints, size: Ints
) -> tuple[Ints, Ints]:
    """The same by sorting each group once, for groups with many judged documents."""
    owner, position = spread(size)
    equals = rows[group[owner] + position]
    above, earlier = np.zeros((2, len(rows)), dtype=np.int64)
    earlier[equals] = position
    above[equals[documents.take(equals).order_within(owner)]] = position
    return above[row], earlier[row]
