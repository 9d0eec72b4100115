"""Rows: rows from the database, checked against their type; a row of another type is damage."""

from __future__ import annotations

from typing import Any, TypeVar

from sqlalchemy import Connection, Select

from assay.errors import AssayError
from assay.schema import convert_plain

T = TypeVar("T")


class Damage(AssayError):
    """Rows that do not have the expected type; the database adds the name of the store."""

    exit_code = 6


def store_prefix(connection: Connection) -> str:
    """The name of the store and a colon, for the beginning of messages."""
    return f"{connection.get_execution_options().get('assay_store', 'the store')}: "


def read_rows(connection: Connection, statement: Select[Any], kind: type[T]) -> list[T]:
    """The rows of a query, each as a named tuple or tuple of that type."""
    rows = connection.execute(statement).cursor.fetchall()  # plain tuples: row objects would double the time
    table = statement.get_final_froms()[0]
    name = getattr(table, "name", "results")
    checked: list[T] = convert_plain(rows, list[kind], f"rows of {name}", Damage)  # type: ignore[valid-type]
    return checked


def read_first(connection: Connection, statement: Select[Any], kind: type[T]) -> T | None:
    """The first row of a query, if there is one."""
    return next(iter(read_rows(connection, statement.limit(1), kind)), None)
