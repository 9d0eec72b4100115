"""Click tails: for each search, the documents below its last click, as a model of users who read from the top needs them.

Users looked at every document down to the last click. How far they read after it is not known, so only these tails stay in
the estimation. Searches with the same last clicked document and the same tail are counted together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from assay.arrays import Bools, Floats, Ints
from assay.logs.click_counts import USABLE, ClickCounts, counts_of, n_pairs_seen
from assay.logs.faults import reading_faults
from assay.logs.impressions import ROWS
from assay.logs.log_table import OpenLog
from assay.logs.searches import fetch
from assay.logs.values import how_many

NO_CLICK = -1
PAIR_BITS = 32
"""The lower bits of the number that orders the documents of a search: the pair. The rank is above them."""


@dataclass(frozen=True, eq=False)
class ClickTails:
    """Counts of pairs of query and document, and the tails of searches. A row is a last click with its tail.

    Pairs that were shown too seldom for a grade share the last number, so that they do not become parameters of their own.
    """

    counts: ClickCounts
    shown: Floats
    """How often each pair was shown, and in the last place, how often all the others were."""
    clicked: Floats
    weight: Floats
    """How many searches each row stands for. Rows with a longer tail come first."""
    last: Ints
    """The pair of the last click of each row, or NO_CLICK."""
    pair: Ints
    """The pairs of all tails: first those at the first place after the last click, then those at the second one …"""
    lengths: Ints
    """How many rows have a tail that reaches each place. These are the first rows."""

    @property
    def n_pairs(self) -> int:
        """The number of pairs, with the one that stands for all others."""
        return len(self.shown)

    @property
    def n_tails(self) -> int:
        """How many rows have a tail that is not empty."""
        return int(self.lengths[0]) if len(self.lengths) else 0

    @cached_property
    def stretches(self) -> list[slice]:
        """Where each place is in `pair`."""
        return [slice(start, end) for start, end in pairwise([0, *np.cumsum(self.lengths).tolist()])]

    @cached_property
    def has_click(self) -> Bools:
        """Which rows have a click."""
        return self.last != NO_CLICK

    @cached_property
    def weights(self) -> Floats:
        """How many searches each place of each tail stands for."""
        parts = [self.weight[:n] for n in self.lengths.tolist()]
        return np.concatenate(parts) if parts else np.zeros(0)

    @cached_property
    def certain(self) -> Floats:
        """How often users certainly looked at each pair: down to the last click."""
        return self.shown - np.bincount(self.pair, weights=self.weights, minlength=self.n_pairs)

    @cached_property
    def n_last(self) -> Floats:
        """How often each pair was the last click."""
        return self.of_last(np.ones(len(self.weight)))

    def of_last(self, values: Floats) -> Floats:
        """The sum of a value over the searches in which each pair was the last click."""
        weights = (self.weight * values)[self.has_click]
        return np.bincount(self.last[self.has_click], weights=weights, minlength=self.n_pairs).astype(float)


def read_tails(log: OpenLog, least: int) -> ClickTails:
    """The tails of the searches that showed any document which was shown at least `least` times for its query."""
    with reading_faults(log):
        log.connection.execute(
            f"CREATE OR REPLACE TEMP TABLE click_pairs AS "
            f"SELECT q, d, row_number() OVER (ORDER BY q, d) AS pair, shown, clicked "
            f"FROM (SELECT q, d, count(*) AS shown, {how_many('x')} AS clicked FROM {ROWS} WHERE {USABLE} "
            f"GROUP BY q, d HAVING count(*) >= {least})"
        )
        log.connection.execute(f"CREATE OR REPLACE TEMP TABLE click_tails AS {_tails_sql()}")
        n_seen = n_pairs_seen(log, f"FROM {ROWS} WHERE {USABLE}")
    columns = fetch(log, "SELECT q, d, shown, clicked FROM click_pairs ORDER BY pair")
    counts = counts_of(columns, np.ones(len(columns["q"])), n_seen)
    rows = fetch(log, "SELECT last, n, other_shown, other_clicked FROM click_tails ORDER BY number")
    pair, lengths = _places(log)
    last = _numbers(rows["last"], counts.n_pairs)
    tails = ClickTails(
        counts,
        np.append(counts.shown, rows["other_shown"].sum()).astype(float),
        np.append(counts.clicked, rows["other_clicked"].sum()).astype(float),
        rows["n"].astype(float),
        last,
        _numbers(pair, counts.n_pairs),
        lengths,
    )
    return replace(tails, counts=replace(counts, more=_digest(tails)))


def _tails_sql() -> str:
    """A row for each last click and tail. Pair 0 stands for those without a number of their own."""
    rows = (
        f"SELECT h, (r::BIGINT << {PAIR_BITS}) + coalesce(pair, 0) AS place, coalesce(pair, 0) AS pair, x "
        f"FROM {ROWS} LEFT JOIN click_pairs USING (q, d) WHERE {USABLE}"
    )
    searches = (
        f"SELECT max(place) FILTER (x) AS final, list(place) FILTER (NOT x) AS missed, "
        f"{how_many('pair = 0')} AS others, {how_many('pair = 0 AND x')} AS others_clicked "
        f"FROM ({rows}) GROUP BY h HAVING max(pair) > 0"
    )
    low = (1 << PAIR_BITS) - 1
    after = "list_sort([e FOR e IN coalesce(missed, []) IF final IS NULL OR e > final])"
    tail = f"[(e & {low})::INTEGER FOR e IN {after}]"
    grouped = (
        f"SELECT coalesce(final & {low}, {NO_CLICK}) AS last, {tail} AS tail, count(*) AS n, sum(others) AS other_shown, "
        f"sum(others_clicked) AS other_clicked FROM ({searches}) GROUP BY ALL"
    )
    return f"SELECT row_number() OVER (ORDER BY len(tail) DESC, last, tail) - 1 AS number, * FROM ({grouped})"


def _places(log: OpenLog) -> tuple[Ints, Ints]:
    """The pairs at each place of the tails, and how many tails have this place."""
    sizes = log.connection.execute("SELECT len(tail), count(*) FROM click_tails GROUP BY ALL").fetchall()
    depth = max((size for size, _ in sizes), default=0)
    lengths = np.array([sum(n for size, n in sizes if size > place) for place in range(depth)], dtype=np.int64)
    parts = [
        fetch(log, f"SELECT tail[{place + 1}] AS pair FROM click_tails WHERE number < {n} ORDER BY number")["pair"]
        for place, n in enumerate(lengths.tolist())
    ]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32), lengths


def _numbers(pair: Ints, n_pairs: int) -> Ints:
    """Pairs counted from 0, with the one that stands for all others at the end."""
    return np.where(pair > 0, pair - 1, np.where(pair == 0, n_pairs, NO_CLICK)).astype(np.int32)


def _digest(tails: ClickTails) -> str:
    """A hash of the tails, which does not depend on the order of lines."""
    digest = blake2b(digest_size=8)
    for part in (tails.last, tails.weight, tails.lengths, tails.pair, tails.shown, tails.clicked):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()
