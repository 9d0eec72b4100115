"""Queries of a page: those that changed most, failed or found nothing, each with its rankings side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.comparison import UNKNOWN, sign_of
from assay.metrics import BoundMetric
from assay.reports.page.cards import Card, Cards, card_anchor, make_card, tone_of
from assay.reports.page.charts import Figures, draw_charts
from assay.reports.page.subject import BenchmarkReport
from assay.reports.table import Cell, Column, Section, Table, anchor_of, joined, number, text_columns, words
from assay.text import counted, printable

MAX_ROWS = 1_000
"""Queries in the table."""
CARDS_LEAD = (
    "Documents have their grade: ✓ is relevant, ✗ is judged not relevant. Missed relevant documents are listed below each "
    "ranking. An arrow shows the rank in the other ranking. Words of the query are marked."
)
LEAD_OF_ONE = (
    "Documents have their grade: ✓ is relevant, ✗ is judged not relevant. Missed relevant documents are listed below the "
    "ranking. Words of the query are marked."
)


def scatter_section(report: BenchmarkReport) -> Section | None:
    """Each query as a point; None unless two systems are compared."""
    if report.pair is None or report.moving is None:
        return None
    charts = draw_charts(report, "paired_scatter", metric=report.moving.name, results=report.looked_at)
    side = "Above" if report.moving.metric.higher_is_better else "Below"
    lead = f"{side} the line, {report.names[report.pair[1]]} is better."
    if any(figure.is_clickable for part in charts if isinstance(part, Figures) for figure in part.figures):
        lead += " Click a point, or a query in the table of queries, to see both rankings."
    return Section(anchor_of("query-by-query", report.group), "Query by query", charts, lead)


def queries_section(report: BenchmarkReport) -> Section | None:
    """Cards of the notable queries, then a table; the text says what is left out."""
    if report.moving is None:
        return None
    notable = notable_queries(report)
    carded = {query for kind in notable.kinds for query in kind.queries}
    parts: list[Any] = []
    for kind in notable.kinds:
        cards = tuple(notable.card(report, query) for query in kind.queries)
        parts.append(Cards(kind.title, cards, kind.lead))
    parts.append(_table(report, notable, carded))
    title = "Wins and losses" if report.pair is not None else "Notable queries"
    lead = CARDS_LEAD if report.pair is not None else LEAD_OF_ONE
    if left := len(report.looked_at[0].query_ids) - len(carded):
        lead += f" The rankings of {counted(left, 'other query')}, which are less notable, are left out."
    return Section(anchor_of("queries", report.group), title, tuple(parts), lead)


def _table(report: BenchmarkReport, notable: NotableQueries, carded: set[str]) -> Table:
    """The queries, those with a card first; the reader can sort and filter them."""
    metric, results = notable.metric, report.looked_at
    order = list(dict.fromkeys((*(query for kind in notable.kinds for query in kind.queries), *results[0].query_ids)))
    rows = [_row(report, query, notable, is_carded=query in carded) for query in order[:MAX_ROWS]]
    heads = [*text_columns("query", "text")]
    heads += [Column(f"{printable(result.name or 'run')}: {metric.name}") for result in results]
    heads += [Column("Δ")] if len(results) == 2 else []
    heads += text_columns("remarks")
    n = len(results[0].query_ids)
    notes = (f"{MAX_ROWS:,} of {n:,} queries: first the notable queries, then others.",) if n > MAX_ROWS else ()
    title = "All queries" if n <= MAX_ROWS else "Queries"
    return Table(tuple(heads), tuple(rows), title, title=title, filters="queries", notes=notes)


def _row(report: BenchmarkReport, query: str, notable: NotableQueries, *, is_carded: bool) -> tuple[Cell, ...]:
    metric, results = notable.metric, report.looked_at
    scores = notable.scores_of(query)
    asked = next((result.queries[query] for result in results if query in result.queries), None)
    href = f"#{card_anchor(report, query)}" if is_carded else ""
    fields = [words(query, link=href), words(asked.text if asked else "")]
    fields += [number(report.figures.value(metric, score), score) for score in scores]
    if len(scores) == 2:
        change = scores[1] - scores[0]
        text = UNKNOWN if math.isnan(change) else report.figures.change(metric, change)
        fields.append(number(text, change, mark=tone_of(metric, scores)))
    return (*fields, words(joined(notable.why.get(query, ()))))


MAX_PER_KIND = 20
"""Cards of one kind."""
MAX_QUERIES_SHOWN_IN_FULL = 100
"""If there are no more queries than this, every query has a card."""
UNJUDGED = "judged@10"
MAX_JUDGED = 0.5
"""If a smaller share of the top 10 is judged, a query may look worse than it is."""


class Kind(NamedTuple):
    """Queries that have something in common, the most notable first."""

    title: str
    queries: list[str]
    lead: str = ""


@dataclass(frozen=True)
class NotableQueries:
    """Kinds of queries, each query once, and everything notable about each query."""

    metric: BoundMetric
    kinds: tuple[Kind, ...]
    why: dict[str, list[str]]
    scores: Floats = field(repr=False)
    """Queries × systems."""
    places: dict[str, int] = field(repr=False)

    def scores_of(self, query: str) -> list[float]:
        """The scores of a query, one for each system."""
        scores: list[float] = self.scores[self.places[query]].tolist()
        return scores

    def card(self, report: BenchmarkReport, query: str) -> Card:
        """The card of a query; the first card of the page is open."""
        is_open = bool(self.kinds) and query == self.kinds[0].queries[0]
        return make_card(report, query, self.metric, self.scores_of(query), self.why.get(query, ()), is_open=is_open)


def notable_queries(report: BenchmarkReport) -> NotableQueries:
    """Find the notable queries in one pass over the scores; empty kinds are left out."""
    metric, results = report.moving, report.looked_at
    if metric is None:
        raise ValueError("no metric has scores for single queries")
    queries = results[0].query_ids
    scores = np.column_stack([result.table.columns[metric.name].score for result in results]).astype(float)
    kinds: list[Kind] = []
    why: dict[str, list[str]] = {}
    taken: set[str] = set()
    for title, reason, members in _kinds(report, metric, queries, scores):
        for query in members:
            why.setdefault(query, []).append(reason)
        fresh = [query for query in members if query not in taken][:MAX_PER_KIND]
        if fresh:
            lead = f"{len(fresh):,} of {counted(len(members), 'query')}." if len(members) > len(fresh) else ""
            kinds.append(Kind(title, fresh, lead))
            taken.update(fresh)
    others = [query for query in queries if query not in taken]
    if others and len(queries) <= MAX_QUERIES_SHOWN_IN_FULL:
        kinds.append(Kind("Other queries", others))
    return NotableQueries(metric, tuple(kinds), why, scores, {query: place for place, query in enumerate(queries)})


def _kinds(
    report: BenchmarkReport, metric: BoundMetric, queries: Sequence[str], scores: Floats
) -> Iterable[tuple[str, str, list[str]]]:
    """Title, a word for it, and the queries; losses come first, because they matter most."""
    results = report.looked_at
    if len(results) == 2:
        gain = sign_of(metric) * (scores[:, 1] - scores[:, 0])
        yield "Largest losses", "lost", _ordered(queries, gain, gain < 0)
        yield "Largest gains", "gained", _ordered(queries, -gain, gain > 0)
    failed = [query for query in queries if any(query in result.failures for result in results)]
    yield "Failed queries", "failed", failed
    is_good = metric.metric.higher_is_better and metric.metric.view != "timing"
    if is_good:
        zero = np.nan_to_num(scores, nan=math.inf).max(axis=1) == 0
        title = "Nothing relevant found by either system" if len(results) == 2 else "Nothing relevant found"
        yield title, "zero", [query for query, is_zero in zip(queries, zero.tolist(), strict=True) if is_zero]
    yield "Mostly unjudged", "unjudged", _unjudged(report, queries)
    if len(results) == 1:
        worst = sign_of(metric) * scores[:, 0]
        yield "Worst scores", "worst", _ordered(queries, worst, ~np.isnan(worst))[:MAX_PER_KIND]


def _ordered(queries: Sequence[str], by: Floats, inside: np.ndarray) -> list[str]:
    """The selected queries, the smallest value first; equal ones stay in their order."""
    chosen = np.flatnonzero(inside)
    return [queries[place] for place in chosen[np.argsort(by[chosen], kind="stable")].tolist()]


def _unjudged(report: BenchmarkReport, queries: Sequence[str]) -> list[str]:
    """Queries with less than half of the top 10 judged, the fewest first; none if that is so for most queries."""
    place = report.pair[1] if report.pair is not None else 0
    result = report.results[place]
    if UNJUDGED not in result or result[UNJUDGED] < MAX_JUDGED:
        return []
    shares = dict(zip(result.query_ids, result.array(UNJUDGED).tolist(), strict=True))
    few = [(share, query) for query in queries if (share := shares.get(query, 1.0)) < MAX_JUDGED]
    return [query for _, query in sorted(few, key=lambda share_and_query: share_and_query[0])]
