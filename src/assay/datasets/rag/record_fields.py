"""Fields of nested records: find a field by a dotted name, in nested objects or in columns with that very name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from assay.datasets.fields import Record
from assay.datasets.list_cells import parse_cell


def first_field(record: Record, names: Iterable[str]) -> str:
    """The first of these names whose field has a value, otherwise the first that is there at all."""
    there = [name for name in names if has_field(record, name)]
    return next((name for name in there if field_of(record, name) is not None), there[0] if there else "")


def has_field(record: Record, name: str) -> bool:
    """Whether a record has a field, even if it has no value."""
    if name.endswith("*"):
        front = name[:-1]
        if any(key.startswith(front) for key in record):
            return True
        return front.endswith(".") and isinstance(opened(record.get(front[:-1])), Mapping)
    if name in record:
        return True
    return any(rest in inner or has_field(inner, rest) for rest, inner in _inner(record, name))


def field_of(record: Record, name: str) -> Any:
    """The value of a field; None if there is none. `[*` is the first field whose name starts like this."""
    if name.endswith("*"):
        return next((value for key, value in record.items() if key.startswith(name[:-1])), None)
    if name in record:
        return record[name]
    return next((value for rest, inner in _inner(record, name) if (value := field_of(inner, rest)) is not None), None)


def _inner(record: Record, name: str) -> Iterable[tuple[str, Record]]:
    """Every nested object that the name may lead into, and the rest of the name."""
    for front, rest in _splits(name):
        if front in record and isinstance(inner := opened(record[front]), Mapping):
            yield rest, inner


@lru_cache(4096)
def _splits(name: str) -> tuple[tuple[str, str], ...]:
    places = [place for place, letter in enumerate(name) if letter == "."]
    return tuple((name[:place], name[place + 1 :]) for place in places)


def opened(value: Any) -> Any:
    """A nested object, also if a table has it as text."""
    return value if isinstance(value, str) and value.lstrip()[:1] != "{" else parse_cell(value)
