"""Compare: two or more results side by side, as the report has them, and all their queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

from assay.comparison import sign_of
from assay.errors import AssayError, DataError, NotComparable, UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.reports import BenchmarkReport, Cards, Cell, Column, Group, Section, make_group, readable_time, words
from assay.text import printable
from assay.web.page import Page, PageRequest, Redirect, View, address
from assay.web.queries import change_cell, cut_text, metric_of, query_url, score_column
from assay.web.state import AppState, ListedResult
from assay.web.tables import TABLE_PARAMETERS, Plan, SheetColumn, lay_out

MAX_RESULTS = 20
MAX_SYSTEMS_IN_TABLE = 6
BEFORE_QUERIES = ("metrics", "slices", "by-cutoff", "query-by-query", "queries")
OTHER_QUERIES = "Other queries"
"""Cards of the report for queries that did not stand out."""
MAX_CARDS = 8
LEAD = "Relevant documents are marked ✓ with their grade; relevant ones that were missed stand below each ranking."
MAX_NEWEST = 30
"""Results that may be picked from where none is given."""


def show_compare(state: AppState, request: PageRequest) -> View | Redirect:
    """`r` names each result; `baseline` one of them. References such as `latest/0` lead to the address of what they mean."""
    if moved := _redirect_to_keys(state, request):
        return moved
    keys, baseline = _keys_and_baseline(request)
    picked = [state.listed_result(key) for key in keys]
    if len(keys) < 2:
        if name := request.get("metric"):
            state.store.metric(name)  # an unknown one is an error here too, though nothing is shown by it yet
        return _choose(state, keys)
    shared = request.has("shared")
    try:
        report, group = _report(state, keys, baseline, shared=shared)
    except DataError as error:
        if shared:
            raise
        return _difference_view(request, error)
    layouts, tables = lay_out(_fewer_cards(section, report) for section in group.sections)
    first = 1 + max((place for place, section in enumerate(layouts) if section.key.startswith(BEFORE_QUERIES)), default=-1)
    order = _baseline_first(keys, baseline)
    table = ComparedQueries(
        [report.shown[keys.index(key)] for key in order], order, metric_of(request, report.metrics, report.moving)
    )
    plan = table.plan(request)
    content = {
        "head": group.head,
        "above": layouts[:first],
        "below": layouts[first:],
        "picked": list(zip(keys, report.names, picked, strict=True)),
        "baseline": baseline,
        "sheet": plan.sheet(request),
        "metric": table.metric.name if table.metric else "",
        "metrics": [metric.name for metric in report.metrics],
        "swapped": _swapped_address(keys) if len(keys) == 2 else "",
    }
    return View("compare.html.j2", _title(report), content, {**tables, "all-queries": lambda: plan.table(request)})


def _keys_and_baseline(request: PageRequest) -> tuple[tuple[str, ...], str]:
    """The results that a request names, each once, and which of them is the baseline; empty where it names none."""
    keys = tuple(dict.fromkeys(request.get_all("r")))
    if len(keys) > MAX_RESULTS:
        raise UsageError(f"at most {MAX_RESULTS} results are compared at once, and {len(keys)} were given")
    baseline = request.get("baseline")
    if baseline and baseline not in keys:
        raise UsageError("the baseline is one of the results that are compared")
    return keys, baseline


def _redirect_to_keys(state: AppState, request: PageRequest) -> Redirect | None:
    """The same address with the keys of what references mean now; None where there are none."""
    own = [
        (name, _own_key(state, value) if name in ("r", "baseline") and value else value) for name, value in request.params
    ]
    return None if tuple(own) == request.params else Redirect(f"{request.path}?{urlencode(own)}")


def _own_key(state: AppState, key: str) -> str:
    """A key as it is; of `latest/1` the key of what it means, and of `latest` that of its first result."""
    if key in state.index.by_key:
        return key
    reference, _, place = key.rpartition("/")
    if not (reference and place.isascii() and place.isdecimal()):
        reference, place = key, "0"
    try:
        own_key = f"{state.store.id_of(reference)}/{int(place[:9])}"
    except AssayError:
        return key
    return own_key if own_key in state.index.by_key else key


def _baseline_first(keys: tuple[str, ...], baseline: str) -> tuple[str, ...]:
    """The results in the order that differences are counted in: the others against the baseline."""
    return tuple(sorted(keys, key=lambda key: key != baseline)) if baseline else keys


def _fewer_cards(section: Section, report: BenchmarkReport) -> Section:
    """Of the report's cards those that moved most; its table goes, for here is one with every query."""
    if section.key.startswith("query-by-query") and report.pair is not None:
        return replace(section, lead=_above_the_line(report, report.pair[1]))
    if not section.key.startswith("queries"):
        return section
    groups = [part for part in section.parts if isinstance(part, Cards) and part.title != OTHER_QUERIES]
    return replace(section, parts=tuple(map(_first_cards, groups)), lead=LEAD)


