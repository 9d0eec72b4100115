"""Judgments: what is judged on a benchmark, by whom, what the next judgments would tell, and the grades to download."""

from __future__ import annotations

from collections.abc import Callable

from assay.errors import UnknownName, near_matches
from assay.reports import (
    Column,
    Table,
    layer_table,
    next_steps,
    number,
    pool_table,
    readable_time,
    system_table,
    words,
)
from assay.store import Judgment
from assay.web.judging_state import judging_of_benchmark, queue_url
from assay.web.page import Page, PageRequest, View, address
from assay.web.people_grades import judgment_state, people_grades
from assay.web.queries import query_url
from assay.web.state import AppState

MAX_SHOWN = 500
"""The newest grades that the page lists; the download has all."""
API = "/api/v1/judgments"


def show_judgments(state: AppState, request: PageRequest) -> View:
    """The grades by people on one benchmark."""
    benchmarks = state.index.benchmarks
    benchmark = request.get("benchmark", benchmarks[0] if benchmarks else "")
    if benchmarks and benchmark not in benchmarks:
        raise UnknownName("benchmark", benchmark[:200], near_matches(benchmark, benchmarks))
    judgments = people_grades(state, benchmark).judgments
    newest = next((result for result in state.index.results if result.entry.benchmark == benchmark), None)
    has_data = newest is not None and state.datasets.find(state.result(newest.key), "judgments") is not None
    table = _table(judgments, newest.key if newest else "")
    status = judging_of_benchmark(state, benchmark)
    overview = {"layers": layer_table(status), "systems": system_table(status), "pools": pool_table(status, queue_url)}
    content = {
        "benchmark": benchmark,
        "overview": overview,
        "steps": next_steps(status),
        "newer": None,
        "benchmarks": benchmarks,
        "sentence": judgment_state(state, benchmark).sentence if judgments else "",
        "table": Table(table.columns, table.rows[:MAX_SHOWN], table.title),
        "n_grades": len(judgments),
        "merged": address(f"{API}/merged", benchmark=benchmark),
        "next_version": address(f"{API}/next-version", benchmark=benchmark) if has_data else "",
    }
    title = f"Judgments on {benchmark}" if benchmark else "Judgments"
    tables = {name: _downloadable(each) for name, each in overview.items()}
    return View("judgments.html.j2", title, content, {**tables, "judgments": lambda: table})


def _downloadable(table: Table) -> Callable[[], Table]:
    return lambda: table


def _table(judgments: tuple[Judgment, ...], key: str) -> Table:
    """The grades, the newest first; each leads to the page of its query in the newest result."""
    rows = tuple(
        (
            words(judgment.query, link=query_url(key, judgment.query) if key else ""),
            words(judgment.document),
            number(f"{judgment.grade:g}", judgment.grade),
            words(judgment.judge_label),
            words(readable_time(judgment.judged)),
            words(judgment.reason),
        )
        for judgment in reversed(judgments)
    )
    texts = [Column(name, kind="text") for name in ("query", "document", "judge", "judged (UTC)", "reason")]
    return Table((*texts[:2], Column("grade"), *texts[2:]), rows, "Grades by people")


PAGE = Page("/judgments", show_judgments, takes=("benchmark",), section="Results", is_heavy=True)
