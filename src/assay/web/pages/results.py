"""Results: every stored result, filtered, sorted, and picked to be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from assay.errors import UnknownName, near_matches
from assay.reports import TEXT, Column, Field, number, readable_time, words
from assay.store import Figure, parse_since
from assay.text import counted, printable
from assay.web.page import Asked, Page, View, refuse_long
from assay.web.rendering import Renderer
from assay.web.state import AppState, Listed, ResultIndex
from assay.web.tables import HEAD, SHEET, Plan, SheetColumn, told, with_ends

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute


LONGEST = 100
"""Letters of a name in a list."""
FILTERS = ("benchmark", "provider", "tag", "since", "until", "words")
MOST_LETTERS = 20_000
"""Of all the names that a menu offers, with room for the markup of each."""
ROOM = 20


def show_results(desk: AppState, asked: Asked) -> View:
    """The newest first; all of the choices are in the address."""
    shelf = desk.shelf
    metric = asked.one("metric", next(iter(shelf.metrics), ""))
    if metric and metric not in shelf.metrics and not any(metric in result.entry.figures for result in shelf.listed):
        near = near_matches(metric, shelf.metrics)
        raise UnknownName("metric of a stored result", metric[:80], near, f"there are {', '.join(shelf.metrics[:20])}")
    plan = shelf.orders.get((metric, *_choices(asked)), lambda: _plan(shelf, asked, metric))
    content = {
        "sheet": plan.sheet(asked),
        "choices": choices_of(shelf, asked),
        "metrics": offered(shelf.metrics, metric),
        "metric": metric,
        "place": str(desk.store.place),
        "total": counted(len(shelf.listed), "result"),
        "is_filtered": any(map(asked.one, FILTERS)),
    }
    return View("results.html.j2", "Results", content, {"results": lambda: plan.grid(asked)})


def _choices(asked: Asked) -> tuple[str, ...]:
    """What decides which results are shown, and in which order; ages are counted from now."""
    return (*(asked.one(name) for name in (*FILTERS, "sort", "order")), str(asked.minute))


def _plan(shelf: ResultIndex, asked: Asked, metric: str) -> Plan[Listed]:
    plan = Plan("Stored results", "results", columns_of(metric), chosen(shelf, asked), pick=lambda result: result.key)
    return plan.in_order(asked)


def chosen(shelf: ResultIndex, asked: Asked) -> Sequence[Listed]:
    """The results that an address means."""
    results = list(shelf.listed)
    if name := asked.one("benchmark"):
        results = [result for result in results if result.entry.benchmark == name]
    if name := asked.one("provider"):
        results = [result for result in results if result.entry.provider == name]
    if name := asked.one("tag"):
        results = [result for result in results if name in result.entry.tags or name in result.entry.baselines]
    if since := asked.one("since"):
        start = parse_since(since)
        results = [result for result in results if result.entry.started >= start]
    if until := asked.one("until"):
        end = parse_since(until)[:10]
        results = [result for result in results if result.entry.started[:10] <= end]
    if sought := asked.one("words").casefold().split():
        results = [result for result in results if all(word in result.words for word in sought)]
    return results


def choices_of(shelf: ResultIndex, asked: Asked) -> list[tuple[str, str, list[str], str]]:
    """Menus: parameter, label, what may be chosen, what is."""
    return [
        ("benchmark", "Benchmark", offered(shelf.benchmarks, asked.one("benchmark")), asked.one("benchmark")),
        ("provider", "Provider", offered(shelf.providers, asked.one("provider")), asked.one("provider")),
        ("tag", "Tag or baseline", offered(shelf.tags, asked.one("tag")), asked.one("tag")),
    ]


def offered(names: Sequence[str], now: str = "") -> list[str]:
    """The names of a menu, what is chosen among them; very long ones, and those past the limit, are found by words."""
    short = [name for name in names if name and len(name) <= LONGEST]
    letters = accumulate(len(escape(name)) + ROOM for name in short)
    short = [name for name, total in zip(short, letters, strict=True) if total <= MOST_LETTERS]
    return [*short, *([now] if now and now not in short else [])]


def columns_of(metric: str) -> tuple[SheetColumn[Listed], ...]:
    """What the list shows of a result."""
    return (
        SheetColumn("provider", Column("provider", TEXT), _named, lambda result: result.entry.provider),
        SheetColumn("benchmark", Column("benchmark", TEXT), lambda result: cut(result.entry.benchmark), _benchmark),
        SheetColumn(
            "started", Column("started (UTC)", TEXT), lambda result: Field(readable_time(result.entry.started)), _started
        ),
        SheetColumn(
            "value",
            Column(metric or "figure"),
            lambda result: figure_field(result, metric),
            lambda result: _value(result, metric),
        ),
        SheetColumn(
            "queries",
            Column("queries"),
            lambda result: _count(result.entry.n_queries),
            lambda result: result.entry.n_queries,
        ),
        SheetColumn("failed", Column("failed"), _failed, lambda result: result.entry.n_failed),
        SheetColumn("marks", Column("marks", TEXT), lambda result: cut(marks_of(result))),
    )


def marks_of(result: Listed) -> str:
    """What somebody said about an evaluation: baselines and tags."""
    return " · ".join([*(f"baseline {name}" for name in result.entry.baselines), *result.entry.tags])


def cut(text: str, **more: str) -> Field:
    """A name in a list."""
    return words(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…", **more)


def _named(result: Listed) -> Field:
    field = replace(cut(result.entry.provider or "run", href=result.url), beside=printable(result.entry.evaluation))
    return told(field, (HEAD, result.entry.provider or "run"), ("evaluation", result.entry.evaluation))


def _benchmark(result: Listed) -> str:
    return result.entry.benchmark


def _started(result: Listed) -> str:
    return result.entry.started


def _figure(result: Listed, metric: str) -> Figure | None:
    return None if result.entry.is_failed else result.entry.figures.get(metric)


def _value(result: Listed, metric: str) -> float | None:
    figure = _figure(result, metric)
    return None if figure is None else figure.value


def figure_field(result: Listed, metric: str) -> Field:
    """The summary with its interval; a dash where there is none."""
    figure = _figure(result, metric)
    if figure is None or figure.value is None:
        return Field("–", sort="", title="failed on every query" if result.entry.is_failed else "")
    has_ends = figure.low is not None and figure.high is not None
    ends = f"[{figure.low:.3f}, {figure.high:.3f}]" if has_ends else ""
    return with_ends(number(f"{figure.value:.4f}", figure.value, beside=ends), figure.value, figure.low, figure.high)


def _count(n: int) -> Field:
    return number(f"{n:,}", n)


def _failed(result: Listed) -> Field:
    return number(f"{result.entry.n_failed:,}", result.entry.n_failed, tone="fail" if result.entry.n_failed else "")


PAGE = Page("/", show_results, "Results", ("metric", *FILTERS, *SHEET))


# The box that Ctrl-K opens: the results that some words mean.

MAX_SWITCH_RESULTS = 30
SWITCH_LABEL_LENGTH = 120


def routes(desk: AppState, renderer: Renderer) -> list[BaseRoute]:  # noqa: ARG001 (as all that make routes)
    """`/switch?words=…`: a list in JSON."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def endpoint(request: Request) -> Response:
        sought = request.query_params.get("words", "")
        refuse_long("words", sought)
        return JSONResponse(await run_in_threadpool(find_results, desk, sought), headers={"cache-control": "no-store"})

    return [Route("/switch", endpoint, methods=["GET"])]


def find_results(desk: AppState, sought: str) -> list[dict[str, Any]]:
    """The newest results that all the words are in."""
    words = sought.casefold().split()
    some = []
    for result in desk.shelf.listed:
        if all(word in result.words for word in words):
            some.append(_switch_entry(result))
        if len(some) == MAX_SWITCH_RESULTS:
            break
    return some


def _switch_entry(result: Listed) -> dict[str, Any]:
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
