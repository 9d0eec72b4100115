"""Blocks of a table: rows that the database reads, in their order in the file.

A block is made from pieces of the batches that the database returns. The rows of its last query are kept for the next block,
because the query may go on there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assay.arrays import Floats, Ints
from assay.files.blocks.arrow_streams import Batch, TextColumn
from assay.files.blocks.byte_fields import PADDING, ByteFields, Bytes
from assay.files.blocks.trec_blocks import NeedsTwoPasses, Unusual

ROWS = 1 << 15
"""Rows of a block: few enough that NumPy's intermediate arrays stay in the cache of the processor."""
MOST_ROWS = 1 << 21
"""Rows of one query; a query with more is counted in two passes, which do not need all of its rows at once."""


@dataclass(frozen=True, eq=False)
class TableBlock:
    """Rows of a table as bytes and arrays."""

    query_ids: ByteFields
    """The query of each row."""
    documents: ByteFields
    """The document of each row."""
    score: Floats
    start: Ints
    """For each query, its first row."""

    @classmethod
    def of(cls, queries: ByteFields, documents: ByteFields, score: Floats) -> TableBlock:
        """The block of these rows; Unusual if a score is not a number, or if an id contains a zero byte."""
        if np.isnan(score).any() or _has_zeros(queries) or _has_zeros(documents):
            raise Unusual
        return cls(queries, documents, score, np.flatnonzero(queries.differs_from_previous()))

    def split(self) -> tuple[TableBlock, TableBlock]:
        """The rows before the last query, and the rows of the last query."""
        last = int(self.start[-1])
        before = TableBlock(
            _slice(self.query_ids, 0, last), _slice(self.documents, 0, last), self.score[:last], self.start[:-1]
        )
        rows = last, len(self)
        return before, TableBlock(
            _slice(self.query_ids, *rows), _slice(self.documents, *rows), self.score[last:], self.start[:1]
        )

    def __len__(self) -> int:
        return len(self.score)

    @cached_property
    def ends(self) -> Ints:
        """For each query, the row after its last one."""
        return np.append(self.start[1:], len(self))

    @cached_property
    def queries(self) -> ByteFields:
        """The id of each query; a query whose rows are not together appears several times."""
        return self.query_ids.take(self.start)

    def scores(self) -> Floats:
        """The score of each row."""
        return self.score


def table_blocks(batches: Iterable[Batch], *, whole_queries: bool = True) -> Iterator[TableBlock]:
    """The rows of these batches in blocks; with `whole_queries`, a block ends where a query ends."""
    kept: TableBlock | None = None
    for batch in batches:
        begin = 0
        while begin < len(batch):
            end = min(begin + max(ROWS, 0 if kept is None else len(kept)), len(batch))
            block = _joined(kept, batch, begin, end)
            begin = end
            if not whole_queries:
                yield block
                continue
            before, kept = block.split()
            if len(kept) > MOST_ROWS:
                raise NeedsTwoPasses
            if len(before):
                yield before
    if kept is not None:
        yield kept


def _joined(kept: TableBlock | None, batch: Batch, begin: int, end: int) -> TableBlock:
    """The block of the rows that were kept and of rows of a batch, whose memory it does not use."""
    queries, documents = fields_of(batch.queries, begin, end), fields_of(batch.documents, begin, end)
    score = batch.scores[begin:end]
    if kept is None:
        return TableBlock.of(queries, documents, score.copy())
    score = np.concatenate((kept.score, score))
    return TableBlock.of(_appended(kept.query_ids, queries), _appended(kept.documents, documents), score)


def fields_of(column: TextColumn, begin: int, end: int) -> ByteFields:
    """A copy of some rows of a column of text."""
    offsets = column.offsets[begin : end + 1].astype(np.int64)
    text = column.data[offsets[0] : offsets[-1]]
    return ByteFields(_padded(text), offsets[:-1] - offsets[0], np.diff(offsets))


def _slice(fields: ByteFields, begin: int, end: int) -> ByteFields:
    return ByteFields(fields.data, fields.start[begin:end], fields.length[begin:end])


def _appended(first: ByteFields, second: ByteFields) -> ByteFields:
    """The fields of both. In each, the next field begins where a field ends."""
    begin, end = int(first.start[0]), int(first.start[-1] + first.length[-1])
    data = _padded(first.data[begin:end], second.data[:-PADDING])
    start = np.concatenate((first.start - begin, second.start + (end - begin)))
    return ByteFields(data, start, np.concatenate((first.length, second.length)))


def _padded(*texts: Bytes) -> Bytes:
    return np.concatenate((*texts, np.zeros(PADDING, dtype=np.uint8)))


def _has_zeros(fields: ByteFields) -> bool:
    return int(np.count_nonzero(fields.data)) < len(fields.data) - PADDING
