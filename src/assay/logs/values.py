"""Values of a log as SQL: text, numbers and times from columns of any type, and the conditions of values that are wrong."""

from __future__ import annotations

from collections.abc import Sequence

from assay.logs.log_table import Field

HIGHEST_RANK = 1_000_000
LONGEST_SECONDS = 1e11
"""A number that is smaller is a time in seconds since 1970; larger ones are milliseconds, microseconds or nanoseconds."""


def text_of(field: Field) -> str:
    """The text of a column; null if it is empty."""
    return f"nullif({field.name}, '')" if field.is_text else f"{field.name}::VARCHAR"


def number_of(field: Field) -> str:
    """The number in a column; null if it is not a finite number."""
    number = f"TRY_CAST({field.name} AS DOUBLE)"
    return number if field.is_whole else f"CASE WHEN isfinite({number}) THEN {number} END"


def rank_of(field: Field, first: int) -> str:
    """The rank in a column, from 1; null if it is not a whole number from the first rank on."""
    number = number_of(field)
    if field.is_whole:
        return f"CASE WHEN {field.name} BETWEEN {first} AND {HIGHEST_RANK} THEN {field.name}::INTEGER + {1 - first} END"
    is_rank = f"{number} BETWEEN {first} AND {HIGHEST_RANK} AND {number} = floor({number})"
    return f"CASE WHEN {is_rank} THEN {number}::INTEGER + {1 - first} END"


def truth_of(field: Field) -> str:
    """Whether something happened, from true and false, yes and no, or a number of times."""
    if field.type == "BOOLEAN":
        return field.name
    if field.is_number:
        return f"({field.name} > 0)"
    return f"coalesce(TRY_CAST({field.name} AS BOOLEAN), TRY_CAST({field.name} AS DOUBLE) > 0)"


def time_of(field: Field) -> str:
    """A time in microseconds since 1970 in UTC; null if it is neither a time nor a number."""
    if field.type in ("TIMESTAMP", "DATE"):
        return f"epoch_us({field.name}::TIMESTAMP)"
    number = _scaled(number_of(field))
    return number if field.is_number else f"coalesce(epoch_us(TRY_CAST({field.name} AS TIMESTAMPTZ)), {number})"


def _scaled(number: str) -> str:
    size = f"abs({number})"
    return (
        f"CASE WHEN {size} < {LONGEST_SECONDS} THEN ({number} * 1e6)::BIGINT "
        f"WHEN {size} < {LONGEST_SECONDS * 1e3} THEN ({number} * 1e3)::BIGINT "
        f"WHEN {size} < {LONGEST_SECONDS * 1e6} THEN ({number})::BIGINT "
        f"WHEN {size} < {LONGEST_SECONDS * 1e8} THEN ({number} / 1e3)::BIGINT END"
    )


def is_wrong(field: Field, value: str) -> str:
    """Whether a column has something, but not the value that it should have."""
    return f"({text_of(field)} IS NOT NULL AND ({value}) IS NULL)"


def any_of(conditions: Sequence[str]) -> str:
    """Whether any of the conditions is true."""
    return " OR ".join(conditions) or "false"


def hash_of(values: Sequence[str]) -> str:
    """A number for the values of one row; the same values have the same number."""
    return f"hash({', '.join(values)})"


def how_many(condition: str) -> str:
    """How many rows meet a condition, as SQL. A condition that is unknown is not met."""
    return f"count(*) FILTER (WHERE {condition})"
