"""The database that reads large files and frames: DuckDB, in memory, quiet and offline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any


def connect() -> Any:
    """A private in-memory connection that fetches nothing and prints nothing. Close it when done."""
    import duckdb

    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    connection.execute("SET enable_progress_bar = false")
    return connection


def quoted(name: str) -> str:
    """A column name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def path_literal(path: Path) -> str:
    """A path as SQL, taken letter by letter: `*`, `?` and `[` are no patterns."""
    return literal(re.sub(r"[*?\[]", lambda mark: f"[{mark[0]}]", str(path)))


def literal(text: str) -> str:
    """A string as SQL."""
    return "'" + text.replace("'", "''") + "'"


def is_wrong_statement(error: Exception) -> bool:
    """Whether the database refuses what it was asked, which is a fault of assay's and not of the data.

    Of a damaged file it may say anything else, even an error of no particular type.
    """
    import duckdb

    ours = (duckdb.ParserException, duckdb.SyntaxException, duckdb.BinderException, duckdb.CatalogException)
    return isinstance(error, ours)
