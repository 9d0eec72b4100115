"""Changed features: the values of one feature, permuted within queries or left out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Ints
from assay.model import Features, FeatureTable

ROWS_AT_ONCE = 100_000
"""Rows that are copied at once; a block has whole queries."""
Keys = NDArray[np.uint64]


class FeatureChanges:
    """The documents of a table in blocks, with one feature changed. Other features stay as they are."""

    def __init__(self, table: FeatureTable) -> None:
        self.table = table
        self._place = np.repeat(np.arange(len(table.query_ids)), np.diff(table.offsets))

    @cached_property
    def _keys(self) -> Keys:
        """A number for each row that depends only on its query and document, so that the order of lines has no effect."""
        table = self.table
        names = (table.query_ids[place] for place in self._place.tolist())
        rows = (f"{query}\0{doc}" for query, doc in zip(names, table.documents, strict=True))
        digests = b"".join(blake2b(row.encode("utf-8", "surrogatepass"), digest_size=8).digest() for row in rows)
        return np.frombuffer(digests, dtype="<u8").astype(np.uint64)

    @cached_property
    def _by_key(self) -> Ints:
        return np.lexsort((self._keys, self._place))

    def permuted(self, number: int, seed: int, repeat: int) -> NDArray[np.float32]:
        """The values of a feature in a random order within each query."""
        column = self.table.values[:, self.table.column(number)]
        salt = blake2b(f"{seed} {number} {repeat}".encode(), digest_size=8).digest()
        order = np.lexsort((_mixed(self._keys ^ np.frombuffer(salt, dtype="<u8")[0]), self._place))
        values = np.empty(len(column), dtype=np.float32)
        values[self._by_key] = column[order]
        return values

    def left_out(self, number: int) -> NDArray[np.float32]:
        """For each document the mean of the feature over its query, so that the feature cannot order the documents.

        Documents without the feature do not count; if no document of a query has it, it stays absent.
        """
        column = np.asarray(self.table.values[:, self.table.column(number)], dtype=np.float64)
        is_there, n = ~np.isnan(column), len(self.table.query_ids)
        total = np.bincount(self._place, weights=np.where(is_there, column, 0.0), minlength=n)
        count = np.bincount(self._place, weights=is_there, minlength=n)
        mean = np.divide(total, count, out=np.full(n, np.nan), where=count > 0)
        return mean[self._place].astype(np.float32)

    def blocks(self, number: int | None, values: NDArray[np.float32] | None) -> Iterator[FeatureTable]:
        """Tables of some queries each, with these values of a feature; None: unchanged."""
        for block, rows in self._blocks:
            whole: Features = np.asarray(self.table.values[rows])
            if number is not None and values is not None:
                whole = whole.copy()
                whole[:, self.table.column(number)] = values[rows]
            yield block.with_values(whole)

    @cached_property
    def _blocks(self) -> list[tuple[FeatureTable, slice]]:
        """Blocks of whole queries, without their values, and their rows."""
        table, blocks, begin = self.table, [], 0
        for place, end in enumerate(table.offsets[1:].tolist(), 1):
            rows = slice(int(table.offsets[begin]), end)
            if rows.stop - rows.start >= ROWS_AT_ONCE or place == len(table.query_ids):
                offsets = table.offsets[begin : place + 1] - table.offsets[begin]
                queries, empty = table.query_ids[begin:place], np.zeros((rows.stop - rows.start, 0), dtype=np.float32)
                block = FeatureTable(queries, offsets, table.labels[rows], table.documents[rows], empty, table.first)
                blocks.append((block, rows))
                begin = place
        return blocks


def _mixed(word: Keys) -> Keys:
    """Words in which every bit depends on every input bit, by two rounds of multiplication and shifts."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        word = word ^ (word >> np.uint64(33))
        word = word * np.uint64(factor)
    return word ^ (word >> np.uint64(33))
