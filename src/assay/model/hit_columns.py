"""Hit columns: answers as columns, the way Chroma gives them, read as one record for each hit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.model.numeric import as_number
from assay.text import shortened

COLUMNS = {"ids": "id", "distances": "distance", "scores": "score", "documents": "text", "metadatas": "metadata"}
"""Column → field of a record; each column is a list, or a list with one list for the one query."""
TERM = "hpo_id"
"""What metadata call the term that a hit is about: several entries of an index, such as synonyms, may share one."""


def are_columns(answer: Any) -> bool:
    """Whether an answer is made of columns: it has a list of ids."""
    return isinstance(answer, Mapping) and isinstance(answer.get("ids"), list)


def records_of_columns(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Columns as records; a ValueError says where columns do not fit together."""
    columns = {COLUMNS[name]: _column(column) for name, column in answer.items() if name in COLUMNS and column}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"the columns of the answer differ in length: {lengths}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def scored_entries(answer: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Ids, or the terms that metadata name, each with its score; of entries of one term the best is left.

    The nearer the better: a distance is a score below 0. Without either, entries are taken as ranked.
    """
    found: list[tuple[Any, Any]] = []
    best: dict[str, Any] = {}
    for place, record in enumerate(records_of_columns(answer)):
        far, term = as_number(record.get("distance")), term_of(record.get("metadata"))
        score = record.get("score", -float(place) if far is None else -far)
        if term is None:
            found.append((record.get("id"), score))
        else:
            best[term] = max(best.get(term, score), score)
    return [*best.items(), *found]


def _column(column: Any) -> list[Any]:
    if isinstance(column, list) and len(column) == 1 and isinstance(column[0], list):
        column = column[0]
    if not isinstance(column, list) or any(isinstance(one, list) for one in column):
        raise ValueError(f"expected the hits of one query, found {shortened(column)}")
    return column


def term_of(metadata: Any) -> str | None:
    """The term that metadata name; None where they name none."""
    term = metadata.get(TERM) if isinstance(metadata, Mapping) else None
    return term if isinstance(term, str) and term else None
