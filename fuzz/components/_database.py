"""One DuckDB database for all inputs of a worker: to open one takes longer than to read a hundred small files."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from typing import Any, Self

import duckdb

from assay.files import database

_opened = database.connect


@cache
def _database_of_all() -> Any:
    connection = _opened()
    connection.execute("SET threads = 1")
    return connection


class _Shared:
    """A connection to the one database; what it made is gone when it is closed."""

    def __init__(self) -> None:
        self._cursor = _database_of_all().cursor()
        try:
            self._cursor.execute("SELECT 1").fetchall()  # to the end: before that, no frame can be registered
        except duckdb.Error:  # an error that ends a database ends it for all
            _database_of_all.cache_clear()
            self._cursor = _database_of_all().cursor()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(duckdb.Error):  # a damaged file may have ended the database, which the next connection replaces
            self._cursor.execute("DROP TABLE IF EXISTS records")
        self._cursor.close()


def share_database() -> None:
    """From now on, every connection of assay's readers is one to the same database; only in a worker, which ends with it."""
    if "ASSAY_FUZZ_SCRATCH" not in os.environ:
        return
    for name, module in list(sys.modules.items()):
        if name.startswith("assay.") and getattr(module, "connect", None) is _opened:
            module.connect = _Shared  # type: ignore[attr-defined]
