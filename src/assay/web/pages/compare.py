"""Compare: two or more results side by side, as in the report, and all their queries."""

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
from assay.text import printable, shortened
from assay.web.page import Page, PageRequest, Redirect, View, address
from assay.web.queries import change_cell, cut_text, metric_of, query_url, score_column
from assay.web.state import AppState, ListedResult
from assay.web.tables import TABLE_PARAMETERS, Plan, SheetColumn, lay_out

MAX_RESULTS = 20
MAX_SYSTEMS_IN_TABLE = 6
BEFORE_QUERIES = ("metrics", "slices", "by-cutoff", "query-by-query", "queries")
OTHER_QUERIES = "Other queries"
"""Cards of the report for queries that are not notable."""
MAX_CARDS = 8
LEAD = "Relevant documents are marked ✓ with their grade. Missed relevant documents are listed below each ranking."
MAX_NEWEST = 30
"""Results to choose from if none is given."""


def show_compare(state: AppState, request: PageRequest) -> View | Redirect:
    """`r` names each result, `baseline` one of them. References such as `latest/0` redirect to the keys of their results."""
    if moved := _redirect_to_keys(state, request):
        return moved
    keys, baseline = _keys_and_baseline(request)
    picked = [state.listed_result(key) for key in keys]
    if len(keys) < 2:
        if name := request.get("metric"):
            state.store.metric(name)  # an unknown metric is an error here too, although it is not used yet
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
    compared = tuple(key for key in keys if not state.result(key).is_total_failure)
    order = _baseline_first(compared, baseline)
    table = ComparedQueries(
        [report.shown[compared.index(key)] for key in order], order, metric_of(request, report.metrics, report.moving)
    )
    plan = table.plan(request)
    content = {
        "head": group.head,
        "above": layouts[:first],
        "below": layouts[first:],
        "picked": [
            (key, result.name, listed) for key, result, listed in zip(keys, state.results(keys), picked, strict=True)
        ],
        "baseline": baseline,
        "sheet": plan.sheet(request),
        "metric": table.metric.name if table.metric else "",
        "metrics": [metric.name for metric in report.metrics],
        "swapped": _swapped_address(keys) if len(keys) == 2 else "",
    }
    return View("compare.html.j2", _title(report), content, {**tables, "all-queries": lambda: plan.table(request)})


def _keys_and_baseline(request: PageRequest) -> tuple[tuple[str, ...], str]:
    """The results in a request, each once, and the baseline; empty if there is none."""
    keys = tuple(dict.fromkeys(request.get_all("r")))
    if len(keys) > MAX_RESULTS:
        raise UsageError(f"expected at most {MAX_RESULTS} results to compare, found {len(keys)}")
    baseline = request.get("baseline")
    if baseline and baseline not in keys:
        raise UsageError(f"the baseline must be one of the compared results, not {shortened(baseline)}")
    return keys, baseline


def _redirect_to_keys(state: AppState, request: PageRequest) -> Redirect | None:
    """The same address with references replaced by keys; None if there are no references."""
    own = [
        (name, _own_key(state, value) if name in ("r", "baseline") and value else value) for name, value in request.params
    ]
    return None if tuple(own) == request.params else Redirect(f"{request.path}?{urlencode(own)}")


def _own_key(state: AppState, key: str) -> str:
    """The key of a result: a key stays as it is, `latest/1` becomes a key, and `latest` means its first result."""
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
    """The results with the baseline first, because differences are computed against it."""
    return tuple(sorted(keys, key=lambda key: key != baseline)) if baseline else keys


def _fewer_cards(section: Section, report: BenchmarkReport) -> Section:
    """The section with only the first cards, and without its table, because this page has a table of all queries."""
    if section.key.startswith("query-by-query") and report.pair is not None:
        return replace(section, lead=_above_the_line(report, report.pair[1]))
    if not section.key.startswith("queries"):
        return section
    groups = [part for part in section.parts if isinstance(part, Cards) and part.title != OTHER_QUERIES]
    return replace(section, parts=tuple(map(_first_cards, groups)), lead=LEAD)


def _above_the_line(report: BenchmarkReport, place: int) -> str:
    """What the position of a point means, and where the points are listed."""
    side = "Below" if report.moving is not None and sign_of(report.moving) < 0 else "Above"
    return f"{side} the line, {report.names[place]} is better. The table of all queries below lists every point."


def _first_cards(group: Cards) -> Cards:
    if len(group.cards) <= MAX_CARDS:
        return group
    return replace(
        group, cards=group.cards[:MAX_CARDS], lead=f"The first {MAX_CARDS} queries. The table below has every query."
    )


def _title(report: BenchmarkReport) -> str:
    names = " and ".join(report.names) if len(report.names) < 4 else f"{len(report.names)} results"
    return f"{names} compared"


def _choose(state: AppState, keys: Sequence[str]) -> View:
    """The newest results to choose from, because there is nothing to compare yet."""
    newest = [
        (result.key, result.entry.provider, result.entry.benchmark, readable_time(result.entry.started))
        for result in _newest(state, keys)
    ]
    return View("choose.html.j2", "Compare", {"newest": newest, "picked": set(keys)})


def _newest(state: AppState, keys: Sequence[str]) -> list[ListedResult]:
    """The given results, then the newest others; if one is given, only those on the same benchmark."""
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
    """The page if the results differ, with a link that compares only their shared queries."""
    what = f"{error.what}." if isinstance(error, NotComparable) and error.can_intersect else str(error)
    link = (request.url(shared=1), "Compare only the queries that all of them have")
    return View("problem.html.j2", "These results cannot be compared directly", {"what": what, "link": link}, status=422)


def _report(state: AppState, keys: tuple[str, ...], baseline: str, *, shared: bool) -> tuple[BenchmarkReport, Group]:
    """The report on the results; it is computed once, because results do not change."""

    def work() -> tuple[BenchmarkReport, Group]:
        comparison = state.comparison(keys, baseline, shared=shared)
        working = tuple(result for result in state.results(keys) if not result.is_total_failure)
        report = BenchmarkReport(working, comparison, words_of=state.datasets.texts_of, failed=comparison.failed)
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
        """Whether the results differ in their score for the query."""
        values = {scores.get(query, math.nan) for scores in self.scores}
        return len(values) > 1

    def ids(self, request: PageRequest) -> list[str]:
        """The queries that match the request."""
        queries = list(self.results[0].query_ids) if self.results and self.metric else []
        if request.has("differ"):
            queries = [query for query in queries if self.differs(query)]
        if sought := request.get("words").casefold().split():
            queries = [
                query for query in queries if all(word in f"{query} {self.text(query)}".casefold() for word in sought)
            ]
        return queries

    def text(self, query: str) -> str:
        """The text of a query."""
        record = next((result.queries[query] for result in self.results if query in result.queries), None)
        return record.text if record else ""

    def plan(self, request: PageRequest) -> Plan[str]:
        """The table of queries; for two results with the difference."""
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
        """The score of the second result minus that of the first."""
        first, second = (scores.get(query, math.nan) for scores in self.scores)
        return second - first

    def _named(self, query: str) -> Cell:
        return words(query, link=query_url(self.keys[-1], query))

    def _text(self, query: str) -> Cell:
        return cut_text(self.text(query))

    def _change(self, query: str) -> Cell:
        return change_cell(self.metric, self.change(query))


TAKES = ("r", "baseline", "shared", "metric", "words", "differ", *TABLE_PARAMETERS)
PAGE = Page("/compare", show_compare, "Compare", TAKES, is_heavy=True, is_live=True)
