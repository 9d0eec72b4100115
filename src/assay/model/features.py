"""FeatureTable: the features and the label of each document of a query, in flat arrays; what learning to rank reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.model.ids import key_id

Features = NDArray[np.float32]
"""A row for each document, a column for each feature; nan if the file does not state the feature."""
ROWS_AT_ONCE = 1 << 16
"""Rows that are hashed or compared at once, because the array may be a file that is larger than memory."""


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """The documents of each query in the order of the file. The rows of a query are together."""

    query_ids: tuple[str, ...]
    offsets: Ints
    """The first row of each query, and at the end the number of rows."""
    labels: Floats
    documents: Sequence[str]
    """The id of the document of each row; an id is unique in its query."""
    values: Features
    first: int = 1
    """The number of the first feature: 1, or 0 if the file counts from 0."""
    queries_per_file: tuple[int, ...] = ()
    """The number of queries of each file that was read."""

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n_features(self) -> int:
        """The number of columns, which is the highest number of a feature if the file counts from 1."""
        return int(self.values.shape[1])

    @property
    def numbers(self) -> range:
        """The numbers of the features, as the file has them."""
        return range(self.first, self.first + self.n_features)

    @cached_property
    def places(self) -> dict[str, int]:
        """Query id → its index in `query_ids`."""
        return {query: place for place, query in enumerate(self.query_ids)}

    @cached_property
    def longest(self) -> int:
        """The number of documents of the query that has most."""
        return int(np.diff(self.offsets).max(initial=0))

    def rows(self, query: str) -> slice:
        """The rows of a query; KeyError if it has none."""
        place = self.places[key_id(query)]
        return slice(int(self.offsets[place]), int(self.offsets[place + 1]))

    def ids(self, query: str) -> Sequence[str]:
        """The ids of the documents of a query, in the order of the file."""
        return self.documents[self.rows(query)]

    def column(self, number: int) -> int:
        """The column of a feature by its number; an error if there is no such feature."""
        if number not in self.numbers:
            numbers = f"the features {self.numbers[0]} to {self.numbers[-1]}" if self.n_features else "no features"
            raise DataError(f"there is no feature {number}: the file has {numbers}")
        return number - self.first

    @cached_property
    def groups(self) -> Mapping[str, Sequence[str]]:
        """Query → the ids of its documents."""
        return QueryDocuments(self)

    def grades(self) -> dict[str, dict[str, float]]:
        """Query → document → label."""
        labels, documents, bounds = self.labels.tolist(), self.documents, self.offsets.tolist()
        return {
            query: dict(zip(documents[begin:end], labels[begin:end], strict=True))
            for query, begin, end in zip(self.query_ids, bounds[:-1], bounds[1:], strict=True)
        }

    @cached_property
    def fingerprint(self) -> str:
        """A hash of queries, documents and features in the order of the file."""
        digest = blake2b(repr((self.query_ids, self.values.shape, self.first)).encode(), digest_size=8)
        digest.update(self.offsets.tobytes())
        for begin in range(0, len(self), ROWS_AT_ONCE):
            rows = slice(begin, begin + ROWS_AT_ONCE)
            digest.update("\n".join(self.documents[rows]).encode("utf-8", "surrogatepass"))
            digest.update(self.values[rows].tobytes())
        return digest.hexdigest()

    def of_queries(self, queries: Sequence[str]) -> FeatureTable:
        """Only the rows of these queries, in this order; the values are copied."""
        rows = [self.rows(query) for query in queries]
        lengths = [some.stop - some.start for some in rows]
        every = np.concatenate([np.arange(some.start, some.stop) for some in rows] or [np.zeros(0, np.int64)])
        return FeatureTable(
            tuple(queries),
            np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))),
            self.labels[every],
            [self.documents[row] for row in every.tolist()],
            self.values[every],
            self.first,
        )

    def with_values(self, values: Features) -> FeatureTable:
        """The same documents with other features."""
        return FeatureTable(self.query_ids, self.offsets, self.labels, self.documents, values, self.first)


class QueryDocuments(Mapping[str, Sequence[str]]):
    """Query → the ids of its documents; the lists are made when they are needed."""

    def __init__(self, table: FeatureTable) -> None:
        self._table = table

    def __getitem__(self, query: str) -> Sequence[str]:
        return self._table.ids(query)

    def __iter__(self) -> Iterator[str]:
        return iter(self._table.query_ids)

    def __len__(self) -> int:
        return len(self._table.query_ids)
