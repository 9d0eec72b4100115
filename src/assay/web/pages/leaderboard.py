"""Leaderboard: the newest result of each provider on a benchmark, the best first, and who is not told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.charts import Drawing, draw
from assay.comparison import Comparison, alike_groups, letters_of, top_verdict
from assay.errors import UnknownName, UsageError, near_matches
from assay.reports import (
    TITLE,
    Cell,
    Column,
    Figure,
    Figures,
    Mark,
    Paragraph,
    Section,
    Table,
    figure,
    number,
    readable_time,
    words,
)
from assay.text import counted
from assay.web.boards import (
    MAX_TESTED,
    Row,
    compare_best,
    metrics_of,
    newest_of,
    parts_of,
    ranked_by,
    rows_of,
    slices_of,
    ties_of,
    unfair_notes,
    usual_metric,
    usual_version,
    versions_of,
    working,
)
from assay.web.menus import MAX_NAMED, Choices, benchmark_of, named
from assay.web.page import Page, PageRequest, View
from assay.web.pages.results import cut, menu_names
from assay.web.state import AppState, ListedResult
from assay.web.tables import lay_out

MAX_SHOWN = 200
MAX_FAILED = 20
TIMES = ("latency", "latency_p95")
"""Metrics that every evaluation has and that the page that compares does not list."""
"""Failed providers that are listed with their error."""
CHOSEN_SLICE = "The tests are not corrected for the choice of this slice"


@dataclass(frozen=True)
class Board:
    """What a leaderboard is about: the choices of a request, or what fits instead."""

    choices: Choices
    benchmark: str
    versions: Mapping[str, Sequence[ListedResult]]
    data: str
    entered: Sequence[ListedResult]
    """The newest result of each provider, including failed ones."""
    metrics: Sequence[str]
    metric: str
    also: Sequence[str]
    """Metrics in further columns."""
    slices: Mapping[str, Sequence[str]]
    slice: str

    @property
    def queries(self) -> Sequence[str]:
        """The queries of the chosen slice; empty: all queries."""
        return self.slices.get(self.slice, ())

    def menus(self, names: Sequence[str]) -> dict[str, Any]:
        """The menus of the form, and what is chosen in them."""
        versions = [(name, _version_words(name, some)) for name, some in self.versions.items()]
        return {
            "request": self.choices.request,
            "said": self.choices.notes,
            "benchmarks": menu_names(names, self.benchmark),
            "benchmark": self.benchmark,
            "versions": versions if len(versions) > 1 else [],
            "data": self.data,
            "metrics": self.metrics,
            "metric": self.metric,
            "also": self.also,
            "slices": list(self.slices),
            "slice": self.slice,
        }


def show_leaderboard(state: AppState, request: PageRequest) -> View:
    """The leaderboard of the benchmark in the request, or of the newest result; what does not fit it falls back."""
    names = sorted({result.entry.benchmark for result in state.index.evaluated if result.entry.benchmark})
    about = _chosen_board(state, request, names)
    metric, columns = about.metric, [about.metric, *about.also]
    rows = rows_of(state, about.entered, columns, about.slice, about.queries) if metric else []
    ranked = ranked_by(state, rows, metric) if metric else []
    comparison, why_not = compare_best(state, ranked, metric, about.slice, about.queries)
    grid, charts = board(ranked, columns, comparison), _charts(state, ranked, about, comparison)
    title = " · ".join(filter(None, (about.benchmark or "No results yet", about.slice)))
    nothing = Paragraph("No provider has a value yet.", Mark.MUTED)
    sections = [Section("board", title, (grid, *charts) if ranked else (nothing,)), *_failed(state, about.entered)]
    layouts, tables = lay_out(sections)
    notes = [*unfair_notes(state, [row.key for row in ranked], metric), *_notes(ranked, about, why_not)]
    content = {
        **about.menus(names),
        "sections": layouts,
        "verdict": f"{_on_slice(about)}{top_verdict(comparison, metric)}" if comparison else "",
        "doubts": comparison.doubts if comparison else (),
        "is_compared": bool(metric) and metric not in TIMES,
        "top_two": [row.key for row in ranked[:2]] if len(ranked) > 1 else [],
        "notes": [*notes, *_left_out(about.versions, about.data)],
    }
    heading = f"Leaderboard of {about.benchmark}" if about.benchmark else "Leaderboard"
    return View("leaderboard.html.j2", heading, content, tables)


def _chosen_board(state: AppState, request: PageRequest, names: Sequence[str]) -> Board:
    """The choices of a request, each of them checked against those before it."""
    index, choices = state.index, Choices(request)
    newest = next((result.entry.benchmark for result in index.evaluated if result.entry.benchmark), "")
    benchmark = benchmark_of(request, names, newest)
    versions = versions_of(index.evaluated, benchmark)
    data = _data(choices, versions, [result.entry.dataset for result in index.evaluated], benchmark)
    entered = newest_of(versions.get(data, ()))
    metrics = metrics_of(entered)
    metric = metric_choice(state, choices, metrics, usual_metric(state, entered, metrics), benchmark)
    also = choices.several("column", [name for name in metrics if name != metric])
    slices = slices_of(state, entered)
    slice_ = _slice(choices, slices, benchmark)
    return Board(choices, benchmark, versions, data, entered, metrics, metric, also, slices, slice_)


def _data(choices: Choices, versions: Mapping[str, Sequence[ListedResult]], known: Sequence[str], benchmark: str) -> str:
    """The version of the data; that of another benchmark falls back."""
    note = f"The chosen data are not those of {named(benchmark)}: its data with the most queries are shown."
    kind = "version of the data of this benchmark"
    return choices.one("data", versions, usual_version(versions), known, note=note, kind=kind)


def metric_choice(state: AppState, choices: Choices, metrics: Sequence[str], usual: str, where: str) -> str:
    """The chosen metric in any spelling; one that has no value here falls back to the usual one."""
    asked = choices.request.get("metric")
    if not asked or asked in metrics:
        return asked or usual
    try:
        name = state.store.metric(asked).name
    except UnknownName as error:
        near, known = near_matches(asked, metrics) or error.near, ", ".join(metrics[:MAX_NAMED])
        raise UnknownName("metric", asked[:80], near, f"choose from {known}" if known else str(error.hint)) from None
    if name in metrics:
        return name
    note = f"{named(name)} has no value for {named(where)}: {named(usual)} is shown." if metrics else ""
    return choices.instead("metric", usual, note)


def _slice(choices: Choices, slices: Mapping[str, Sequence[str]], benchmark: str) -> str:
    """The chosen slice; one that these queries do not have falls back to all queries."""
    asked = choices.request.get("slice")
    if not asked or asked in slices:
        return asked
    return choices.instead("slice", "", f"No queries of {named(benchmark)} have {named(asked)}: all queries are shown.")


def _on_slice(about: Board) -> str:
    return f"On the queries with {named(about.slice)}: " if about.slice else ""


def _version_words(name: str, listed: Sequence[ListedResult]) -> str:
    n_queries = max(result.entry.n_queries for result in listed)
    n = len({result.entry.provider for result in listed})
    return f"{counted(n_queries, 'query')}, {counted(n, 'provider')}, {readable_time(listed[0].entry.started)} ({name[:6]})"


def _left_out(versions: Mapping[str, Sequence[ListedResult]], data: str) -> list[str]:
    """A note on results with different data under the same name."""
    others = [result for name, some in versions.items() if name != data for result in some]
    if not others:
        return []
    n = len({result.entry.provider for result in others})
    counts = f"{counted(len(others), 'result')} of {counted(n, 'provider')}"
    what = "on different data with the same name (other queries, or another version)"
    return [f"Left out: {counts} {what}. To see them, choose other data in the menu Data."]


def board(ranked: Sequence[Row], metrics: Sequence[str], comparison: Comparison | None) -> Table:
    """Place, provider, the group of providers that are not told apart, values with intervals, and when it was measured."""
    metric = metrics[0]
    letters = _letters(comparison, metric) if comparison else []
    ties = ties_of(comparison, metric) if comparison else []
    rows = []
    for place, row in enumerate(ranked[:MAX_SHOWN]):
        is_best = bool(ties) and (place == 0 or (place < len(ties) and 0 in ties[place]))
        group = letters[place] if place < len(letters) else "not tested"
        rows.append(
            (
                number(str(place + 1), place + 1),
                cut(row.listed.entry.provider, link=row.listed.url, mark=Mark.BEST if is_best else Mark.NONE),
                *([Cell(group, values=((TITLE, group),))] if comparison else []),
                *(_value(row, name) for name in metrics),
                number(f"{row.n_queries:,}", row.n_queries),
                words(readable_time(row.listed.entry.started)),
            )
        )
    heads = (
        Column("place"),
        Column("provider", kind="text"),
        *([Column("group", help="providers that share a letter are not told apart")] if comparison else []),
        *(Column(name or "value") for name in metrics),
        Column("queries"),
        Column("started (UTC)", kind="text"),
    )
    return Table(heads, tuple(rows), "Leaderboard")


def _letters(comparison: Comparison, metric: str) -> list[str]:
    """For each system the letters of its groups: a, ab, b."""
    groups = alike_groups(comparison, metric)
    by_name = {name: [place for place, group in enumerate(groups) if name in group] for name in comparison.names}
    return [letters_of(by_name[name], len(groups)) for name in comparison.names]


def _value(row: Row, metric: str) -> Cell:
    """The value with its interval; a dash if there is none."""
    known = row.figures.get(metric)
    if known is None or known.value is None:
        return Cell("–", value="")
    has_ends = known.low is not None and known.high is not None
    ends = f"[{known.low:.3f}, {known.high:.3f}]" if has_ends else ""
    return figure(f"{known.value:.4f}", known.value, known.low, known.high, note=ends)


def _notes(ranked: Sequence[Row], about: Board, why_not: str) -> list[str]:
    tie = "Providers that share a letter in the column group are not told apart: the test shows no difference between them"
    notes = [f"{tie}. Bold: the best provider, and the providers that are not told apart from it."]
    notes = notes if len(ranked) > 1 and not why_not else []
    if about.slice and len(ranked) > 1:
        notes.append(f"Values and tests are about the queries with {named(about.slice)} only. {CHOSEN_SLICE}.")
    if left := len(working(about.entered)) - len(ranked):
        notes.append(f"Left out: {counted(left, 'provider')} without a value.")
    if len(ranked) > MAX_TESTED:
        notes.append(f"Only the best {MAX_TESTED} were tested against each other.")
    return [*notes, *([why_not] if why_not else [])]


def _failed(state: AppState, entered: Sequence[ListedResult]) -> list[Section]:
    """The providers that failed on every query, with their error: they have no value and no place."""
    failed = [result for result in entered if result.entry.is_failed]
    if not failed:
        return []
    table = failed_table(state, failed[:MAX_FAILED], "Failed providers")
    more = f" The newest {MAX_FAILED} of {len(failed):,}." if len(failed) > MAX_FAILED else ""
    lead = f"Every query failed in their newest result, so they have no value and no place.{more}"
    return [Section("failed", "Failed", (table,), lead)]


def failed_table(state: AppState, failed: Sequence[ListedResult], label: str) -> Table:
    """Results whose provider failed on every query: provider, error, and when."""
    rows = []
    for result in failed:
        error = next(iter(state.result(result.key).failures.values()), "unknown")
        rows.append(
            (
                cut(result.entry.provider, link=result.url),
                words(error, mark=Mark.FAILED),
                number(f"{result.entry.n_queries:,}", result.entry.n_queries),
                words(readable_time(result.entry.started)),
            )
        )
    heads = (
        Column("provider", kind="text"),
        Column("first error", kind="text"),
        Column("failed queries"),
        Column("started (UTC)", kind="text"),
    )
    return Table(heads, tuple(rows), label)


def _charts(state: AppState, ranked: Sequence[Row], about: Board, comparison: Comparison | None) -> list[Figures]:
    """Bars, and for three or more results which of them are not told apart; charts that cannot be drawn are left out."""
    keys = tuple(row.key for row in ranked[:MAX_TESTED])
    if len(keys) < 2:
        return []
    kinds = ["bars", *(["groups"] if len(keys) > 2 and comparison is not None else [])]

    def drawing(kind: str) -> tuple[Drawing, ...]:
        try:
            results = parts_of(state, keys, about.slice, about.queries)
            return (draw(kind, results, metric=about.metric, comparison=comparison),)
        except UsageError:
            return ()

    drawn = [state.cache.get(("board", kind, keys, about.metric, about.slice), partial(drawing, kind)) for kind in kinds]
    figures = [Figure(some[0], kind, "", about.metric) for kind, some in zip(kinds, drawn, strict=True) if some]
    return [Figures(tuple(figures))] if figures else []


TAKES = ("benchmark", "data", "metric", "column", "slice")
PAGE = Page("/leaderboard", show_leaderboard, "Leaderboard", TAKES, is_heavy=True, is_live=True)
