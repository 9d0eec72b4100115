"""Interleaved searches: for each user, how many searches each of two interleaved rankings won by clicks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import DataError
from assay.files import accepted_names, literal
from assay.logs.impressions import ROWS, create_impressions
from assay.logs.log_table import OpenLog, open_log
from assay.logs.searches import create_searches
from assay.text import shortened

TEAM, INTERLEAVING = "team", "interleaving"
AT_ONCE = 20_000
"""Searches that are fetched from the database at once."""
CLICKED = "x AND r IS NOT NULL"
IS_COUNTED = "c NOT IN (SELECT c FROM bots)"
CLICKED_SEARCHES = f"FROM {ROWS} WHERE {IS_COUNTED} GROUP BY h HAVING bool_or(tag_0 IS NOT NULL) AND bool_or({CLICKED})"
CreditOf = Callable[[str, Sequence[str]], tuple[float, float, float]]
"""The credit of a search (first ranking, second, tie), from its interleaving as text and the clicked documents."""


@dataclass(frozen=True)
class InterleavedSearches:
    """The searches with a click, summed up for each user."""

    wins: Floats
    """Users × 3: the searches that the first ranking won, that the second one won, and ties. Only users with a click."""
    names: tuple[str, str]
    """The two rankings, as the column with teams names them; else `a` and `b`."""
    n_searches: int
    """All interleaved searches, with and without clicks."""
    n_users: int
    """All users, with and without clicks."""
    unit: str
    """What is counted: `user`, `session` or `search`."""


def read_interleaved(
    source: Any, credit_of: CreditOf, first_rank: int = 1, most_per_hour: int | None = None
) -> InterleavedSearches:
    """The wins of each user. The log has a team for each shown document, or the whole interleaving for each search."""
    with open_log(source) as log:
        role = next((role for role in (INTERLEAVING, TEAM) if any(table.field(role) for table in log.tables)), None)
        if role is None:
            columns = ", ".join(map(repr, log.tables[0].columns))
            message = f"found no column with the team of each shown document among {columns}; {accepted_names('logs', TEAM)}"
            raise DataError(message, source=log.label, hint="or log the whole interleaving as JSON in a column interleaving")
        shape = create_impressions(log, (role,), first_rank)
        if role == TEAM and shape.name != "rows":
            message = "a log with one row for each search cannot have a column of teams; log the interleaving as JSON"
            raise DataError(message, source=log.label)
        create_searches(log, shape, (), 0, most_per_hour)
        sql = f"SELECT count(DISTINCT h), count(DISTINCT c) FROM {ROWS} WHERE tag_0 IS NOT NULL AND {IS_COUNTED}"
        n_searches, n_users = log.connection.execute(sql).fetchone()
        if not n_searches:
            raise DataError(f"no search has a value in the column of the {role}", source=log.label)
        names = _team_names(log) if role == TEAM else ("a", "b")
        wins = _by_team(log, names) if role == TEAM else _by_list(log, credit_of)
        return InterleavedSearches(wins, names, int(n_searches), int(n_users), shape.unit)


def _team_names(log: OpenLog) -> tuple[str, str]:
    """The two names of teams, sorted. Documents of no team have an empty cell."""
    rows = log.connection.execute(f"SELECT DISTINCT tag_0 FROM {ROWS} WHERE tag_0 IS NOT NULL LIMIT 10").fetchall()
    names = sorted(str(name) for (name,) in rows)
    if len(names) != 2:
        listed = ", ".join(map(shortened, names))
        raise DataError(f"expected the names of 2 teams, and empty cells for no team, found {listed}", source=log.label)
    return names[0], names[1]


def _by_team(log: OpenLog, names: tuple[str, str]) -> Floats:
    """Team draft: the team with more clicks wins a search."""
    of_a, of_b = (f"count(*) FILTER ({CLICKED} AND tag_0 = {literal(name)})" for name in names)
    searches = f"SELECT min(c) AS c, {of_a} AS a, {of_b} AS b {CLICKED_SEARCHES}"
    conditions = {"n_a": "a > b", "n_b": "b > a", "n_tie": "a = b"}
    sums = ", ".join(f"count(*) FILTER ({condition}) AS {name}" for name, condition in conditions.items())
    columns = log.connection.execute(f"SELECT {sums} FROM ({searches}) GROUP BY c ORDER BY ALL").fetchnumpy()
    return np.column_stack([np.asarray(columns[name], dtype=float) for name in conditions])


def _by_list(log: OpenLog, credit_of: CreditOf) -> Floats:
    """Any method: the credit of each search with a click is computed from its interleaving."""
    sql = f"SELECT min(c), min(tag_0), list(d ORDER BY r, d) FILTER ({CLICKED}) {CLICKED_SEARCHES}"
    cursor = log.connection.execute(sql)
    wins: dict[int, list[float]] = {}
    while rows := cursor.fetchmany(AT_ONCE):
        for user, interleaving, clicked in rows:
            try:
                gained = credit_of(interleaving, clicked)
            except DataError as error:
                raise error.at(log.label) from None
            mine = wins.setdefault(user, [0.0, 0.0, 0.0])
            for place, value in enumerate(gained):
                mine[place] += value
    return np.array(sorted(wins.values())).reshape(-1, 3)
