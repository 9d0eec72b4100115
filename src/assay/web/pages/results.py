"""Results: all stored results, to filter, sort, and select for a comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from assay.errors import UnknownName, near_matches
from assay.reports import TITLE, Cell, Column, Mark, figure, number, readable_time, short_name, size_heading, size_of, words
from assay.store import Figure, parse_since
from assay.text import counted, printable, shorten_middle
from assay.web.page import Page, PageRequest, View, check_parameter_length
from assay.web.rendering import Renderer
from assay.web.state import AppState, ListedResult, ResultIndex
from assay.web.tables import TABLE_PARAMETERS, Plan, SheetColumn

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute


MAX_NAME_LETTERS = 100
"""Characters of a name in a list."""
MAX_ERROR_LETTERS = 80
MAX_METRICS = 4
"""Columns of headline metrics."""
FILTERS = ("benchmark", "provider", "tag", "since", "until", "words")
MAX_LETTERS = 20_000
"""Characters of all names in a menu, including the markup of each."""
MARKUP_LETTERS = 20


def show_results(state: AppState, request: PageRequest) -> View:
    """The results, the newest first; all choices are in the address."""
    index = state.index
    metric = request.get("metric")
    if metric and metric not in index.metrics and not any(metric in result.entry.figures for result in index.results):
        near = near_matches(metric, index.metrics)
        raise UnknownName("metric of a stored result", metric[:80], near, f"choose from {', '.join(index.metrics[:20])}")
    plan = index.orders.get((metric, *_choices(request)), lambda: _plan(state, index, request, metric))
    content = {
        "sheet": plan.sheet(request),
        "choices": choices_of(index, request),
        "metrics": menu_names(index.metrics, metric),
        "metric": metric,
        "place": str(state.store.place),
        "total": counted(len(index.results), "result"),
        "is_filtered": any(map(request.get, FILTERS)),
    }
    return View("results.html.j2", "Results", content, {"results": lambda: plan.table(request)})


def _choices(request: PageRequest) -> tuple[str, ...]:
    """The parameters that set which results are shown and in which order; ages are relative to now."""
    return (*(request.get(name) for name in (*FILTERS, "sort", "order")), str(request.minute))


def _plan(state: AppState, index: ResultIndex, request: PageRequest, metric: str) -> Plan[ListedResult]:
    results = filter_results(index, request)
    values = _metric_columns([metric]) if metric else _headline_columns(index, results)
    plan = Plan("Stored results", "results", columns_of(state, values, results), results, pick=lambda result: result.key)
    return plan.in_order(request)


ResultColumn = SheetColumn[ListedResult]


def _headline_columns(index: ResultIndex, results: Sequence[ListedResult]) -> list[ResultColumn]:
    """A column for each headline metric; if there are too many, one column that names the metric in each cell."""
    names = list(dict.fromkeys(index.headline(result) for result in results))
    if len(names) <= MAX_METRICS:
        return _metric_columns(names, index if len(names) > 1 else None)

    def cell(result: ListedResult) -> Cell:
        name = index.headline(result)
        known = figure_cell(result, name)
        return replace(known, note=" ".join(filter(None, (name, known.note))))

    return [SheetColumn(Column("value"), cell, lambda result: _value(result, index.headline(result)))]


def _metric_columns(names: Sequence[str], index: ResultIndex | None = None) -> list[ResultColumn]:
    """A column for each metric. With an index, a result has a value only in the column of its own headline metric."""
    is_only = len(names) < 2

    def column(name: str) -> ResultColumn:
        def is_own(result: ListedResult) -> bool:
            return index is None or index.headline(result) == name

        return SheetColumn(
            Column("value" if is_only else name, name or "value"),
            lambda result: figure_cell(result, name) if is_own(result) else Cell("", value=""),
            lambda result: _value(result, name) if is_own(result) else None,
        )

    return [column(name) for name in names or [""]]


def filter_results(index: ResultIndex, request: PageRequest) -> Sequence[ListedResult]:
    """The results that match the request."""
    results = list(index.results)
    if name := request.get("benchmark"):
        results = [result for result in results if result.entry.benchmark == name]
    if name := request.get("provider"):
        results = [result for result in results if result.entry.provider == name]
    if name := request.get("tag"):
        results = [result for result in results if name in result.entry.tags or name in result.entry.baselines]
    if since := request.get("since"):
        start = parse_since(since)
        results = [result for result in results if result.entry.started >= start]
    if until := request.get("until"):
        end = parse_since(until, name="until")[:10]
        results = [result for result in results if result.entry.started[:10] <= end]
    if sought := request.get("words").casefold().split():
        results = [result for result in results if all(word in result.words for word in sought)]
    return results


def choices_of(index: ResultIndex, request: PageRequest) -> list[tuple[str, str, list[str], str]]:
    """Menus: parameter, label, choices, current choice."""
    return [
        ("benchmark", "Benchmark", menu_names(index.benchmarks, request.get("benchmark")), request.get("benchmark")),
        ("provider", "Provider", menu_names(index.providers, request.get("provider")), request.get("provider")),
        ("tag", "Tag or baseline", menu_names(index.tags, request.get("tag")), request.get("tag")),
    ]


def menu_names(names: Sequence[str], now: str = "") -> list[str]:
    """The names of a menu, including the current choice; names that are too long or too many are found by searching."""
    short = [name for name in names if name and len(name) <= MAX_NAME_LETTERS]
    letters = accumulate(len(escape(name)) + MARKUP_LETTERS for name in short)
    short = [name for name, total in zip(short, letters, strict=True) if total <= MAX_LETTERS]
    return [*short, *([now] if now and now not in short else [])]


def columns_of(state: AppState, values: Sequence[ResultColumn], results: Sequence[ListedResult]) -> tuple[ResultColumn, ...]:
    """The columns of the list, with those of the values. Sizes have their unit if some results count users."""
    rows_are = size_heading(result.entry for result in results)

    def size(result: ListedResult) -> Cell:
        return number(size_of(result.entry, rows_are), result.entry.n_queries)

    return (
        SheetColumn(Column("provider", kind="text"), _named, lambda result: result.entry.provider),
        SheetColumn(Column("benchmark", kind="text"), lambda result: cut(result.entry.benchmark), _benchmark),
        SheetColumn(Column("started", "started (UTC)", "text"), _when, _started),
        *values,
        SheetColumn(Column("queries", rows_are), size, lambda result: result.entry.n_queries),
        SheetColumn(Column("failed"), _failed, lambda result: result.entry.n_failed),
        SheetColumn(Column("marks", kind="text"), lambda result: _marks(state, result)),
    )


def marks_of(result: ListedResult) -> str:
    """The baselines and tags of an evaluation."""
    return " · ".join([*(f"baseline {name}" for name in result.entry.baselines), *result.entry.tags])


def _marks(state: AppState, result: ListedResult) -> Cell:
    """The baselines and tags, and the error of a provider that failed."""
    error = f"failed: {state.error_of(result)[:MAX_ERROR_LETTERS]}" if result.entry.is_failed else ""
    marks = shorten_middle(marks_of(result), MAX_NAME_LETTERS)
    return words(" · ".join(filter(None, (error, marks))), MAX_ERROR_LETTERS, mark=Mark.FAILED if error else Mark.NONE)


def cut(text: str, **more: Any) -> Cell:
    """A name in a list."""
    return short_name(text, MAX_NAME_LETTERS, **more)


def _named(result: ListedResult) -> Cell:
    name, evaluation = result.entry.provider or "run", result.entry.evaluation
    return cut(name, link=result.url, note=evaluation, values=((TITLE, name), ("evaluation", evaluation)))


def _when(result: ListedResult) -> Cell:
    return Cell(readable_time(result.entry.started))


def _benchmark(result: ListedResult) -> str:
    return result.entry.benchmark


def _started(result: ListedResult) -> str:
    return result.entry.started


def _figure(result: ListedResult, metric: str) -> Figure | None:
    return None if result.entry.is_failed else result.entry.figures.get(metric)


def _value(result: ListedResult, metric: str) -> float | None:
    figure = _figure(result, metric)
    return None if figure is None else figure.value


def figure_cell(result: ListedResult, metric: str) -> Cell:
    """The summary with its interval; a dash if there is none."""
    known = _figure(result, metric)
    if known is None or known.value is None:
        return Cell("–", value="", help="failed on every query" if result.entry.is_failed else "")
    has_ends = known.low is not None and known.high is not None
    ends = f"[{known.low:.3f}, {known.high:.3f}]" if has_ends else ""
    return figure(f"{known.value:.4f}", known.value, known.low, known.high, note=ends)


def _failed(result: ListedResult) -> Cell:
    return number(
        f"{result.entry.n_failed:,}", result.entry.n_failed, mark=Mark.FAILED if result.entry.n_failed else Mark.NONE
    )


PAGE = Page("/results", show_results, "Results", ("metric", *FILTERS, *TABLE_PARAMETERS), is_live=True)


# The dialog that Ctrl-K opens: a search for results.

MAX_SWITCH_RESULTS = 30
SWITCH_LABEL_LENGTH = 120


def routes(state: AppState, renderer: Renderer) -> list[BaseRoute]:  # noqa: ARG001 (as all that make routes)
    """`/switch?words=…`: a list in JSON."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def endpoint(request: Request) -> Response:
        sought = request.query_params.get("words", "")
        check_parameter_length("words", sought)
        return JSONResponse(await run_in_threadpool(find_results, state, sought), headers={"cache-control": "no-store"})

    return [Route("/switch", endpoint, methods=["GET"])]


def find_results(state: AppState, sought: str) -> list[dict[str, Any]]:
    """The newest results that contain all the words."""
    words = sought.casefold().split()
    some = []
    for result in state.index.results:
        if all(word in result.words for word in words):
            some.append(_switch_entry(result))
        if len(some) == MAX_SWITCH_RESULTS:
            break
    return some


def _switch_entry(result: ListedResult) -> dict[str, Any]:
    entry = result.entry
    about = [
        entry.benchmark,
        readable_time(entry.started),
        entry.evaluation,
        *(f"baseline {name}" for name in entry.baselines),
    ]
    return {
        "label": printable(entry.provider or "run")[:SWITCH_LABEL_LENGTH],
        "about": printable(" · ".join(filter(None, about)))[: 2 * SWITCH_LABEL_LENGTH],
        "url": result.url,
    }
