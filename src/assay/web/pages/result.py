"""Result: one stored result: its values, slices, queries, times and provenance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.evaluation import QUERY
from assay.metrics import BoundMetric
from assay.reports import BenchmarkReport, Group, make_group, metrics_of_queries, readable_time
from assay.text import printable
from assay.web.page import Page, PageRequest, Redirect, View, address
from assay.web.pages.results import marks_of
from assay.web.queries import KINDS, QueryTable, metric_of
from assay.web.state import AppState, ListedResult
from assay.web.tables import TABLE_PARAMETERS, lay_out

MAX_OFFERED = 12
"""Results on the same benchmark that the menu offers for a comparison."""
BEFORE_QUERIES = ("metrics", "slices")


def show_result(state: AppState, request: PageRequest) -> View:
    """One result; the filters of its queries are in the address."""
    listed = state.listed_result(f"{request.places['evaluation']}/{request.places['place']}")
    report, group = _report(state, listed)
    layouts, tables = lay_out(group.sections)
    first = 1 + max((place for place, section in enumerate(layouts) if section.key.startswith(BEFORE_QUERIES)), default=-1)
    of_queries = metrics_of_queries(report.metrics, (report.first,))
    metric = metric_of(request, report.metrics, report.moving, of_queries)
    before = state.before(listed)
    table = QueryTable(report.first, listed.key, metric, state.result(before.key) if before else None)
    plan = table.plan(request, _first_metrics(metric, of_queries))
    content = {
        "listed": listed,
        "head": group.head,
        "above": layouts[:first],
        "below": layouts[first:],
        "facts": _facts(listed),
        "notes": state.evaluation(listed.entry.evaluation).notes,
        "before": before if not report.is_of_log else None,
        "others": _others(state, listed),
        "has_queries": not report.is_of_log,
        "sheet": plan.sheet(request),
        "kinds": [(name, KINDS[name]) for name in table.kinds],
        "metric": metric.name if metric else "",
        "metrics": [metric.name for metric in of_queries],
    }
    title = printable(
        f"{listed.entry.provider} on {listed.entry.benchmark}" if listed.entry.benchmark else listed.entry.provider
    )
    return View("result.html.j2", title, content, {**tables, "queries": lambda: plan.table(request)})


def _report(state: AppState, listed: ListedResult) -> tuple[BenchmarkReport, Group]:
    """The report on the result; it is computed once."""

    def work() -> tuple[BenchmarkReport, Group]:
        report = BenchmarkReport((state.result(listed.key),))
        return report, make_group(report, has_queries=False)

    report: tuple[BenchmarkReport, Group] = state.cache.get(("result", listed.key), work)
    return report


def _first_metrics(metric: BoundMetric | None, metrics: Sequence[BoundMetric]) -> list[BoundMetric]:
    return [*([metric] if metric else []), *(other for other in metrics if other != metric)]


def _facts(listed: ListedResult) -> list[tuple[str, str, str]]:
    """Facts about the evaluation: name, text, and link."""
    entry = listed.entry
    is_of_log = entry.rows_are != QUERY
    board = address("/leaderboard", benchmark=entry.benchmark)
    facts: list[tuple[str, str, str]] = [
        ("evaluation", entry.evaluation, ""),
        ("started", f"{readable_time(entry.started)} UTC", ""),
        ("experiment", entry.benchmark, "") if is_of_log else ("benchmark", entry.benchmark, board),
        (
            "log" if is_of_log and not entry.benchmark else "variant" if is_of_log else "provider",
            entry.provider,
            address("/history", benchmark=entry.benchmark, provider=entry.provider),
        ),
        ("marks", marks_of(listed), ""),
    ]
    return [(name, text, url) for name, text, url in facts if text]


def _others(state: AppState, listed: ListedResult) -> list[tuple[str, str, Any]]:
    """The newest results of other providers on the same data, for a comparison."""
    if listed.entry.rows_are != QUERY:
        return []
    newest: dict[str, ListedResult] = {}
    for other in state.index.results:
        if (other.entry.benchmark, other.entry.dataset) == (listed.entry.benchmark, listed.entry.dataset):
            newest.setdefault(other.entry.provider, other)
    newest.pop(listed.entry.provider, None)
    return [
        (other.key, other.entry.provider, readable_time(other.entry.started))
        for other in list(newest.values())[:MAX_OFFERED]
    ]


def show_shortcut(state: AppState, request: PageRequest) -> Redirect:
    """`/result/latest`, `/result/main`: redirect to the first result of that evaluation."""
    name = state.store.id_of(request.places["reference"])
    return Redirect(f"/result/{name}/0")


PAGE = Page(
    "/result/{evaluation}/{place}",
    show_result,
    takes=("metric", "only", "words", *TABLE_PARAMETERS),
    section="Results",
    is_heavy=True,
)
SHORTCUT = Page("/result/{reference}", show_shortcut)
