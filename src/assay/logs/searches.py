"""Searches: one row for each search of a log in a temporary table, so that the log itself is read only once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.logs.faults import reading_faults, wrong_values
from assay.logs.impressions import ROWS
from assay.logs.log_table import OpenLog
from assay.logs.row_columns import Shape
from assay.logs.values import any_of, how_many
from assay.views import Count

TABLE = "searches"
LAST_BIN = 125
"""The last bin of `SECOND_EDGES`."""
RANK_BITS = 20
"""The lower bits of the number that finds the first click: its rank. The time is above them."""
NO_TIME = 4_000_000_000_000
"""The time in milliseconds of a click without a time: later than all others."""
SEEN_RANKS = 61
"""Ranks up to this one are checked for holes and repetitions: each is a bit of a number. The next bit is for all others, and
one more than all bits is still a number of 64 bits."""
ODD = {"wrong": 1, "unseen": 2, "negative": 4, "early": 8}
"""What is unusual about a row → its bit."""


def bin_of(seconds: str) -> str:
    """The bin of a time in seconds, as SQL."""
    return (
        f"(CASE WHEN {seconds} < 20 THEN floor({seconds}) "
        f"ELSE least(20 + floor(ln({seconds} / 20) / ln(1.05)), {LAST_BIN}) END)::UTINYINT"
    )


@dataclass(frozen=True)
class LogTotals:
    """What a log has in all, and what is unusual about it."""

    searches: int
    shown: int
    clicked: int
    without_user: int
    """Searches without a user or session."""
    users: int
    unseen_clicks: int
    """Searches with a click on a document that was not shown."""
    negative_dwell: int
    """Searches with a negative dwell time."""
    early_clicks: int
    """Searches with a click before the search."""
    holes: int
    """Searches with a missing rank below another one."""
    repeated_ranks: int
    """Searches in which a rank occurs more than once."""
    mixed: int
    """Searches whose rows have several queries or tags, of those that were read."""
    first: int | None
    last: int | None
    """Times of the first and the last search, in microseconds since 1970."""
    orphan_clicks: int = 0
    """Clicks of searches that the log does not have."""
    left_out: int = 0
    """Users that were left out because they have too many searches in an hour."""


def create_searches(
    log: OpenLog, shape: Shape, counts: Iterable[Count], n_tags: int, most_per_hour: int | None = None
) -> LogTotals:
    """Read the log once. A value that cannot be read is an error with its place.

    Users with more than `most_per_hour` searches in one hour are left out.
    """
    listed = ", ".join(f"{sql} AS {name}" for name, sql in _columns(shape, tuple(counts), n_tags).items())
    with reading_faults(log):
        log.connection.execute(f"CREATE OR REPLACE TEMP TABLE {TABLE} AS SELECT h, {listed} FROM {ROWS} GROUP BY h")
    totals = _totals(log)
    if shape.orphans:
        (n_orphans,) = log.connection.execute(shape.orphans).fetchone()
        totals = replace(totals, orphan_clicks=int(n_orphans))
    log.connection.execute(f"CREATE OR REPLACE TEMP TABLE bots AS SELECT c FROM {TABLE} LIMIT 0")
    if most_per_hour is not None:
        totals = _without_bots(log, totals, most_per_hour, "w" if shape.cluster else "c")
    if not totals.searches:
        raise DataError("the log has no rows", source=log.label)
    return totals


def _columns(shape: Shape, counts: Sequence[Count], n_tags: int) -> dict[str, str]:
    """Column → its SQL over the rows of a search."""
    tags = [f"tag_{number}" for number in range(n_tags)]
    return {
        "c": "min(c)",
        **({"w": "min(w)"} if shape.cluster else {}),
        "t": "min(t)" if shape.has("time") else "NULL::BIGINT",
        **_columns_of_session(counts, shape),
        **{tag: f"min({tag})" for tag in tags},
        "several_tags": _any_mixed(tags),
        "mixed": _any_mixed([*tags, "hash(lower(q))"] if _asks_session(counts, shape) else tags),
        "u": "bool_or(u)" if shape.has("user") else "false",
        "n": "count(r)",
        "n_clicked": how_many("x AND r IS NOT NULL"),
        "lowest": "max(r) FILTER (x)",
        **_first_click(shape),
        "ranks": f"bit_or(CASE WHEN r <= {SEEN_RANKS} THEN 1::BIGINT << (r - 1)::BIGINT WHEN r > {SEEN_RANKS} "
        f"THEN {1 << SEEN_RANKS} ELSE 0 END)",
        "odd": _oddities(shape),
        **search_columns(counts, has_dwell=shape.has("dwell", "dwell_ms")),
    }


def bots_sql(most_per_hour: int, who: str = "c") -> str:
    """The users with more searches in one hour than a person has, as SQL: c, n (the most in an hour), and that hour."""
    return (
        "SELECT c, max(n) AS n, arg_max(hour, n) AS hour FROM "
        f"(SELECT {who} AS c, t // 3600000000 AS hour, count(*) AS n FROM {TABLE} "
        f"WHERE t IS NOT NULL GROUP BY {who}, hour HAVING count(*) > {most_per_hour}) GROUP BY c"
    )


def _without_bots(log: OpenLog, totals: LogTotals, most_per_hour: int, who: str) -> LogTotals:
    """Remove the searches of users with too many of them, and remember these users."""
    log.connection.execute(f"CREATE OR REPLACE TEMP TABLE bots AS SELECT c FROM ({bots_sql(most_per_hour, who)})")
    (n,) = log.connection.execute("SELECT count(*) FROM bots").fetchone()
    if not n:
        return totals
    log.connection.execute(f"DELETE FROM {TABLE} WHERE {who} IN (SELECT c FROM bots)")
    return replace(_totals(log), left_out=int(n), orphan_clicks=totals.orphan_clicks)


def _any_mixed(values: Sequence[str]) -> str:
    """Whether the rows of a search have several of any of the values."""
    return any_of([f"coalesce(min({value}) <> max({value}), false)" for value in values])


def _asks_session(counts: Sequence[Count], shape: Shape) -> bool:
    return _asks(counts, "reformulated") and shape.has("time")


def _columns_of_session(counts: Sequence[Count], shape: Shape) -> dict[str, str]:
    """The session and the query, if a count needs them."""
    return {"s": "min(s)", "q": "min(hash(lower(q)))"} if _asks_session(counts, shape) else {}


def _first_click(shape: Shape) -> dict[str, str]:
    """A number whose lowest bits are the rank of the first click, and the time of the first click in microseconds."""
    if not shape.has("click_time"):
        return {"first_click": "(min(r) FILTER (x))::BIGINT", "first_time": "NULL::BIGINT"}
    return {
        "first_click": f"min((coalesce(ct // 1000, {NO_TIME}) << {RANK_BITS}) + r) FILTER (x AND r IS NOT NULL)",
        "first_time": "min(ct) FILTER (x AND r IS NOT NULL)",
    }


def _oddities(shape: Shape) -> str:
    """What is unusual about any row of a search, as bits."""
    conditions = {"wrong": "wrong", "unseen": "x AND r IS NULL"}
    if shape.has("dwell", "dwell_ms"):
        conditions["negative"] = "odd_dwell"
    if shape.has("click_time") and shape.has("time"):
        conditions["early"] = "x AND ct < t"
    bits = " + ".join(f"CASE WHEN {condition} THEN {ODD[name]} ELSE 0 END" for name, condition in conditions.items())
    return f"bit_or(({bits})::UTINYINT)"


def _asks(counts: Sequence[Count], name: str) -> bool:
    return any(count.name == name for count in counts)


def at(name: str, count: Count) -> str:
    """The name of the column of a count at its cutoff."""
    seconds = (
        "" if count.seconds is None else "_" + f"{count.seconds:g}".replace(".", "_").replace("-", "m").replace("+", "p")
    )
    return f"{name}{'' if count.k is None else f'_{count.k}'}{seconds}"


def search_columns(counts: Sequence[Count], *, has_dwell: bool) -> dict[str, str]:
    """Column → its SQL over the rows of a search, for the counts that the general columns do not have."""
    columns: dict[str, str] = {}
    for count in counts:
        within = "r IS NOT NULL" if count.k is None else f"r <= {count.k}"
        if count.name in ("clicked", "shown") and count.k is None:
            continue
        if count.name == "clicked":
            columns[at("clicked", count)] = how_many(f"x AND {within}")
        elif count.name == "shown":
            columns[at("shown", count)] = how_many(within)
        elif count.name == "clicked_ranks":
            columns["clicked_ranks"] = "coalesce(sum(r) FILTER (x), 0)::BIGINT"
        elif count.name == "satisfied":
            is_read = how_many(f"x AND {within} AND dw >= {count.seconds}") + " > 0"
            columns[at("satisfied", count)] = is_read if has_dwell else "NULL::BOOLEAN"
        elif count.name == "dwell":
            read = f"list({bin_of('dw')}) FILTER (x AND r IS NOT NULL AND dw IS NOT NULL)"
            columns["dwell"] = read if has_dwell else "NULL::UTINYINT[]"
    return columns


def _totals(log: OpenLog) -> LogTotals:
    """The sums over all searches; an error if any row has a value that cannot be read."""
    is_near = f"ranks < {1 << SEEN_RANKS}"
    odd = {name: how_many(f"odd & {bit} <> 0") for name, bit in ODD.items()}
    sums = [
        *("count(*)", "coalesce(sum(n), 0)", "coalesce(sum(n_clicked), 0)", how_many("NOT u"), "count(DISTINCT c)"),
        *(odd["unseen"], odd["negative"], odd["early"], how_many(f"{is_near} AND ranks & (ranks + 1) <> 0")),
        *(how_many(f"{is_near} AND n > bit_count(ranks)"), how_many("mixed"), "min(t)", "max(t)", odd["wrong"]),
    ]
    sql = f"SELECT {', '.join(sums)} FROM {TABLE}"
    *values, n_wrong = log.connection.execute(sql).fetchone()
    if n_wrong:
        raise wrong_values(log)
    *numbers, first, last = values
    searches, shown, clicked, without_user, users, unseen, negative, early, holes, repeated, mixed = map(int, numbers)
    places = (holes, repeated, mixed)
    return LogTotals(searches, shown, clicked, without_user, users, unseen, negative, early, *places, first, last)


def fetch(log: OpenLog, sql: str) -> dict[str, Any]:
    """The columns of a query as arrays; missing numbers are nan."""
    columns = log.connection.execute(sql).fetchnumpy()
    return {name: _plain(column) for name, column in columns.items()}


def _plain(column: Any) -> Any:
    is_number = column.dtype.kind in "iufb"
    if not np.ma.isMaskedArray(column):
        return np.asarray(column)
    return np.ma.filled(column.astype(float), np.nan) if is_number else np.ma.filled(column, None)
