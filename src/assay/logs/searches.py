"""Searches: one row for each search of a log in a temporary table, so that the log itself is read only once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.logs.faults import reading_faults, wrong_values
from assay.logs.impressions import ROWS
from assay.logs.log_table import OpenLog
from assay.logs.row_columns import Shape
from assay.views import Count

TABLE = "searches"
LAST_BIN = 125
"""The last bin of `SECOND_EDGES`."""
RANK_BITS = 20
"""The lower bits of the number that finds the first click: its rank. The time is above them."""
NO_TIME = 4_000_000_000_000
"""The time in milliseconds of a click without a time: later than all others."""
SEEN_RANKS = 64
"""Ranks up to this one are checked for holes."""


def bin_of(seconds: str) -> str:
    """The bin of a time in seconds, as SQL."""
    return (
        f"(CASE WHEN {seconds} < 20 THEN floor({seconds}) "
        f"ELSE least(20 + floor(ln({seconds} / 20) / ln(1.05)), {LAST_BIN}) END)::UTINYINT"
    )


@dataclass(frozen=True)
class LogTotals:
    """What a log has in all, and what is unusual about it."""

    rows: int
    searches: int
    shown: int
    clicked: int
    without_user: int
    """Searches without a user or session."""
    users: int
    unseen_clicks: int
    """Clicks on documents that were not shown in the search."""
    negative_dwell: int
    early_clicks: int
    """Clicks before their search."""
    holes: int
    """Searches with a missing rank below another one."""
    repeated_ranks: int
    """Searches in which a rank occurs more than once."""
    first: int | None
    last: int | None
    """Times of the first and the last search, in microseconds since 1970."""


def create_searches(log: OpenLog, shape: Shape, counts: Iterable[Count], n_tags: int) -> LogTotals:
    """Read the log once. A value that cannot be read is an error with its place."""
    counts = tuple(counts)
    columns = {
        "c": "any_value(c)",
        "s": "any_value(s)",
        "u": "bool_or(u)",
        "t": "min(t)",
        "q": "any_value(hash(lower(q)))" if _asks(counts, "reformulated") else "0",
        **{f"tag_{number}": f"min(tag_{number})" for number in range(n_tags)},
        "n": "count(r)",
        "n_rows": "count(*)",
        "n_clicked": "count_if(x AND r IS NOT NULL)",
        "lowest": "max(r) FILTER (x)",
        "first_click": f"min((coalesce(ct // 1000, {NO_TIME}) << {RANK_BITS}) + r) FILTER (x AND r IS NOT NULL)",
        "first_time": "min(ct) FILTER (x AND r IS NOT NULL)",
        "n_unseen": "count_if(x AND r IS NULL)",
        "n_wrong": "count_if(wrong)",
        "n_negative": "count_if(odd_dwell)",
        "n_early": "count_if(x AND ct < t)",
        "last_rank": "max(r)",
        "ranks": f"bit_or(CASE WHEN r <= {SEEN_RANKS} THEN 1::UBIGINT << (r - 1) ELSE 0::UBIGINT END)",
        "n_near": f"count_if(r <= {SEEN_RANKS})",
        **search_columns(counts, has_dwell=shape.has("dwell", "dwell_ms")),
    }
    listed = ", ".join(f"{sql} AS {name}" for name, sql in columns.items())
    with reading_faults(log):
        log.connection.execute(f"CREATE OR REPLACE TEMP TABLE {TABLE} AS SELECT h, {listed} FROM {ROWS} GROUP BY h")
    totals = _totals(log)
    if not totals.rows:
        raise DataError("the log has no rows", source=log.label)
    return totals


def _asks(counts: Sequence[Count], name: str) -> bool:
    return any(count.name == name for count in counts)


def at(name: str, count: Count) -> str:
    """The name of the column of a count at its cutoff."""
    seconds = "" if count.seconds is None else "_" + f"{count.seconds:g}".replace(".", "_").replace("-", "m").replace("+", "p")
    return f"{name}{'' if count.k is None else f'_{count.k}'}{seconds}"


def search_columns(counts: Sequence[Count], *, has_dwell: bool) -> dict[str, str]:
    """Column → its SQL over the rows of a search, for the counts that the general columns do not have."""
    columns: dict[str, str] = {}
    for count in counts:
        within = "r IS NOT NULL" if count.k is None else f"r <= {count.k}"
        if count.name == "clicked":
            columns[at("clicked", count)] = f"count_if(x AND {within})"
        elif count.name == "shown":
            columns[at("shown", count)] = f"count_if({within})"
        elif count.name == "clicked_ranks":
            columns["clicked_ranks"] = "coalesce(sum(r) FILTER (x), 0)::BIGINT"
        elif count.name == "satisfied":
            is_read = f"count_if(x AND {within} AND dw >= {count.seconds}) > 0"
            columns[at("satisfied", count)] = is_read if has_dwell else "NULL::BOOLEAN"
        elif count.name == "dwell":
            read = f"list({bin_of('dw')}) FILTER (x AND r IS NOT NULL AND dw IS NOT NULL)"
            columns["dwell"] = read if has_dwell else "NULL::UTINYINT[]"
    return columns


def _totals(log: OpenLog) -> LogTotals:
    """The sums over all searches; an error if any row has a value that cannot be read."""
    holes = f"ranks & (ranks + 1) <> 0 AND ranks <> {2**64 - 1} OR (last_rank > {SEEN_RANKS} AND n < last_rank)"
    sql = (
        "SELECT coalesce(sum(n_rows), 0), count(*), coalesce(sum(n), 0), coalesce(sum(n_clicked), 0), count_if(NOT u), "
        "count(DISTINCT c), coalesce(sum(n_unseen), 0), coalesce(sum(n_negative), 0), coalesce(sum(n_early), 0), "
        f"count_if({holes}), count_if(n_near > bit_count(ranks)), min(t), max(t), coalesce(sum(n_wrong), 0) FROM {TABLE}"
    )
    *values, n_wrong = log.connection.execute(sql).fetchone()
    if n_wrong:
        raise wrong_values(log)
    first, last = values[-2:]
    return LogTotals(*(int(value) for value in values[:-2]), first, last)


def fetch(log: OpenLog, sql: str) -> dict[str, Any]:
    """The columns of a query as arrays; missing numbers are nan."""
    columns = log.connection.execute(sql).fetchnumpy()
    return {name: _plain(column) for name, column in columns.items()}


def _plain(column: Any) -> Any:
    if isinstance(column, np.ma.MaskedArray):
        if column.dtype.kind in "iufb":
            return column.astype(float).filled(np.nan)
        return column.filled(None)
    return np.asarray(column)
