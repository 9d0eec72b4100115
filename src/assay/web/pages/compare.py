"""Compare: what got worse from one result to another, why, and which queries show it; as in the report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.comparison import sign_of
from assay.errors import DataError, NotComparable, UsageError
from assay.metrics import BoundMetric
from assay.reports import CARDS_LEAD, BenchmarkReport, Group, Section, make_group, make_page, readable_time, render_page
from assay.text import printable, shortened
from assay.web.baselines import baseline_menu, oldest_first, redirect_to_keys
from assay.web.compared_queries import FILTERS, ComparedQueries, QueryCards, query_plan
from assay.web.page import Download, Page, PageRequest, Redirect, View
from assay.web.queries import metric_of
from assay.web.state import AppState, ListedResult
from assay.web.tables import TABLE_PARAMETERS, lay_out

MAX_RESULTS = 20
ABOVE = ("changes", "doubts")
"""Sections that come before the queries."""
MAX_NEWEST = 30
"""Results to choose from if none is given."""
CHOICE = ("r", "baseline", "shared")
"""The parameters that say what is compared."""
LONGEST_SLICE = 200
"""Characters of the value of a slice that fits into an address."""
OUTCOME = ("blessed", "replaced", "annotated")
"""The parameters that say what happened to the form that was sent last."""


@dataclass(frozen=True)
class Compared:
    """What an address compares: the keys of results, the baseline first if there are two, and their report."""

    keys: tuple[str, ...]
    baseline: str
    report: BenchmarkReport
    group: Group
    names: tuple[str, ...]
    """The name of each result, in the order of the keys."""

    @property
    def is_pair(self) -> bool:
        """Whether two results are compared, so that one of them is newer."""
        return len(self.keys) == 2

    def pair_keys(self) -> tuple[str, ...]:
        """The keys of the two results whose queries are compared."""
        names = [result.name for result in self.report.comparison.results] if self.report.comparison else []
        working = dict(zip(names, self._working_keys, strict=False))
        return tuple(working[result.name] for result in self.report.looked_at if result.name in working)

    @property
    def _working_keys(self) -> list[str]:
        failed = {result.name for result in self.report.failed}
        return [key for key, name in zip(self.keys, self.names, strict=True) if name not in failed]


def show_compare(state: AppState, request: PageRequest) -> View | Redirect:
    """`r` names each result, `baseline` one of them or another result. References redirect to the keys of their results."""
    if moved := redirect_to_keys(state, request):
        return moved
    keys, baseline = _keys_and_baseline(state, request)
    if len(keys) < 2:
        if name := request.get("metric"):
            state.store.metric(name)  # an unknown metric is an error here too, although it is not used yet
        return _choose(state, keys)
    try:
        compared = _compared(state, keys, baseline, shared=request.has("shared"))
    except DataError as error:
        if request.has("shared"):
            raise
        return _difference_view(request, error)
    report = compared.report
    layouts, tables = lay_out(_without_clicks(section, report) for section in compared.group.sections)
    first = 1 + max((place for place, section in enumerate(layouts) if section.key.startswith(ABOVE)), default=-1)
    content: dict[str, Any] = {
        "head": compared.group.head,
        "above": layouts[:first],
        "below": layouts[first:],
        "picked": _picked(state, compared),
        "baseline": baseline,
        "candidate": state.listed_result(keys[-1]) if compared.is_pair else None,
        "menu": baseline_menu(state, state.listed_result(keys[-1]), keys[0]) if compared.is_pair else [],
        "swapped": _address(request, (keys[1], keys[0]), keys[1]) if compared.is_pair else "",
        "report_url": _report_url(compared, request),
        "decision": _decision(state, compared, request),
        "queries": None,
        "sheet": None,
        "lead": CARDS_LEAD,
        "metrics": [metric.name for metric in report.metrics],
    }
    metric = metric_of(request, report.metrics, report.moving)
    if metric is not None and report.pair is not None:
        of_metric = _compared_queries(state, compared, metric, shared=request.has("shared"))
        plan = query_plan(of_metric, request, _baseline_first(compared))
        cards = QueryCards(of_metric, request, opened=request.get("card")).page()
        content |= {"queries": cards, "sheet": plan.sheet(request), "metric": metric.name}
        tables = {**tables, "all-queries": lambda: plan.table(request)}
    return View("compare.html.j2", _title(compared), content, tables)


def show_report(state: AppState, request: PageRequest) -> Download | Redirect:
    """The report of exactly this comparison as one file."""
    if moved := redirect_to_keys(state, request):
        return moved
    keys, baseline = _keys_and_baseline(state, request)
    if len(keys) < 2:
        raise UsageError("the report of a comparison needs at least two results: /compare/report?r=…&r=…")
    compared = _compared(state, keys, baseline, shared=request.has("shared"))
    name = "-".join(("compare", *(key.rpartition("/")[0].rpartition("-")[2] for key in keys[:4])))
    return Download(render_page(make_page([compared.report], _title(compared))), f"{name}.html")


def _keys_and_baseline(state: AppState, request: PageRequest) -> tuple[tuple[str, ...], str]:
    """The results in a request, each once, and the baseline; empty if there is none. Of two, the baseline is first.

    Unless the address has a baseline, the older of two results is the baseline.
    """
    keys = tuple(dict.fromkeys(request.get_all("r")))
    if len(keys) > MAX_RESULTS:
        raise UsageError(f"expected at most {MAX_RESULTS} results to compare, found {len(keys)}")
    baseline = request.get("baseline")
    if baseline and baseline not in keys:
        raise UsageError(f"the baseline must be one of the compared results, not {shortened(baseline)}")
    for key in keys:
        state.listed_result(key)
    if len(keys) == 2:
        keys = tuple(sorted(keys, key=lambda key: key != baseline)) if baseline else oldest_first(state, keys)
        baseline = keys[0]
    return keys, baseline


def _compared(state: AppState, keys: tuple[str, ...], baseline: str, *, shared: bool) -> Compared:
    """The report on the results; it is computed once, because results do not change."""

    def work() -> tuple[BenchmarkReport, Group, tuple[str, ...]]:
        every = state.results(keys)
        working = tuple(result for result in every if not result.is_total_failure)
        failed = tuple(result for result in every if result.is_total_failure)
        comparison = None
        if len(working) != 1:
            comparison = state.comparison(keys, "" if len(keys) == 2 else baseline, shared=shared)
        report = BenchmarkReport(
            working,
            comparison,
            words_of=state.datasets.texts_of,
            expected_of=state.datasets.expected_of,
            slice_link=_slice_links(keys, baseline, shared=shared),
            failed=failed,
        )
        return report, make_group(report, has_queries=False), tuple(result.name for result in every)

    report, group, names = state.cache.get(("compared", keys, baseline, shared), work)
    return Compared(keys, baseline, report, group, names)


def _compared_queries(state: AppState, compared: Compared, metric: BoundMetric, *, shared: bool) -> ComparedQueries:
    """The queries with their filters on a metric; computed once."""

    def work() -> tuple[BenchmarkReport, ComparedQueries]:
        return compared.report, ComparedQueries(compared.report, metric, compared.pair_keys())

    of_metric: ComparedQueries = state.cache.get(("queries", compared.keys, compared.baseline, shared, metric.name), work)[1]
    return of_metric


def _without_clicks(section: Section, report: BenchmarkReport) -> Section:
    """The section; points of the chart of queries cannot be clicked here, so its text names the table instead."""
    if not section.key.startswith("query-by-query") or report.pair is None:
        return section
    side = "Below" if report.moving is not None and sign_of(report.moving) < 0 else "Above"
    better = f"{side} the line, {report.names[report.pair[1]]} is better."
    return replace(section, lead=f"{better} The table of all queries lists every point.")


def _slice_links(keys: Sequence[str], baseline: str, *, shared: bool) -> Callable[[str, str], str]:
    """A function from a slice to the address of its queries."""
    compared = (*(("r", key) for key in keys), ("baseline", baseline), ("shared", "1" if shared else ""))

    def link(tag: str, value: str) -> str:
        params = (*compared, ("slice", f"{tag}:{value}"))
        return f"{PageRequest('/compare', {}, params).url()}#queries" if len(value) < LONGEST_SLICE else ""

    return link


def _baseline_first(compared: Compared) -> list[Any]:
    """The results with the baseline first, because differences are computed against it."""
    results = list(compared.report.shown)
    names = dict(zip(compared.keys, compared.names, strict=True))
    return sorted(results, key=lambda result: result.name != names.get(compared.baseline))


def _picked(state: AppState, compared: Compared) -> list[tuple[str, str, ListedResult]]:
    """Key, name and entry of each result."""
    return [
        (key, printable(name), state.listed_result(key)) for key, name in zip(compared.keys, compared.names, strict=True)
    ]


def _address(request: PageRequest, keys: Sequence[str], baseline: str) -> str:
    """The same page about other results."""
    others = tuple(
        (name, value) for name, value in request.params if name not in (*CHOICE[:2], *OUTCOME, "cards", "card", "page")
    )
    params = (*(("r", key) for key in keys), ("baseline", baseline), *others)
    return PageRequest(request.path, {}, params).url()


def _report_url(compared: Compared, request: PageRequest) -> str:
    params = (*(("r", key) for key in compared.keys), ("baseline", compared.baseline), ("shared", request.get("shared")))
    return PageRequest("/compare/report", {}, params).url()


@dataclass(frozen=True)
class Decision:
    """What can be decided on the page: bless the newer result, write a note; and what was decided last."""

    key: str
    name: str
    back: str
    """The address of the comparison."""
    baselines: tuple[str, ...]
    notes: tuple[Any, ...]
    is_failed: bool
    outcome: str = ""


def _decision(state: AppState, compared: Compared, request: PageRequest) -> Decision | None:
    """None unless two results are compared."""
    if not compared.is_pair:
        return None
    listed = state.listed_result(compared.keys[-1])
    evaluation = state.evaluation(listed.entry.evaluation)
    return Decision(
        listed.key,
        printable(compared.names[-1]),
        request.url(**dict.fromkeys(OUTCOME)),
        tuple(sorted(state.store.baselines())),
        evaluation.notes,
        listed.entry.is_failed,
        _outcome(listed, request),
    )


def _outcome(listed: ListedResult, request: PageRequest) -> str:
    """What happened to the form that was sent last. A baseline is named only if the store agrees."""
    name, before = request.get("blessed"), request.get("replaced")
    if name and name in listed.entry.baselines:
        instead = f" It replaced {before}." if before else ""
        return f"{listed.entry.provider} of {listed.entry.evaluation} is now the baseline {name}.{instead}"
    return "The note is saved." if request.has("annotated") else ""


def _title(compared: Compared) -> str:
    names = [printable(name) for name in compared.names]
    if compared.is_pair:
        return f"{names[0]} → {names[1]}"
    return f"{' and '.join(names) if len(names) < 4 else f'{len(names)} results'} compared"


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


def _difference_view(request: PageRequest, error: DataError) -> View:
    """The page if the results differ, with a link that compares only their shared queries."""
    what = f"{error.what}." if isinstance(error, NotComparable) and error.can_intersect else str(error)
    link = (request.url(shared=1), "Compare only the queries that all of them have")
    return View("problem.html.j2", "These results cannot be compared directly", {"what": what, "link": link}, status=422)


TAKES = (*CHOICE, *FILTERS, *OUTCOME, "cards", "card", *TABLE_PARAMETERS)
PAGE = Page("/compare", show_compare, "Compare", TAKES, is_heavy=True)
REPORT = Page("/compare/report", show_report, takes=CHOICE, section="Compare", is_heavy=True)
