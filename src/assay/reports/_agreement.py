"""Agreement of rankings as people read it: how alike systems rank, and which relevant documents came and went."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.comparison import UNKNOWN, RankAgreement
from assay.reports._cells import Cell, Table
from assay.reports._sheets import Sheet
from assay.text import printable, some_of

MEANING = (
    "tau, tau_ap: 1 the same order, -1 the reverse, tau_ap with more weight at the top; "
    "rbo, overlap: share of documents in common, rbo with more weight at the top."
)
MOST_QUERIES = 10
"""Queries that are shown where the rankings are least alike."""


def agreement_sheets(found: Sequence[RankAgreement], digits: int | None = None, *, per_query: bool = False) -> list[Sheet]:
    """Means first, then queries."""
    sheets = [_means(found, digits)] if found else []
    return sheets + [_queries(one, digits) for one in found if per_query]


def _means(found: Sequence[RankAgreement], digits: int | None) -> Sheet:
    first = found[0]
    has_moved = any(one.moved is not None for one in found)
    rows = [
        [
            Cell(f"{printable(one.a)} → {printable(one.b)}"),
            *(Cell(_figure(value, digits)) for value in one.means.values()),
            *([Cell(_count(one.n_gained)), Cell(_count(one.n_lost))] if has_moved else []),
        ]
        for one in found
    ]
    moved = f" gained, lost: relevant documents that came into the first {first.k}, or left them." if has_moved else ""
    heads = ["rankings", *first.means, *(["gained", "lost"] if has_moved else [])]
    return Sheet("agreement of rankings, mean over queries", Table(heads, rows), (f"{MEANING}{moved}", *_least_alike(found)))


def _least_alike(found: Sequence[RankAgreement]) -> list[str]:
    if len(found) > 1 or len(found[0].agreement.query_ids) < 2:
        return []
    return [f"Least alike: {some_of([printable(query) for query in found[0].least(6)])}."]


def _queries(one: RankAgreement, digits: int | None) -> Sheet:
    figures = one.agreement.by_query()
    rows = []
    for query in one.least(MOST_QUERIES):
        moved = one.moved.get(query) if one.moved is not None else None
        documents = [Cell(some_of([printable(doc) for doc in docs], 3)) for docs in moved] if moved else []
        cells = [Cell(_figure(value, digits)) for value in figures[query].values()]
        rows.append([Cell(printable(query)), *cells, *(documents or [Cell(""), Cell("")] if one.moved is not None else [])])
    heads = ["query", *one.means, *(["gained", "lost"] if one.moved is not None else [])]
    return Sheet(f"{one.a} and {one.b}: the queries ranked least alike", Table(heads, rows))


def _figure(value: float, digits: int | None) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.{3 if digits is None else digits}f}"


def _count(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"
