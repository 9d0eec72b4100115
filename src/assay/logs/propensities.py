"""Propensities: how likely users look at each rank, from a table or a mapping."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import DataError, UsageError
from assay.files import TABLE_COLUMNS, each_numbered_record, fold
from assay.model import as_number, is_finite_number

WHERE = "propensities"


def read_propensities(source: Any, ranks: Floats) -> Floats:
    """The probability of each rank. A rank without one is an error."""
    known = _of_mapping(source) if isinstance(source, Mapping) else _of_file(source)
    missing = [f"{rank:g}" for rank in ranks if rank not in known]
    if missing:
        raise DataError(f"no propensity for rank {', '.join(missing[:5])}, at which documents were shown", source=WHERE)
    return np.array([known[rank] for rank in ranks.tolist()], dtype=float)


def _of_mapping(source: Mapping[Any, Any]) -> dict[float, float]:
    return {_rank(rank): _probability(value) for rank, value in source.items()}


def _of_file(source: Any) -> dict[float, float]:
    """A table with the columns rank and propensity."""
    if not isinstance(source, str | Path):
        raise UsageError(f"propensities must be a file or a mapping of ranks to probabilities, not {source!r}")
    known: dict[float, float] = {}

    def take(_number: int, _place: str, record: Mapping[str, Any]) -> None:
        names = {fold(name): name for name in record}
        columns = {
            role: next((names[name] for name in TABLE_COLUMNS["logs"][role] if name in names), None)
            for role in ("rank", "propensity")
        }
        for role, name in columns.items():
            if name is None:
                raise DataError(f"found no column {role} among {', '.join(map(repr, record))}")
        known[_rank(record[str(columns["rank"])])] = _probability(record[str(columns["propensity"])])

    each_numbered_record(Path(source), take)
    return known


def _rank(value: Any) -> float:
    number = _number(value)
    if number is None or number < 1 or number != int(number):
        raise DataError(f"a rank must be a whole number from 1, not {value!r}")
    return number


def _probability(value: Any) -> float:
    number = _number(value)
    if number is None or not 0 < number <= 1:
        raise DataError(f"a propensity must be above 0 and at most 1, not {value!r}")
    return number


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return as_number(value) if is_finite_number(value) else None
