"""Click counts: how often each document was shown and clicked for each query, at each rank, as click models read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.logs.faults import reading_faults
from assay.logs.impressions import ROWS
from assay.logs.log_table import OpenLog
from assay.logs.searches import fetch
from assay.logs.values import how_many
from assay.model import fingerprint

KEPT = "c NOT IN (SELECT c FROM bots)"
"""The rows of users that were not left out."""


@dataclass(frozen=True, eq=False)
class ClickCounts:
    """A row for each query, document and position. Rows of one pair are next to each other."""

    query: tuple[str, ...]
    """The query of each pair."""
    document: tuple[str, ...]
    """The document of each pair."""
    pair: Ints
    """The number of the pair of each row."""
    position: Floats
    """The rank, or the probability that users look at it."""
    shown: Floats
    clicked: Floats
    n_seen: int = 0
    """How many pairs the log has, with those that were shown too seldom."""
    more: str = ""
    """A hash of what else the model reads."""

    @property
    def n_pairs(self) -> int:
        """How many pairs of query and document there are."""
        return len(self.query)

    def of_pairs(self, values: Floats) -> Floats:
        """The sum of a value over the rows of each pair."""
        return np.bincount(self.pair, weights=values, minlength=self.n_pairs).astype(float)

    @cached_property
    def place(self) -> Ints:
        """The number of the position of each row, among all positions in ascending order."""
        return np.unique(self.position, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def positions(self) -> Floats:
        """All positions, ascending."""
        return np.unique(self.position)

    def of_positions(self, values: Floats) -> Floats:
        """The sum of a value over the rows of each position."""
        return np.bincount(self.place, weights=values, minlength=len(self.positions)).astype(float)

    @cached_property
    def digest(self) -> str:
        """A hash of everything that a model reads, which does not depend on the order of lines."""
        names = [(self.query[number], self.document[number]) for number in self.pair.tolist()]
        rows = zip(names, self.position.tolist(), self.shown.tolist(), self.clicked.tolist(), strict=True)
        return fingerprint([*rows, (self.more,)] if self.more else rows)


USABLE = f"{KEPT} AND r IS NOT NULL AND q IS NOT NULL"
"""The rows that a model reads."""


def count_positions(log: OpenLog, least: int, position: str = "r") -> ClickCounts:
    """Shown and clicked at each rank (`r`), or at each probability that users look at it (`p`).

    Pairs that were shown less than `least` times are left out, because they say little and are many.
    """
    where = f"FROM {ROWS} WHERE {USABLE} AND {position} IS NOT NULL"
    sql = (
        f"SELECT q, d, {position}::DOUBLE AS position, count(*) AS shown, {how_many('x')} AS clicked {where} "
        f"GROUP BY q, d, position QUALIFY sum(count(*)) OVER (PARTITION BY q, d) >= {least} ORDER BY q, d, position"
    )
    with reading_faults(log):
        columns = fetch(log, sql)
        n_seen = n_pairs_seen(log, where)
    return counts_of(columns, columns["position"].astype(float), n_seen)


def click_rates(log: OpenLog) -> dict[float, float]:
    """Rank → its click-through rate over the whole log."""
    sql = f"SELECT r, {how_many('x')} / count(*) FROM {ROWS} WHERE {USABLE} GROUP BY r ORDER BY r"
    with reading_faults(log):
        return {float(rank): float(rate) for rank, rate in log.connection.execute(sql).fetchall()}


def n_pairs_seen(log: OpenLog, where: str) -> int:
    """How many pairs of query and document the log has."""
    (n,) = log.connection.execute(f"SELECT count(*) FROM (SELECT DISTINCT hash(q, d) {where})").fetchone()
    return int(n)


def count_examined(log: OpenLog, least: int) -> tuple[ClickCounts, Floats]:
    """How often each document was shown at or above the lowest click of its search, and clicked; and how often it was the
    lowest click. In a search without clicks, all documents were examined. Pairs that were examined less than `least` times
    are left out.
    """
    lowest = f"SELECT h, max(r) FILTER (x) AS lowest FROM {ROWS} GROUP BY h"
    where = f"FROM {ROWS} WHERE {USABLE}"
    sql = (
        f"SELECT q, d, count(*) AS shown, {how_many('x')} AS clicked, {how_many('x AND r = lowest')} AS last "
        f"FROM (SELECT h, q, d, r, x {where}) JOIN ({lowest}) USING (h) "
        f"WHERE lowest IS NULL OR r <= lowest GROUP BY q, d HAVING count(*) >= {least} ORDER BY q, d"
    )
    with reading_faults(log):
        columns = fetch(log, sql)
        n_seen = n_pairs_seen(log, where)
    return counts_of(columns, np.ones(len(columns["q"])), n_seen), columns["last"].astype(float)


def counts_of(columns: dict[str, Any], position: Floats, n_seen: int) -> ClickCounts:
    """Counts from columns q, d, shown and clicked, in the order of q and d."""
    query, document = columns["q"], columns["d"]
    is_new = np.ones(len(query), dtype=bool)
    is_new[1:] = (query[1:] != query[:-1]) | (document[1:] != document[:-1])
    return ClickCounts(
        tuple(map(str, query[is_new])),
        tuple(map(str, document[is_new])),
        (np.cumsum(is_new) - 1).astype(np.int64),
        position,
        columns["shown"].astype(float),
        columns["clicked"].astype(float),
        n_seen,
    )
