"""Values: read scores, grades, truth values and fields of any type."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.grammar import flag
from assay.model.ids import all_text
from assay.text import shortened


def as_number(value: object) -> float | None:
    """The value as a float; None for text, None, nan, and whole numbers too large for a float.

    An array or tensor without dimensions is read as the number in it.
    """
    if not isinstance(value, numbers.Real | np.number | np.bool_ | Decimal):
        inside = _inside(value)
        return None if inside is None else as_number(inside)
    if isinstance(value, np.complexfloating):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):  # ValueError: a signalling nan
        return None
    return None if math.isnan(number) else number


def _inside(value: Any) -> object | None:
    """The value in an array without dimensions; None for anything else."""
    item = getattr(value, "item", None)
    return item() if getattr(value, "ndim", None) == 0 and callable(item) else None


def as_score(value: object) -> float | None:
    """The value as a float that documents can be ranked by; None also for truth values."""
    return None if is_truth_value(value) else as_number(value)


def is_truth_value(value: object) -> bool:
    """Whether the value is True or False, which Python treats as 1 and 0."""
    return isinstance(value, bool | np.bool_) or isinstance(_inside(value), bool)


def parse_number(value: Any) -> float:
    """The number in a field of a file or record; a ValueError or TypeError if it is not a number.

    Text is read as other tools read it: `1_0` and digits of other scripts are not numbers, although Python accepts them.
    """
    if isinstance(value, str):
        if "_" in value or not value.isascii():
            raise ValueError(f"not a number: {value!r}")
    elif is_truth_value(value):
        raise TypeError(f"a truth value, not a number: {value!r}")
    return float(value)


IGNORED = float(-np.finfo(np.float64).max)
"""The grade of a document that does not count for a query: it is dropped from rankings before anything is measured.

It is a finite number, so it goes wherever grades go, and no judge gives it. Below every real grade, it is never relevant.
"""
IGNORE = "ignore"
"""How judgments in tables, JSON and mappings write this grade."""


def is_ignore(value: object) -> bool:
    """Whether a value is the word for a document that does not count, in any case."""
    return isinstance(value, str) and value.strip().lower() == IGNORE


def parse_grade(value: Any) -> float:
    """The grade in a field of a record: a number, or the word `ignore`; a ValueError or TypeError for anything else."""
    return IGNORED if is_ignore(value) else parse_number(value)


def grade_word(grade: float) -> str:
    """A grade for people: a number in its short form, or `ignore`."""
    return IGNORE if grade == IGNORED else f"{grade:g}"


def is_finite_number(value: object) -> bool:
    """Whether the value is a finite number."""
    number = as_number(value)
    return number is not None and math.isfinite(number)


COLUMNS = {"ids": "id", "distances": "distance", "scores": "score", "documents": "text", "metadatas": "metadata"}
"""Column → field of a record; each column is a list, or a list with one list for the one query."""
TERM = "hpo_id"
"""The metadata field for the term of a hit. Several entries of an index, such as synonyms, may share a term."""


def are_columns(answer: Any) -> bool:
    """Whether a provider's response consists of columns: it has a list of ids."""
    return isinstance(answer, Mapping) and isinstance(answer.get("ids"), list)


def records_of_columns(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Columns as records. Columns of different lengths are a ValueError."""
    columns = {COLUMNS[name]: _column(column) for name, column in answer.items() if name in COLUMNS and column}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{name}: {length}" for name, length in lengths.items())
        raise ValueError(f"the columns of the response must have the same length, found {sizes}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def scored_entries(answer: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Ids, or the terms that the metadata name, each with its score. Only the best entry of a term is used.

    A distance becomes a negative score, so that nearer is better. Without scores and distances, the order is the ranking.
    """
    unnamed: list[tuple[Any, Any]] = []
    best: dict[str, Any] = {}
    for place, record in enumerate(records_of_columns(answer)):
        far, term = as_number(record.get("distance")), term_of(record.get("metadata"))
        score = record.get("score", 0.0 - place if far is None else -far)
        if term is None:
            unnamed.append((record.get("id"), score))
        else:
            best[term] = max(best.get(term, score), score)
    return [*best.items(), *unnamed]


def _column(column: Any) -> list[Any]:
    if isinstance(column, list) and len(column) == 1 and isinstance(column[0], list):
        column = column[0]
    if not isinstance(column, list) or any(isinstance(cell, list) for cell in column):
        raise ValueError(f"expected the hits of one query, found {shortened(column)}")
    return column


def term_of(metadata: Any) -> str | None:
    """The term that the metadata name; None if there is none."""
    term = metadata.get(TERM) if isinstance(metadata, Mapping) else None
    return term if isinstance(term, str) and term else None


def is_present(value: Any) -> bool:
    """Whether a cell has a value: None, nan and white space are not values; an empty list is."""
    if isinstance(value, str):
        return not (value == "" or value.isspace())
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def first_field(fields: Mapping[str, Any], names: Iterable[str]) -> tuple[str, Any]:
    """The name and value of the first of these fields that has a value; an empty name and None if none has."""
    for name in names:
        if name in fields and is_present(value := fields[name]):
            return name, value
    return "", None


def bool_field(fields: Mapping[str, Any], names: Iterable[str]) -> bool | None:
    """True or false, also as tables and data frames write it: yes, on, 1, 1.0; None if there is no value."""
    name, value = first_field(fields, names)
    if not name:
        return None
    if value is True or value is False:
        return bool(value)
    number = as_number(value)
    try:
        return flag(value.strip() if isinstance(value, str) else f"{number:g}" if number is not None else "")
    except ValueError:
        raise DataError(f"{name} must be true or false, not {shortened(value)}") from None


def unpacked(collection: Any) -> Any:
    """A collection as a list or a mapping: a generator or a Series of texts as a list, any other Series as index → value.

    If the index has repeated ids, the result is a list of pairs. Anything else is returned unchanged.
    """
    if isinstance(collection, Iterator):
        return list(collection)
    to_list = None if isinstance(collection, list | dict) else getattr(collection, "to_list", None)
    if to_list is None:
        return collection
    values, list_ids = to_list(), getattr(getattr(collection, "index", None), "to_list", None)
    if list_ids is None or all_text(values):
        return values
    ids = list_ids()
    by_id = dict(zip(ids, values, strict=True))
    return by_id if len(by_id) == len(ids) else list(zip(ids, values, strict=True))
