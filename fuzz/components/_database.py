"""One DuckDB database for all inputs of a worker: to open one takes longer than to read a hundred small files."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

from assay.datasets import _database

_opened = _database.connect


@cache
def _database_of_all() -> Any:
    connection = _opened()
    connection.execute("SET threads = 1")
    return connection


def share_database() -> None:
    """From now on, every connection of assay's readers is one to the same database; each has tables of its own."""
    for name, module in list(sys.modules.items()):
        if name.startswith("assay.") and getattr(module, "connect", None) is _opened:
            module.connect = lambda: _database_of_all().cursor()  # type: ignore[attr-defined]
