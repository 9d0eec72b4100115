"""Top documents: the first documents of every query of a large file or frame, without reading all of it into memory."""

from __future__ import annotations

from typing import Any

from assay.files.database import connect, is_interrupt
from assay.files.tables import is_large, table_of
from assay.model import RankRule

DIRECTIONS = {"docid_desc": "DESC", "docid_asc": "ASC"}
"""Tie rules that the database can apply → the order of ids."""


def top_documents(source: Any, k: int, rule: RankRule) -> dict[str, list[str]] | None:
    """Query → its first k documents, best first; None if the source is small or the rule needs the whole rankings.

    The source must have been ranked before, so that its errors are known.
    """
    if rule.ties not in DIRECTIONS or rule.drop_self or not is_large(source):
        return None
    import duckdb

    score = "s" if rule.precision == "float64" else "s::FLOAT"
    order = f"{score} DESC, d {DIRECTIONS[rule.ties]}"
    with connect() as connection:
        try:
            table = table_of(connection, source)
            if table is None:
                return None
            rows = connection.execute(
                f"SELECT q, list(d ORDER BY {order}) FROM (SELECT q, d, s FROM ({table.select}) "
                f"QUALIFY row_number() OVER (PARTITION BY q ORDER BY {order}) <= {int(k)}) GROUP BY q"
            ).fetchall()
        except (ValueError, RuntimeError, duckdb.Error) as error:  # the reader of whole rankings reads what this cannot
            if isinstance(error, duckdb.InterruptException) or (isinstance(error, RuntimeError) and is_interrupt(error)):
                raise KeyboardInterrupt from None
            return None
    return dict(rows)
