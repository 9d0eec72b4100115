"""Result: one stored result whole: its figures, slices, queries, times, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.metrics import BoundMetric
from assay.reports import BenchmarkReport, Group, make_group, readable_time
from assay.text import printable
from assay.web.page import Asked, Elsewhere, Page, View, address
from assay.web.pages.results import marks_of
from assay.web.queries import KINDS, QueryTable, metric_of
from assay.web.state import AppState, Listed
from assay.web.tables import SHEET, exact_section, lay_out

MOST_OFFERED = 12
"""Results on the same benchmark that it may be compared with at once."""
BEFORE_QUERIES = ("metrics", "slices")
QUERIES = "queries"
"""The anchor of the report's section of queries, which has a table of its own here."""


def show_result(desk: AppState, asked: Asked) -> View:
    """Choices about its queries are in the address."""
    listed = desk.listed(f"{asked.places['evaluation']}/{asked.places['place']}")
    matter, group = _looked_at(desk, listed)
    laid, tables = lay_out(
        exact_section(section, matter) for section in group.sections if not section.anchor.startswith(QUERIES)
    )
    first = 1 + max((place for place, section in enumerate(laid) if section.anchor.startswith(BEFORE_QUERIES)), default=-1)
    metric = metric_of(asked, matter.metrics, matter.moving)
    before = desk.before(listed)
    table = QueryTable(matter.first, listed.key, metric, desk.result(before.key) if before else None)
    plan = table.plan(asked, _first(metric, matter.metrics))
    content = {
        "listed": listed,
        "head": group.head,
        "above": laid[:first],
        "below": laid[first:],
        "facts": _facts(listed),
        "notes": desk.evaluation(listed.entry.evaluation).notes,
        "before": before,
        "others": _others(desk, listed),
        "sheet": plan.sheet(asked),
        "kinds": [(name, KINDS[name]) for name in table.kinds],
        "metric": metric.name if metric else "",
        "metrics": [metric.name for metric in matter.metrics],
    }
    title = printable(
        f"{listed.entry.provider} on {listed.entry.benchmark}" if listed.entry.benchmark else listed.entry.provider
    )
    return View("result.html.j2", title, content, {**tables, "queries": lambda: plan.grid(asked)})


def _looked_at(desk: AppState, listed: Listed) -> tuple[BenchmarkReport, Group]:
    """What the report says about it; worked out once."""

    def work() -> tuple[BenchmarkReport, Group]:
        matter = BenchmarkReport((desk.result(listed.key),))
        return matter, make_group(matter)

    report: tuple[BenchmarkReport, Group] = desk.worked_out.get(("result", listed.key), work)
    return report


def _first(metric: BoundMetric | None, metrics: Sequence[BoundMetric]) -> list[BoundMetric]:
    return [*([metric] if metric else []), *(other for other in metrics if other != metric)]


def _facts(listed: Listed) -> list[tuple[str, str, str]]:
    """What is known of the evaluation: name, words, and where they lead."""
    entry = listed.entry
    facts: list[tuple[str, str, str]] = [
        ("evaluation", entry.evaluation, ""),
        ("started", f"{readable_time(entry.started)} UTC", ""),
        ("benchmark", entry.benchmark, address("/leaderboard", benchmark=entry.benchmark)),
        ("provider", entry.provider, address("/history", benchmark=entry.benchmark, provider=entry.provider)),
        ("marks", marks_of(listed), ""),
    ]
    return [(name, text, url) for name, text, url in facts if text]


def _others(desk: AppState, listed: Listed) -> list[tuple[str, str, Any]]:
    """The newest results of other providers on the same data: what it may be compared with."""
    newest: dict[str, Listed] = {}
    for other in desk.shelf.listed:
        if (other.entry.benchmark, other.entry.dataset) == (listed.entry.benchmark, listed.entry.dataset):
            newest.setdefault(other.entry.provider, other)
    newest.pop(listed.entry.provider, None)
    return [
        (other.key, other.entry.provider, readable_time(other.entry.started))
        for other in list(newest.values())[:MOST_OFFERED]
    ]


def show_shortcut(desk: AppState, asked: Asked) -> Elsewhere:
    """`/result/latest`, `/result/main`: wherever the first result of that evaluation is."""
    name = desk.store.id_of(asked.places["reference"])
    return Elsewhere(f"/result/{name}/0")


PAGE = Page(
    "/result/{evaluation}/{place}", show_result, takes=("metric", "only", "words", *SHEET), section="Results", is_heavy=True
)
SHORTCUT = Page("/result/{reference}", show_shortcut)
