"""Times of records: find the time of a query or document among its fields, by the accepted names, and parse it."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

from assay.errors import DataError
from assay.files import TABLE_COLUMNS, current_reading, squash
from assay.model import Time, is_without_zone, parse_time, time_text

TIME = "time"
"""The role of the column, and the field in which assay writes times."""


def read_time(table: str, name: str, value: Any) -> Time | None:
    """The time in a field; None if the field is empty. That a zone is missing is noted once for a table."""
    if value is None or (isinstance(value, str) and not value.strip()) or (isinstance(value, float) and value != value):
        return None
    try:
        time = parse_time(value)
    except DataError as error:
        advice = f". If {name} does not say when, add --columns {TIME}=none" if squash(name) in _accepted_anywhere() else ""
        raise DataError(f"the field {name}: {error.message}{advice}") from None
    if is_without_zone(value):
        note_no_zone(table)
    return time


def note_no_zone(table: str) -> None:
    """Note that times of a table have no zone, once."""
    current_reading().note_once((table, TIME), table, "times without a zone are read as UTC", code="times")


def take_time(table: str, fields: dict[str, Any], metadata: dict[str, Any] | None = None) -> Time | None:
    """Remove the time from the fields and parse it; None without one. In the metadata, only the name `time` counts."""
    if current_reading().is_unwanted(TIME):
        return None
    named = current_reading().named_column(TIME, fields)
    squashed = {squash(name): name for name in reversed(fields)} if named is None else {}
    name = named or next((squashed[name] for name in _accepted(table) if name in squashed), None)
    if name is not None:
        time = read_time(table, name, fields[name])
        del fields[name]
        return time
    if metadata and TIME in metadata:
        time = read_time(table, TIME, metadata[TIME])
        del metadata[TIME]
        return time
    return None


@cache
def _accepted(table: str) -> tuple[str, ...]:
    """The accepted names without underscores."""
    return tuple(map(squash, TABLE_COLUMNS[table][TIME]))


@cache
def _accepted_anywhere() -> frozenset[str]:
    """The names by which a column of queries or documents has times although the user did not name it."""
    return frozenset((*_accepted("queries"), *_accepted("documents")))


def session_time(text: str | None, layouts: tuple[str, ...]) -> Time | None:
    """The time of a chat session in one of the layouts of a benchmark (as for strptime), in UTC; None if none fits."""
    return _by_layout(text.strip(), layouts) if text else None


@lru_cache(4096)
def _by_layout(text: str, layouts: tuple[str, ...]) -> Time | None:
    for layout in layouts:
        with suppress(ValueError):
            return datetime.strptime(text, layout).replace(tzinfo=UTC)
    return None


def plain_time(value: Any) -> Any:
    """A time as text, as assay writes it; anything else unchanged."""
    return time_text(value) if isinstance(value, Time) else value
