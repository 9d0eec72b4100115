"""Ids: queries and documents are named by text; whole numbers, UUIDs and paths are accepted and written out."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from assay.errors import DataError

EMPTY_ID = "the id of a query or document is empty"


def text_id(value: object) -> str:
    """An id as text. 7 and np.int64(7) become "7", a UUID or path what it is written as.

    A float, bytes or None are refused, as they would match nothing.
    """
    if isinstance(value, str | UUID):
        return str(value)
    if isinstance(path := value.__fspath__() if hasattr(value, "__fspath__") else None, str):
        return path
    if isinstance(value, bool):
        raise DataError(f"an id is text or a whole number, not {value!r}")
    try:
        return str(operator.index(value))  # type: ignore[arg-type]
    except TypeError:
        raise DataError(f"an id is text or a whole number, not {value!r}") from None


def key_id(value: object) -> str:
    """An id to look up; what cannot be an id is simply not there."""
    try:
        return text_id(value)
    except DataError:
        raise KeyError(value) from None


def all_text(ids: Iterable[object]) -> bool:
    """Whether every id is exactly `str` already."""
    return set(map(type, ids)) <= {str}


def sorted_ids(ids: list[str], *, reverse: bool) -> list[str]:
    """Ids in bytewise order. (Python compares text by code point, which is the order of its bytes in UTF-8.)"""
    try:
        return sorted(ids, reverse=reverse)
    except TypeError:  # a whole number among them that nobody has looked at before
        return sorted(map(text_id, ids), reverse=reverse)


def with_text_keys(mapping: Mapping[Any, Any], where: str) -> dict[str, Any]:
    """The same mapping under text ids; two ids that become one (7 and "7") are an error."""
    renamed = {text_id(key): value for key, value in mapping.items()}
    if len(renamed) != len(mapping):
        raise DataError(f"{where}: two ids are the same once written as text (such as 7 and '7')")
    return renamed
