"""Columns of impressions as SQL: what all rows of a search share, dwell times, and values that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import UnknownName, near_matches
from assay.files import fold, quoted
from assay.logs.log_table import Expected, Field, LogTable
from assay.logs.values import hash_of, is_wrong, number_of, text_of, time_of, truth_of

DAY = "day"
"""The tag that is the day of the search, in UTC."""


@dataclass(frozen=True)
class Shape:
    """What a log has, and its relation."""

    name: str
    """`rows`, `lists` or `ubi`."""
    sql: str
    roles: frozenset[str]
    cluster: str = ""
    """What the user chose to count as independent; empty for the usual choice."""
    orphans: str = ""
    """The SQL that counts the clicks of searches that the log does not have; empty if there can be none."""

    def has(self, *roles: str) -> bool:
        """Whether the log has a column for any of these roles."""
        return not self.roles.isdisjoint(roles)

    @property
    def unit(self) -> str:
        """What counts as independent: `user`, `session` or `search`; the first that the log has, or the chosen one."""
        return self.cluster or next((role for role in ("user", "session") if self.has(role)), "search")


def scalar_columns(table: LogTable, roles: Mapping[str, Field], tags: Sequence[str]) -> dict[str, str]:
    """Column of the relation → SQL, for what all rows of a search share. `key` says which rows are one search."""
    if "search" not in roles and "time" not in roles and "shown" not in roles:
        table.needed("search", "the search that a row belongs to, and no time either")
    query = text_of(table.needed("query", "the query"))
    user = text_of(roles["user"]) if "user" in roles else "NULL"
    session = text_of(roles["session"]) if "session" in roles else "NULL"
    time = time_of(roles["time"]) if "time" in roles else "NULL::BIGINT"
    without_id = hash_of([user, session, query, time])
    search = text_of(roles["search"]) if "search" in roles else ""
    key = (
        f"CASE WHEN {search} IS NULL THEN {without_id} ELSE {hash_of([search, user, session])} END" if search else without_id
    )
    columns = {"key": key, "user_hash": _known_hash(user), "session_hash": _known_hash(session), "q": query, "t": time}
    return columns | {f"tag_{number}": _tag(table, word) for number, word in enumerate(tags)}


def _known_hash(value: str) -> str:
    return "NULL::UBIGINT" if value == "NULL" else f"CASE WHEN {value} IS NOT NULL THEN hash({value}) END"


def _tag(table: LogTable, word: str) -> str:
    """A tag as SQL; an error if the log has no such column."""
    if fold(word) == DAY and table.tag(DAY) is None:
        return f"strftime(make_timestamp({time_of(table.needed('time', 'times'))}), '%Y-%m-%d')"
    if (known := table.tag(word)) is None:
        names = [*table.columns, DAY]
        raise UnknownName("column", word, near_matches(word, names), f"choose from {', '.join(names)}", owner="this log")
    return text_of(known)


def whose_searches(is_row_a_search: bool) -> dict[str, str]:
    """The columns h, c, s and u, from those of `scalar_columns`."""
    search = "hash(key, n)" if is_row_a_search else "key"
    cluster = f"coalesce(user_hash, session_hash, {search})"
    return {"h": search, "c": cluster, "s": f"coalesce(session_hash, {cluster})", "u": "user_hash IS NOT NULL"}


ROW_VALUES = ("d", "r", "x", "ct", "dw", "p", "wrong", "odd_dwell")


def columns_of_search(scalars: Mapping[str, str]) -> list[str]:
    """The columns of the relation that all rows of a search share, except hashes."""
    return [name for name in scalars if name in ("q", "t") or name.startswith("tag_")]


def reading_time(roles: Mapping[str, Field]) -> dict[str, str]:
    """The dwell time in seconds, and whether it is negative, which counts as unknown."""
    if "dwell" in roles:
        seconds = number_of(roles["dwell"])
    elif "dwell_ms" in roles:
        seconds = f"({number_of(roles['dwell_ms'])} / 1000)"
    else:
        return {"dw": "NULL::DOUBLE", "odd_dwell": "false"}
    return {"dw": f"CASE WHEN {seconds} >= 0 THEN {seconds} END", "odd_dwell": f"coalesce({seconds} < 0, false)"}


CERTAIN = ("TIMESTAMP", "DATE", "BOOLEAN")
"""Types whose values can always be read."""


def find_faults(roles: Mapping[str, Field], values: Mapping[str, str], first_rank: int) -> dict[Expected, str]:
    """What is expected → condition of a value that cannot be read."""
    expected = {
        "rank": (values["r"], f"a whole number from {first_rank}"),
        "time": (time_of(roles["time"]) if "time" in roles else "", "a time such as 2026-01-31T09:30:00Z, or seconds"),
        "click_time": (values["ct"], "a time such as 2026-01-31T09:30:00Z, or seconds"),
        "clicked": (truth_of(roles["clicked"]) if "clicked" in roles else "", "0 or 1, true or false, yes or no"),
        "dwell": (number_of(roles["dwell"]) if "dwell" in roles else "", "a number of seconds"),
        "dwell_ms": (number_of(roles["dwell_ms"]) if "dwell_ms" in roles else "", "a number of milliseconds"),
        "propensity": (values["p"], "a probability"),
    }
    faults = {}
    for role, (value, what) in expected.items():
        is_certain = role in roles and role != "rank" and (roles[role].type in CERTAIN or roles[role].is_whole)
        if role in roles and not is_certain:
            column = roles[role].column
            advice = ("0", "if ranks count from 0, add --first-rank 0") if role == "rank" and first_rank else ("", "")
            faults[Expected(f"{column} must be {what}", column, advice)] = is_wrong(roles[role], value)
    return faults


def listed(columns: Mapping[str, str]) -> str:
    """Columns of a SELECT: name → SQL."""
    return ", ".join(f"{sql} AS {quoted(name)}" for name, sql in columns.items())
