"""Queries of a comparison: which of them got worse, with filters, groups and pages; and their table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.comparison import ranking_of, sign_of
from assay.errors import BadParameter
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.model import Slice, Tags
from assay.reports import BenchmarkReport, Card, Cell, Column, make_card, words
from assay.text import counted, printable, shorten_middle
from assay.web.page import PageRequest
from assay.web.queries import change_cell, cut_text, query_url, score_column
from assay.web.tables import Plan, SheetColumn

CARDS_PER_PAGE = 8
TOP = 10
"""The cutoff for lost documents, if the metric has none."""
MAX_SYSTEMS_IN_TABLE = 6
MAX_TAGS = 12
MAX_HEAD = 24
"""Characters of a name in the head of a column."""
KINDS = {
    "worse": "got worse",
    "better": "got better",
    "changed": "changed",
    "lost": "lost a relevant document from the top {k}",
    "failed": "new failures",
    "all": "all queries",
}
HEADS = {
    "worse": "Queries that got worse",
    "better": "Queries that got better",
    "changed": "Queries that changed",
    "lost": "Queries that lost a relevant document from the top {k}",
    "failed": "Queries that failed only now",
    "all": "Queries, the largest loss first",
}
FILTERS = ("only", "slice", "words", "metric", "group")
"""The parameters that choose queries."""


class Choice(NamedTuple):
    """A filter, with the number of queries that pass it."""

    name: str
    label: str
    n: int
    url: str
    is_chosen: bool


@dataclass(frozen=True)
class CardGroup:
    """Cards under one heading; the heading is empty if cards are not grouped."""

    title: str
    cards: tuple[Card, ...]
    n: int = 0
    url: str = ""
    """The address of all queries of the group."""


@dataclass(frozen=True)
class CardPage:
    """One page of cards, and the filters that choose them."""

    title: str
    between: str
    """The two results and the metric."""
    groups: tuple[CardGroup, ...]
    choices: tuple[Choice, ...]
    slices: tuple[tuple[str, tuple[tuple[str, str, int], ...]], ...]
    """Tag → value of the parameter, value of the tag, and the number of queries."""
    tags: tuple[str, ...]
    first: int
    last: int
    total: int
    previous: str = ""
    next: str = ""


@dataclass(frozen=True)
class ComparedQueries:
    """The queries of two results, the reference first; computed once for each metric."""

    report: BenchmarkReport
    metric: BoundMetric
    keys: tuple[str, ...]
    """The keys of the two results."""

    @cached_property
    def pair(self) -> tuple[Result, Result]:
        """The reference and the result that is compared with it."""
        first, second = self.report.looked_at
        return first, second

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """All compared queries."""
        return tuple(self.pair[0].query_ids)

    @cached_property
    def scores(self) -> Floats:
        """Query × result."""
        columns = [result.table.columns[self.metric.name].score for result in self.pair]
        return np.column_stack(columns).astype(float)

    @cached_property
    def gains(self) -> Floats:
        """How much better each query got; below 0 if it got worse."""
        return np.asarray(sign_of(self.metric) * (self.scores[:, 1] - self.scores[:, 0]))

    @cached_property
    def places(self) -> dict[str, int]:
        """Query → its place in the scores."""
        return {query: place for place, query in enumerate(self.ids)}

    @property
    def k(self) -> int:
        """The ranks that count: the cutoff of the metric, else ten."""
        cut = self.metric.params.get("k")
        return cut if isinstance(cut, int) and cut > 0 else TOP

    @cached_property
    def passing(self) -> Mapping[str, frozenset[str]]:
        """Filter → the queries that pass it."""
        old, new = (result.failures for result in self.pair)
        masks = {"worse": self.gains < 0, "better": self.gains > 0, "changed": np.nan_to_num(self.gains) != 0}
        known = {name: frozenset(self._inside(mask)) for name, mask in masks.items()}
        failed = frozenset(query for query in self.ids if query in new and query not in old)
        return {**known, "lost": frozenset(filter(self._has_lost, self.ids)), "failed": failed, "all": frozenset(self.ids)}

    def _inside(self, mask: np.ndarray) -> list[str]:
        return [self.ids[place] for place in np.flatnonzero(mask).tolist()]

    def _has_lost(self, query: str) -> bool:
        """Whether a relevant document is among the first k documents only in the reference."""
        old, new = self.pair
        relevant = old.relevant.get(query)
        before = old.run.get(query)
        if not relevant or not before or not new.run or before == new.run.get(query):
            return False
        if not any(document in before for document in relevant):
            return False
        top = {document for document in ranking_of(old, query)[: self.k] if document in relevant}
        return bool(top) and not top <= set(ranking_of(new, query)[: self.k])

    @cached_property
    def in_order(self) -> list[str]:
        """All queries, the largest loss first; queries without a score come last."""
        order = np.argsort(self.gains, kind="stable").tolist()
        return [self.ids[place] for place in order]

    @cached_property
    def tags(self) -> Tags:
        """The tags of the queries."""
        return Tags.of(self.pair)

    @cached_property
    def texts(self) -> dict[str, str]:
        """Query → what a search looks through: its id, text and tags, in lower case."""
        return {
            query: f"{query} {self.text(query)} {' '.join(self.tags.by_query[query].values())}".casefold()
            for query in self.ids
        }

    def text(self, query: str) -> str:
        """The text of a query."""
        record = next((result.queries[query] for result in self.pair if query in result.queries), None)
        return record.text if record else ""

    def kind(self, request: PageRequest, otherwise: str = "worse") -> str:
        """The filter in a request."""
        name = request.get("only", otherwise)
        if name not in KINDS:
            raise BadParameter(f"the parameter only must be one of {', '.join(KINDS)}, not {name[:80]!r}")
        return name

    def slice(self, text: str) -> Slice:
        """The slice that `tag:value` means; an error with the known values if there is none."""
        tag, _, value = text.partition(":")
        slices = self.tags.slices(self.tags.crossed(tag))
        match = next((part for part in slices if part.value == value), None)
        if match is None:
            known = ", ".join(f"{tag}:{part.value}" for part in slices[:20])
            raise BadParameter(f"no slice is called {text[:80]!r}.   (choose from {known})")
        return match

    def chosen(self, request: PageRequest) -> list[str]:
        """The queries of the slice and the words in a request, the largest loss first."""
        some = self.in_order
        if text := request.get("slice"):
            inside = set(self.slice(text).queries)
            some = [query for query in some if query in inside]
        if sought := request.get("words").casefold().split():
            some = [query for query in some if all(word in self.texts[query] for word in sought)]
        return some

    def filtered(self, request: PageRequest, otherwise: str = "worse") -> list[str]:
        """The queries that match a request; if they got better, the largest gain first."""
        kind = self.kind(request, otherwise)
        some = [query for query in self.chosen(request) if query in self.passing[kind]]
        return some[::-1] if kind == "better" else some


@dataclass(frozen=True)
class QueryCards:
    """The cards of the queries that match a request."""

    compared: ComparedQueries
    request: PageRequest
    anchor: str = "queries"
    opened: str = field(default="", repr=False)
    """The query whose card is open, also if it does not pass the filters."""

    def page(self) -> CardPage:
        """The requested page of cards."""
        compared, request = self.compared, self.request
        kind, chosen = compared.kind(request), compared.chosen(request)
        queries, tag = compared.filtered(request), request.get("group")
        groups = self._grouped(queries, tag) if tag else [("", queries)]
        order = [(title, query) for title, some in groups for query in some]
        n_pages = max(1, math.ceil(len(order) / CARDS_PER_PAGE))
        page = request.get_int("cards", 1, n_pages)
        start = (page - 1) * CARDS_PER_PAGE
        shown = order[start : start + CARDS_PER_PAGE]
        return CardPage(
            HEADS[kind].format(k=compared.k),
            self._between,
            (*self._opened(shown), *self._groups(shown, dict(groups), tag)),
            self._choices(kind, chosen),
            tuple(self._slices(compared.passing[kind])),
            self._tag_names,
            start + bool(shown),
            start + len(shown),
            len(order),
            self._url(cards=page - 1 if page > 2 else None) if page > 1 else "",
            self._url(cards=page + 1) if page < n_pages else "",
        )

    @property
    def _between(self) -> str:
        old, new = (printable(result.name or "run") for result in self.compared.pair)
        return f"{self.compared.metric.name}, from {old} to {new}."

    def _url(self, **changes: object) -> str:
        return f"{self.request.url(**{'card': None, **changes})}#{self.anchor}"

    def _card(self, query: str, *, is_open: bool) -> Card:
        compared = self.compared
        scores: list[float] = compared.scores[compared.places[query]].tolist()
        why = [
            word
            for name, word in (
                ("lost", f"lost a relevant document from the top {compared.k}"),
                ("failed", "failed only now"),
            )
            if query in compared.passing[name]
        ]
        card = make_card(compared.report, query, compared.metric, scores, why, is_open=is_open)
        return Card(**{**card.__dict__, "link": query_url(compared.keys[-1], query)})

    def _opened(self, shown: Sequence[tuple[str, str]]) -> tuple[CardGroup, ...]:
        """The card that the address opens, if it is not on this page."""
        query = self.opened
        if query not in self.compared.places or query in [other for _, other in shown]:
            return ()
        return (CardGroup("The query that you opened", (self._card(query, is_open=True),)),)

    def _groups(
        self, shown: Sequence[tuple[str, str]], whole: Mapping[str, Sequence[str]], tag: str
    ) -> tuple[CardGroup, ...]:
        groups: dict[str, list[Card]] = {}
        opened = self.opened if self.opened in self.compared.places else shown[0][1] if shown else ""
        for title, query in shown:
            groups.setdefault(title, []).append(self._card(query, is_open=query == opened))
        return tuple(
            CardGroup(
                f"{tag} {printable(title)}" if tag else "",
                tuple(cards),
                len(whole[title]),
                self._url(slice=f"{tag}:{title}", group=None, cards=None) if tag else "",
            )
            for title, cards in groups.items()
        )

    def _grouped(self, queries: Sequence[str], tag: str) -> list[tuple[str, list[str]]]:
        """The queries by the value of a tag, the value with the most queries first."""
        tags = self.compared.tags
        value_of = {query: part.value for part in tags.slices(tags.crossed(tag)) for query in part.queries}
        groups: dict[str, list[str]] = {}
        for query in queries:
            groups.setdefault(value_of[query], []).append(query)
        return sorted(groups.items(), key=lambda group: -len(group[1]))

    def _choices(self, kind: str, chosen: Sequence[str]) -> tuple[Choice, ...]:
        passing = self.compared.passing
        return tuple(
            Choice(
                name,
                label.format(k=self.compared.k),
                sum(query in passing[name] for query in chosen),
                self._url(only=name, cards=None),
                name == kind,
            )
            for name, label in KINDS.items()
        )

    @cached_property
    def _tag_names(self) -> tuple[str, ...]:
        return self.compared.report.tags[:MAX_TAGS]

    def _slices(self, passing: frozenset[str]) -> list[tuple[str, tuple[tuple[str, str, int], ...]]]:
        """The slices of each tag, with the number of queries that pass the filter."""
        tags, menu = self.compared.tags, []
        for tag in self._tag_names:
            parts = [
                (part.value, sum(query in passing for query in part.queries)) for part in tags.slices(tags.crossed(tag))
            ]
            menu.append((tag, tuple((f"{tag}:{value}", value, n) for value, n in parts)))
        return menu


def query_plan(compared: ComparedQueries, request: PageRequest, results: Sequence[Result]) -> Plan[str]:
    """The table of all queries with the score of each result, or of those that match the filters."""
    metric = compared.metric
    columns: list[SheetColumn[str]] = [
        SheetColumn(Column("query", kind="text"), lambda query: words(query, link=query_url(compared.keys[-1], query)), str),
        SheetColumn(Column("text", kind="text"), lambda query: cut_text(compared.text(query)), compared.text),
        *(
            score_column(result, metric, shorten_middle(printable(result.name), MAX_HEAD), f"score-{place}")
            for place, result in enumerate(results[:MAX_SYSTEMS_IN_TABLE], 1)
        ),
    ]

    def change(query: str) -> float:
        first, second = compared.scores[compared.places[query]].tolist()
        return float(second - first)

    def cell(query: str) -> Cell:
        return change_cell(metric, change(query))

    if len(results) == 2:
        columns.append(SheetColumn(Column("change", "Δ"), cell, change))
    is_filtered = any(request.get(name) for name in ("only", "slice", "words"))
    ids = compared.filtered(request, "all") if is_filtered else compared.ids
    label = f"{counted(len(ids), 'query')} that match the filters" if is_filtered else "All queries"
    return Plan(label, "all-queries", tuple(columns), ids, "all-queries")
