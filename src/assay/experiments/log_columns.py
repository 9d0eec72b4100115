"""Log columns: the columns of a log that the user names, for one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from assay.files import Reading, parse_columns, reading_with


@contextmanager
def columns_named(columns: Mapping[str, str] | str | None) -> Iterator[None]:
    """Read with these columns; a column that the log does not have is an error. Without any, nothing changes."""
    if not columns:
        yield
        return
    with reading_with(Reading(parse_columns(columns))) as reading:
        yield
        reading.check_columns_used()
