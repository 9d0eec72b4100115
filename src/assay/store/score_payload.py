"""Scores as a payload: one column of numbers or of texts for each metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.model.ordering import Floats
from assay.model.scores import ScoreTable
from assay.store.numbers import pack_numbers, unpack_numbers
from assay.store.payload import pack_parts, pack_texts, unpack_parts, unpack_texts

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


def pack_scores(query_ids: Sequence[str], columns: Mapping[str, Values]) -> bytes:
    """Queries and columns, in order."""
    packed = [
        {"name": name, "text": pack_texts(values)} if isinstance(values, list) else {"name": name, **pack_numbers(values)}
        for name, values in columns.items()
    ]
    return pack_parts({"queries": pack_texts(query_ids), "columns": packed})


def unpack_scores(payload: bytes) -> tuple[tuple[str, ...], dict[str, Values]]:
    """What `pack_scores` was given. Nan comes back as the one usual nan."""
    parts = unpack_parts(payload)
    columns: dict[str, Values] = {
        column["name"]: unpack_texts(column["text"]) if "text" in column else unpack_numbers(column)
        for column in parts["columns"]
    }
    return tuple(unpack_texts(parts["queries"])), columns
