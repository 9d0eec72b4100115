"""Scores as a payload: one column of numbers or of texts for each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.model import ScoreTable
from assay.schema import SchemaError
from assay.store.numbers import Kind, PackedNumbers, pack_numbers, unpack_numbers
from assay.store.payload import PackedTexts, pack_parts, pack_texts, unpack_parts, unpack_texts
from assay.text import counted

Values = Floats | list[str]
"""The scores of one metric, nan where undefined; or text."""


def columns_of_table(table: ScoreTable) -> dict[str, Values]:
    """Metric → its scores; none at all where no query was scored, as in a saved result."""
    if not table.query_ids:
        return {}
    return {name: _values(column.score) for name, column in table.columns.items()}


def _values(scores: NDArray[Any]) -> Values:
    """Every nan as the usual one: nobody can tell them apart, but their bytes would be."""
    if scores.dtype == object:
        return list(map(str, scores.tolist()))
    numbers = np.asarray(scores, dtype=float)
    return np.where(np.isnan(numbers), np.nan, numbers)


def columns_of_plain(by_query: Mapping[str, Mapping[str, Any]]) -> dict[str, Values]:
    """The same from `per_query` of a result's plain values."""
    rows = list(by_query.values())
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return {name: scores if _is_text(scores) else _floats(scores) for name, scores in columns.items()}


def _is_text(scores: Sequence[Any]) -> bool:
    return any(isinstance(score, str) for score in scores)


def _floats(scores: Sequence[Any]) -> Floats:
    return np.array([np.nan if score is None else float(score) for score in scores], dtype=float)


class PackedColumn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The scores of a metric: texts, or numbers."""

    name: str
    text: PackedTexts | bytes | None = None
    kind: Kind | None = msgspec.field(name="as", default=None)
    table: bytes | None = None
    data: bytes | None = None

    @classmethod
    def of(cls, name: str, values: Values) -> PackedColumn:
        """The scores, packed."""
        if isinstance(values, list):
            return cls(name=name, text=pack_texts(values))
        packed = pack_numbers(values)
        return cls(name=name, kind=packed.kind, table=packed.table, data=packed.data)

    def values(self) -> Values:
        """The scores."""
        if self.text is not None:
            return unpack_texts(self.text)
        if self.kind is None or self.data is None:
            raise SchemaError(f"expected texts or numbers for {self.name!r}, found neither")
        return unpack_numbers(PackedNumbers(kind=self.kind, table=self.table, data=self.data))


class PackedScores(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Queries, and a column of scores for each metric."""

    queries: PackedTexts | bytes
    columns: list[PackedColumn]


def pack_scores(query_ids: Sequence[str], columns: Mapping[str, Values]) -> bytes:
    """Queries and columns, in order."""
    return pack_parts(PackedScores(pack_texts(query_ids), [PackedColumn.of(*pair) for pair in columns.items()]))


def unpack_scores(payload: bytes) -> tuple[tuple[str, ...], dict[str, Values]]:
    """What `pack_scores` was given. Nan comes back as the one usual nan."""
    packed = unpack_parts(payload, PackedScores)
    query_ids = tuple(unpack_texts(packed.queries))
    columns = {column.name: column.values() for column in packed.columns}
    if odd := [name for name, values in columns.items() if len(values) != len(query_ids)]:
        raise SchemaError(f"expected a score of {odd[0]!r} for each of {counted(len(query_ids), 'query')}")
    return query_ids, columns
