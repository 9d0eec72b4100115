"""Compare: what got worse from one result to another, why, and which queries show it; as in the report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.comparison import sign_of
from assay.errors import DataError, NotComparable, UsageError
from assay.experiments import shared_outcome
from assay.reports import (
    CARDS_LEAD,
    BenchmarkReport,
    Mark,
    Section,
    make_page,
    metrics_of_queries,
    readable_time,
    render_page,
)
from assay.text import printable
from assay.web.baselines import baseline_menu, redirect_to_keys
from assay.web.card_grades import MORE_OUTCOMES, card_grades
from assay.web.compared import CHOICE, Compared, compared_results, keys_and_baseline
from assay.web.compared_queries import FILTERS, QueryCards, query_plan
from assay.web.grading import OUTCOMES, outcome_of
from assay.web.page import Download, Page, PageRequest, Redirect, View
from assay.web.people_grades import LAYER_PARAMETER, layer_of
from assay.web.queries import metric_of
from assay.web.state import AppState, ListedResult
from assay.web.tables import TABLE_PARAMETERS, lay_out

ABOVE = ("changes", "doubts")
"""Sections that come before the queries."""
MAX_NEWEST = 30
"""Results to choose from if none is given."""
OUTCOME = (*OUTCOMES, *MORE_OUTCOMES)
"""The parameters that say what happened to the form that was sent last."""


def show_compare(state: AppState, request: PageRequest) -> View | Redirect:
    """`r` names each result, `baseline` one of them or another result. References redirect to the keys of their results."""
    if moved := redirect_to_keys(state, request):
        return moved
    keys, baseline = keys_and_baseline(state, request)
    if len(keys) < 2:
        if name := request.get("metric"):
            state.store.metric(name)  # an unknown metric is an error here too, although it is not used yet
        return _choose(state, keys)
    try:
        compared = compared_results(state, keys, baseline, request)
    except DataError as error:
        if request.has("shared"):
            raise
        return _page_of_experiment(state, keys) or _difference_view(request, error)
    except UsageError:
        if not layer_of(request):
            raise
        return Redirect(request.url(**{LAYER_PARAMETER: None}))  # the store lacks what scores with grades by people need
    if _is_unshared(request.get("metric"), compared):
        return Redirect(request.url(metric=None))  # another baseline was chosen, which does not have the metric
    return _view(state, compared, request)


def _is_unshared(name: str, compared: Compared) -> bool:
    """Whether a metric belongs to some of the results, but not to all of them."""
    own = {metric.name for result in compared.originals for metric in result.metrics}
    return name in own - {metric.name for metric in compared.report.metrics}


def _view(state: AppState, compared: Compared, request: PageRequest) -> View:
    report = compared.report
    layouts, tables = lay_out(_without_clicks(section, report) for section in compared.group.sections)
    first = 1 + max((place for place, section in enumerate(layouts) if section.key.startswith(ABOVE)), default=-1)
    content = {
        **_head(state, compared, request),
        "above": layouts[:first],
        "below": layouts[first:],
        "kept": compared.kept,
        "unfiltered": PageRequest(request.path, {}, tuple(pair for pair in request.params if pair[0] in CHOICE)),
        "decision": _decision(state, compared, request),
        "queries": None,
        "layers": (),
        "sheet": None,
    }
    of_queries = metrics_of_queries(report.metrics, report.looked_at)
    metric = metric_of(request, report.metrics, report.moving, of_queries)
    if metric is not None and report.pair is not None:
        of_metric = compared.of_metric(metric)
        plan = query_plan(of_metric, request, _baseline_first(compared))
        cards = QueryCards(of_metric, request, opened=request.get("card")).page()
        names = [metric.name for metric in of_queries]
        content |= {"queries": cards, "sheet": plan.sheet(request), "metric": metric.name, "metrics": names}
        content |= {"lead": CARDS_LEAD, **card_grades(state, compared, request, metric)}
        tables = {**tables, "all-queries": lambda: plan.table(request)}
    return View("compare.html.j2", _title(compared), content, tables)


def _head(state: AppState, compared: Compared, request: PageRequest) -> dict[str, Any]:
    """The verdict, the compared results, and what can be compared instead."""
    keys, candidate = compared.keys, state.listed_result(compared.keys[-1]) if compared.is_pair else None
    return {
        "head": compared.group.head,
        "picked": _picked(state, compared),
        "baseline": compared.baseline,
        "candidate": candidate,
        "menu": baseline_menu(state, candidate, keys[0]) if candidate else [],
        "swapped": _address(request, (keys[1], keys[0]), keys[1]) if candidate else "",
        "report_url": _report_url(compared, request),
        "outcomes": OUTCOME,
        "outcome": _outcome(state, keys[-1], request),
        "decided": candidate is not None and any(map(request.get, MORE_OUTCOMES)),
    }


def show_report(state: AppState, request: PageRequest) -> Download | Redirect:
    """The report of exactly this comparison as one file."""
    if moved := redirect_to_keys(state, request):
        return moved
    keys, baseline = keys_and_baseline(state, request)
    if len(keys) < 2:
        raise UsageError("the report of a comparison needs at least two results: /compare/report?r=…&r=…")
    compared = compared_results(state, keys, baseline, request)
    ends = (re.sub(r"[^A-Za-z0-9]", "", key.rpartition("/")[0].rpartition("-")[2]) for key in keys[:4])
    name = "-".join(("compare", *ends))
    return Download(render_page(make_page([compared.report], _title(compared))), f"{name}.html")


def _without_clicks(section: Section, report: BenchmarkReport) -> Section:
    """The section; points of the chart of queries cannot be clicked here, so its text names the table instead."""
    if not section.key.startswith("query-by-query") or report.pair is None:
        return section
    side = "Below" if report.moving is not None and sign_of(report.moving) < 0 else "Above"
    better = f"{side} the line, {report.names[report.pair[1]]} is better."
    return replace(section, lead=f"{better} The table of all queries lists every point.")


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
    own = tuple((name, request.get(name)) for name in ("shared", LAYER_PARAMETER))
    params = (*(("r", key) for key in compared.keys), ("baseline", compared.baseline), *own)
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
    is_worse: bool
    """Whether the newer result is shown to be worse, so that the page warns before it is blessed."""


def _decision(state: AppState, compared: Compared, request: PageRequest) -> Decision | None:
    """None unless two results are compared."""
    if not compared.is_pair:
        return None
    listed = state.listed_result(compared.keys[-1])
    return Decision(
        listed.key,
        printable(compared.names[-1]),
        request.url(**dict.fromkeys(OUTCOME)),
        state.index.baselines,
        tuple(state.store.notes(listed.entry.evaluation)),
        listed.entry.is_failed,
        compared.group.head.tone is Mark.WORSE,
    )


def _outcome(state: AppState, key: str, request: PageRequest) -> str:
    """What happened to the form that was sent last. A baseline is named only if the store agrees."""
    listed = state.listed_result(key)
    name, before = request.get("blessed"), request.get("replaced")
    if name and name in listed.entry.baselines:
        instead = f" It replaced {before}." if before else ""
        return f"{listed.entry.provider} of {listed.entry.evaluation} is now the baseline {name}.{instead}"
    return "The note is saved." if request.has("annotated") else outcome_of(request)


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


def _page_of_experiment(state: AppState, keys: Sequence[str]) -> Redirect | None:
    """The page of a variant, which has the verdict of the experiment, if the results are variants of one experiment."""
    first, *others = state.results(tuple(keys))
    is_one = all(shared_outcome(first, other) is not None for other in others)
    return Redirect(f"/result/{keys[-1]}") if is_one else None


def _difference_view(request: PageRequest, error: DataError) -> View:
    """The page if the results differ, with a link that compares only their shared queries if this is possible."""
    can_intersect = isinstance(error, NotComparable) and error.can_intersect
    what = f"{error.what}." if isinstance(error, NotComparable) and can_intersect else str(error)
    content: dict[str, Any] = {"what": f"{what[:1].upper()}{what[1:]}"}
    if can_intersect:
        content["link"] = (request.url(shared=1), "Compare only the queries that all of them have")
    return View("problem.html.j2", "These results cannot be compared directly", content, status=422)


TAKES = (*CHOICE, *FILTERS, *OUTCOME, "cards", "card", *TABLE_PARAMETERS)
PAGE = Page("/compare", show_compare, "Compare", TAKES, is_heavy=True, is_live=True, knows_judge=True)
REPORT = Page("/compare/report", show_report, takes=CHOICE, section="Compare", is_heavy=True)
