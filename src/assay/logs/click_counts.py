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

    @property
    def n_pairs(self) -> int:
        """How many pairs of query and document there are."""
        return len(self.query)

    def of_pairs(self, values: Floats) -> Floats:
        """The sum of a value over the rows of each pair."""
        return np.bincount(self.pair, weights=values, minlength=self.n_pairs)

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
        return np.bincount(self.place, weights=values, minlength=len(self.positions))

    @cached_property
    def digest(self) -> str:
        """A hash of everything that a model reads, which does not depend on the order of lines."""
        names = [(self.query[number], self.document[number]) for number in self.pair.tolist()]
        rows = zip(names, self.position.tolist(), self.shown.tolist(), self.clicked.tolist(), strict=True)
        return fingerprint(rows)


def count_positions(log: OpenLog, position: str = "r") -> ClickCounts:
    """Shown and clicked at each rank (`r`), or at each probability that users look at it (`p`)."""
    sql = (
        f"SELECT q, d, {position}::DOUBLE AS position, count(*) AS shown, {how_many('x')} AS clicked "
        f"FROM {ROWS} WHERE {KEPT} AND r IS NOT NULL AND q IS NOT NULL AND {position} IS NOT NULL GROUP BY q, d, position ORDER BY q, d, position"
    )
    with reading_faults(log):
        columns = fetch(log, sql)
    return _counts(columns, columns["position"].astype(float))


def count_examined(log: OpenLog) -> tuple[ClickCounts, Floats]:
    """How often each document was shown at or above the lowest click of its search, and clicked; and how often it was the
    lowest click. In a search without clicks, all documents were examined.
    """
    lowest = f"SELECT h, max(r) FILTER (x) AS lowest FROM {ROWS} GROUP BY h"
    sql = (
        f"SELECT q, d, count(*) AS shown, {how_many('x')} AS clicked, {how_many('x AND r = lowest')} AS last "
        f"FROM (SELECT h, q, d, r, x FROM {ROWS} WHERE {KEPT} AND r IS NOT NULL AND q IS NOT NULL) JOIN ({lowest}) USING (h) "
        "WHERE lowest IS NULL OR r <= lowest GROUP BY q, d ORDER BY q, d"
    )
    with reading_faults(log):
        columns = fetch(log, sql)
    return _counts(columns, np.ones(len(columns["q"]))), columns["last"].astype(float)


def _counts(columns: dict[str, Any], position: Floats) -> ClickCounts:
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
    )
