"""Queries of results: a row for each, with its scores; they can be filtered by words and by outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.comparison import Figures, sign_of
from assay.errors import BadParameter, UnknownName, near_matches
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.reports import Cell, Column, Mark, number, words
from assay.web.page import PageRequest, address
from assay.web.tables import Plan, SheetColumn

MAX_METRICS = 4
LONGEST_TEXT = 200
JUDGED = "judged"
"""The metric that measures how many of the first documents are judged."""
KINDS = {
    "failed": "failed",
    "zero": "scored zero",
    "unjudged": "with unjudged documents",
    "changed": "changed since the previous result",
    "worse": "worse than in the previous result",
}


@dataclass(frozen=True)
class QueryTable:
    """The queries of one result, and their scores in the previous result, if there is one."""

    result: Result
    key: str
    metric: BoundMetric | None
    before: Result | None = None

    @cached_property
    def scores(self) -> dict[str, float]:
        """Query → score of the chosen metric."""
        return self.result.scores(self.metric.name) if self.metric else {}

    @cached_property
    def changes(self) -> dict[str, float]:
        """Query → the change of its score since the previous result; only queries that both have."""
        if self.before is None or self.metric is None or self.metric.name not in self.before.table.columns:
            return {}
        old = self.before.scores(self.metric.name)
        return {query: score - old[query] for query, score in self.scores.items() if query in old}

    @cached_property
    def judged(self) -> dict[str, float]:
        """Query → the share of its first documents that are judged."""
        metric = next((metric for metric in self.result.metrics if metric.metric.name == JUDGED), None)
        return self.result.scores(metric.name) if metric else {}

    @cached_property
    def kinds(self) -> dict[str, Callable[[str], bool]]:
        """Name of a filter → whether a query passes it."""
        sign = sign_of(self.metric) if self.metric else 1
        known: dict[str, Callable[[str], bool]] = {"failed": lambda query: query in self.result.failures}
        if self.metric and self.metric.metric.higher_is_better:
            known["zero"] = lambda query: self.scores.get(query, math.nan) == 0
        if self.judged:
            known["unjudged"] = lambda query: self.judged.get(query, 1.0) < 1
        if self.changes:
            known["changed"] = lambda query: self.changes.get(query, 0.0) != 0
            known["worse"] = lambda query: sign * self.changes.get(query, 0.0) < 0
        return known

    def ids(self, request: PageRequest) -> Sequence[str]:
        """The queries that match the request."""
        every: Sequence[str] = known_queries(self.result)
        if kind := request.get("only"):
            if kind not in self.kinds:
                raise BadParameter(f"the parameter only must be one of {', '.join(self.kinds)}, not {kind[:80]!r}")
            every = [query for query in every if self.kinds[kind](query)]
        if sought := request.get("words").casefold().split():
            every = [query for query in every if all(word in self._words(query) for word in sought)]
        return every

    def text(self, query: str) -> str:
        """The text of a query."""
        record = self.result.queries.get(query)
        return record.text if record else ""

    def _words(self, query: str) -> str:
        record = self.result.queries.get(query)
        tags = " ".join(map(str, record.tags.values())) if record else ""
        return f"{query} {self.text(query)} {tags}".casefold()

    def plan(self, request: PageRequest, metrics: Sequence[BoundMetric]) -> Plan[str]:
        """The table."""
        columns = [
            SheetColumn(Column("query", kind="text"), self._named, str),
            SheetColumn(Column("text", kind="text"), lambda query: cut_text(self.text(query)), self.text),
            *(score_column(self.result, metric) for metric in metrics[:MAX_METRICS]),
        ]
        if self.changes:
            title = "change since the previous result"
            columns.append(SheetColumn(Column("change", "Δ previous", help=title), self._change, self.changes.get))
        columns.append(SheetColumn(Column("remarks", kind="text"), self._remarks))
        return Plan("Queries", "queries", tuple(columns), self.ids(request), "queries")

    def _named(self, query: str) -> Cell:
        return words(query, link=query_url(self.key, query))

    def _change(self, query: str) -> Cell:
        return change_cell(self.metric, self.changes.get(query, math.nan))

    def _remarks(self, query: str) -> Cell:
        remarks = []
        if query in self.result.failures:
            remarks.append(f"failed: {self.result.failures[query]}")
        if self.judged.get(query, 1.0) < 1:
            remarks.append("unjudged")
        return cut_text(" · ".join(remarks))


def known_queries(result: Result) -> tuple[str, ...]:
    """Every query of a result once, including failed queries."""
    return tuple(dict.fromkeys((*result.query_ids, *result.failures)))


def query_url(key: str, query: str) -> str:
    """The page of a query of a result."""
    return address(f"/result/{key}/query", id=query)


def change_cell(metric: BoundMetric | None, value: float) -> Cell:
    """The change of a score, coloured as better or worse; a dash if it is unknown."""
    if metric is None or math.isnan(value):
        return Cell("–", value="")
    better = sign_of(metric) * value
    tone = Mark.BETTER if better > 0 else Mark.WORSE if better < 0 else Mark.NONE
    return number(Figures().change(metric, value), value, mark=tone)


def metric_of(
    request: PageRequest, known: Sequence[BoundMetric], otherwise: BoundMetric | None, of_queries: Sequence[BoundMetric]
) -> BoundMetric | None:
    """The metric in the request, otherwise the default; an unknown metric is an error.

    A metric without scores for single queries has nothing to list, so it is replaced by the default.
    """
    if not (name := request.get("metric")):
        return otherwise
    metric = next((metric for metric in known if metric.name == name), None)
    if metric is None:
        names = [metric.name for metric in known]
        raise UnknownName("metric here", name[:80], near_matches(name, names), f"choose from {', '.join(names)}")
    return metric if metric in of_queries else otherwise


def score_column(result: Result, metric: BoundMetric, head: str = "", name: str = "") -> SheetColumn[str]:
    """The scores of a metric; `name` is its name in addresses, if that is not its heading."""
    scores = result.scores(metric.name)

    def cell(query: str) -> Cell:
        value = scores.get(query, math.nan)
        return number(Figures().value(metric, value), value) if value == value else Cell("–", value="")

    title = f"{head}: {metric.name}. {metric.metric.meaning}" if head else metric.metric.meaning
    column = Column(name or head or metric.name, head or metric.name, help=title)
    return SheetColumn(column, cell, scores.get)


def cut_text(text: str, **more: Any) -> Cell:
    """The text of a query, or a remark on it, as much as fits in a table."""
    return words(text, LONGEST_TEXT, **more)