def _above_the_line(report: BenchmarkReport, place: int) -> str:
    """What a place in the scatter means, and where the same is found without a mouse."""
    side = "Below" if report.moving is not None and sign_of(report.moving) < 0 else "Above"
    return f"{side} the line {report.names[place]} is better. The table of all queries below has every point, with a link."


def _first_cards(group: Cards) -> Cards:
    if len(group.cards) <= MAX_CARDS:
        return group
    return replace(group, cards=group.cards[:MAX_CARDS], lead=f"The first {MAX_CARDS}; the table below has every query.")


def _title(report: BenchmarkReport) -> str:
    names = " and ".join(report.names) if len(report.names) < 4 else f"{len(report.names)} results"
    return f"{names} compared"


def _choose(state: AppState, keys: Sequence[str]) -> View:
    """Nothing to compare yet: the newest results, to be picked from."""
    newest = [
        (result.key, result.entry.provider, result.entry.benchmark, readable_time(result.entry.started))
        for result in _newest(state, keys)
    ]
    return View("choose.html.j2", "Compare", {"newest": newest, "picked": set(keys)})


def _newest(state: AppState, keys: Sequence[str]) -> list[ListedResult]:
    """Those that are given first; with one given, those on the same benchmark."""
    picked = [state.listed_result(key) for key in keys]
    same = {result.entry.benchmark for result in picked}
    others = [
        result for result in state.index.results if result not in picked and (not same or result.entry.benchmark in same)
    ]
    return [*picked, *others[:MAX_NEWEST]]


def _swapped_address(keys: Sequence[str]) -> str:
    first, second = keys
    return f"{address('/compare', r=second)}&{address('', r=first)[1:]}"


def _difference_view(request: PageRequest, error: DataError) -> View:
    """What differs, and the way on: the queries that all of them have."""
    what = f"{error.what}." if isinstance(error, NotComparable) and error.can_intersect else str(error)
    link = (request.url(shared=1), "Compare what they share")
    return View("problem.html.j2", "These results differ", {"what": what, "link": link}, status=422)


def _report(state: AppState, keys: tuple[str, ...], baseline: str, *, shared: bool) -> tuple[BenchmarkReport, Group]:
    """What the report says about them; worked out once, for results do not change."""

    def work() -> tuple[BenchmarkReport, Group]:
        report = BenchmarkReport(
            state.results(keys), state.comparison(keys, baseline, shared=shared), words_of=state.datasets.texts_of
        )
        return report, make_group(report)

    report: tuple[BenchmarkReport, Group] = state.cache.get(("compared", keys, baseline, shared), work)
    return report


@dataclass(frozen=True)
class ComparedQueries:
    """Every query with the scores of each result."""

    results: Sequence[Result]
    keys: Sequence[str]
    metric: BoundMetric | None

    @cached_property
    def scores(self) -> list[dict[str, float]]:
        """For each result, query → score."""
        return [result.scores(self.metric.name) for result in self.results] if self.metric else []

    def differs(self, query: str) -> bool:
        """Whether not all results gave the query the same score."""
        values = {scores.get(query, math.nan) for scores in self.scores}
        return len(values) > 1

    def ids(self, request: PageRequest) -> list[str]:
        """The queries that an address means."""
        queries = list(self.results[0].query_ids) if self.results and self.metric else []
        if request.has("differ"):
            queries = [query for query in queries if self.differs(query)]
        if sought := request.get("words").casefold().split():
            queries = [
                query for query in queries if all(word in f"{query} {self.text(query)}".casefold() for word in sought)
            ]
        return queries

    def text(self, query: str) -> str:
        """What was asked."""
        record = next((result.queries[query] for result in self.results if query in result.queries), None)
        return record.text if record else ""

    def plan(self, request: PageRequest) -> Plan[str]:
        """The table: of two results with the difference; in the order of the results unless the address says otherwise."""
        columns = [
            SheetColumn(Column("query", kind="text"), self._named, str),
            SheetColumn(Column("text", kind="text"), self._text, self.text),
        ]
        if self.metric:
            compared = self.results[:MAX_SYSTEMS_IN_TABLE]
            columns += [
                score_column(result, self.metric, printable(result.name), f"score-{place}")
                for place, result in enumerate(compared, 1)
            ]
        if len(self.scores) == 2:
            columns.append(SheetColumn(Column("change", "Δ"), self._change, self.change))
        return Plan("All queries", "all-queries", tuple(columns), self.ids(request), "all-queries")

    def change(self, query: str) -> float:
        """By how much the second result is above the first."""
        first, second = (scores.get(query, math.nan) for scores in self.scores)
        return second - first

    def _named(self, query: str) -> Cell:
        return words(query, link=query_url(self.keys[-1], query))

    def _text(self, query: str) -> Cell:
        return cut_text(self.text(query))

    def _change(self, query: str) -> Cell:
        return change_cell(self.metric, self.change(query))


TAKES = ("r", "baseline", "shared", "metric", "words", "differ", *TABLE_PARAMETERS)
PAGE = Page("/compare", show_compare, "Compare", TAKES, is_heavy=True)
