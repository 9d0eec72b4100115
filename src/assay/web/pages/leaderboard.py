"""Leaderboard: the newest result of each provider on a benchmark, the best first, with ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from assay.charts import Drawing, draw
from assay.comparison import Comparison, compare_results, counts_chunks, fair_metric
from assay.errors import AssayError, UnknownName, UsageError, near_matches
from assay.evaluation import Result
from assay.reports import TITLE, Cell, Column, Figure, Figures, Mark, Section, Table, number, readable_time, words
from assay.text import counted
from assay.web.page import Page, PageRequest, View
from assay.web.pages.results import cut, figure_cell, menu_names
from assay.web.state import AppState, ListedResult, known_figures
from assay.web.tables import lay_out

MAX_TESTED = 20
"""Providers that are tested against each other; the number of pairs grows with the square."""
MAX_SHOWN = 200


def show_leaderboard(state: AppState, request: PageRequest) -> View:
    """The leaderboard of the benchmark in the request, or of the newest result."""
    index = state.index
    names = [name for name in index.benchmarks if name]
    newest = next((result.entry.benchmark for result in index.results if result.entry.benchmark), "")
    benchmark = request.get("benchmark", newest)
    if benchmark and benchmark not in names:
        raise UnknownName("benchmark in the store", benchmark[:200], near_matches(benchmark, names))
    versions = versions_of(index.results, benchmark)
    data = request.get("data") or usual_version(versions)
    if data not in versions and versions:
        near = near_matches(data, list(versions))
        raise UnknownName("version of the data of this benchmark", data[:80], near, "the menu Data lists them")
    entered = newest_of(versions.get(data, ()))
    metrics = metrics_of(entered)
    metric = request.get("metric", usual_metric(state, entered, metrics))
    if metric and metric not in metrics:
        raise UnknownName(
            "metric on this benchmark", metric[:80], near_matches(metric, metrics), f"choose from {', '.join(metrics)}"
        )
    ranked = ranked_by(state, entered, metric)
    comparison, why_not = compare_best(state, ranked, metric)
    grid = board(ranked, metric, comparison)
    layouts, tables = lay_out(
        [Section("board", benchmark or "No results yet", (grid, *_charts(state, ranked, metric, comparison)))]
    )
    content = {
        "benchmarks": menu_names(names, benchmark),
        "benchmark": benchmark,
        "versions": [(name, _version_words(name, some)) for name, some in versions.items()] if len(versions) > 1 else [],
        "data": data,
        "metrics": metrics,
        "metric": metric,
        "sections": layouts,
        "verdict": comparison.verdict if comparison else "",
        "doubts": comparison.doubts if comparison else (),
        "notes": [*unfair_notes(state, ranked, metric), *_notes(ranked, entered, why_not), *_left_out(versions, data)],
    }
    return View("leaderboard.html.j2", f"Leaderboard of {benchmark}" if benchmark else "Leaderboard", content, tables)


def versions_of(listed: Sequence[ListedResult], benchmark: str) -> dict[str, list[ListedResult]]:
    """The results on a benchmark by their data, the newest data first; a subset of the queries counts as different data."""
    versions: dict[str, list[ListedResult]] = {}
    for result in listed:
        if result.entry.benchmark == benchmark:
            versions.setdefault(result.entry.dataset, []).append(result)
    return versions


def usual_version(versions: Mapping[str, Sequence[ListedResult]]) -> str:
    """The newest data with the most queries, because a quick run on a few queries is not representative."""
    return max(versions, key=lambda name: max(result.entry.n_queries for result in versions[name]), default="")


def newest_of(listed: Sequence[ListedResult]) -> list[ListedResult]:
    """The newest result of each provider, including failed ones."""
    newest: dict[str, ListedResult] = {}
    for result in listed:
        newest.setdefault(result.entry.provider, result)
    return list(newest.values())


def metrics_of(entered: Sequence[ListedResult]) -> list[str]:
    """The metrics that have a value in at least one result."""
    return list(dict.fromkeys(name for result in entered for name in known_figures(result.entry)))


def usual_metric(state: AppState, entered: Sequence[ListedResult], metrics: Sequence[str]) -> str:
    """The first metric; for several chunkers a metric that compares them fairly, if there is one."""
    keys = tuple(result.key for result in entered[:MAX_TESTED])
    if len(keys) < 2 or not metrics:
        return metrics[0] if metrics else ""
    fair: str = state.cache.get(("fair", keys), lambda: _fair_name(state.results(keys)))
    return fair if fair in metrics else metrics[0]


def _fair_name(results: Sequence[Result]) -> str:
    metric = fair_metric(results)
    return metric.name if metric else ""


def unfair_notes(state: AppState, ranked: Sequence[ListedResult], metric: str) -> list[str]:
    """A warning if the metric counts chunks of several chunkers."""
    keys = tuple(result.key for result in ranked[:MAX_TESTED])
    if len(keys) < 2 or not counts_chunks(state.store.metric(metric), state.results(keys)):
        return []
    why = f"{metric} counts chunks, and each chunker creates different chunks, so this order does not compare them fairly"
    return [f"{why}. Use a span metric, such as span_recall@10."]


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


def ranked_by(state: AppState, entered: Sequence[ListedResult], metric: str) -> list[ListedResult]:
    """The results, the best first; results without a value are left out."""
    known = []
    for result in entered:
        figure = None if result.entry.is_failed else result.entry.figures.get(metric)
        if figure is not None and figure.value is not None:
            known.append((figure.value, result))
    is_up = state.store.metric(metric).metric.higher_is_better if known else True
    return [result for _, result in sorted(known, key=lambda pair: pair[0], reverse=is_up)]


def compare_best(state: AppState, ranked: Sequence[ListedResult], metric: str) -> tuple[Comparison | None, str]:
    """A comparison of the best results on the metric, or the reason why there is none."""
    keys = tuple(result.key for result in ranked[:MAX_TESTED])
    if len(keys) < 2:
        return None, ""
    try:
        comparison: Comparison = state.cache.get(("board", keys, metric), lambda: _compared(state.results(keys), metric))
    except AssayError as error:
        return None, f"Ties are not marked: {error}"
    return comparison, ""


def _compared(results: Sequence[Result], metric: str) -> Comparison:
    """A comparison on the metric that the first result has under that name."""
    return compare_results(results, metrics=[bound for bound in results[0].metrics if bound.name == metric], intersect=True)


def ties_of(comparison: Comparison, metric: str) -> list[set[int]]:
    """For each place, the places that do not differ from it significantly."""
    names = comparison.names
    apart = {frozenset((pair.a, pair.b)) for pair in comparison.pairs if pair.metric == metric and pair.better}
    return [
        {other for other in range(len(names)) if other != place and frozenset((names[place], names[other])) not in apart}
        for place in range(len(names))
    ]


def board(ranked: Sequence[ListedResult], metric: str, comparison: Comparison | None) -> Table:
    """Place, provider, value with its interval, ties, and when it was measured."""
    ties = ties_of(comparison, metric) if comparison else []
    rows = []
    for place, result in enumerate(ranked[:MAX_SHOWN]):
        tied = ties[place] if place < len(ties) else set()
        shared = "=" if tied else ""
        same = ", ".join(str(other + 1) for other in sorted(tied)) if place < len(ties) else "not tested"
        is_best = bool(ties) and (place == 0 or 0 in tied)
        rows.append(
            (
                Cell(f"{place + 1}{shared}", place + 1, values=((TITLE, f"{place + 1}{shared}"),)),
                cut(result.entry.provider, link=result.url, mark=Mark.BEST if is_best else Mark.NONE),
                figure_cell(result, metric),
                Cell(same or "–", len(tied), values=((TITLE, same),)),
                number(f"{result.entry.n_queries:,}", result.entry.n_queries),
                words(readable_time(result.entry.started)),
            )
        )
    heads = (
        Column("place"),
        Column("provider", kind="text"),
        Column(metric or "value"),
        Column("tied with", kind="text", help="places that do not differ significantly"),
        Column("queries"),
        Column("started (UTC)", kind="text"),
    )
    return Table(heads, tuple(rows), "Leaderboard")


def _notes(ranked: Sequence[ListedResult], entered: Sequence[ListedResult], why_not: str) -> list[str]:
    tie = "= marks a tie: the difference from at least one other provider is not significant"
    notes = [f"{tie}. Bold: the best provider, and the providers tied with it."]
    if left := len(entered) - len(ranked):
        notes.append(f"Left out: {counted(left, 'provider')} without a value.")
    if len(ranked) > MAX_TESTED:
        notes.append(f"Only the best {MAX_TESTED} were tested against each other.")
    return [*(notes if len(ranked) > 1 else notes[1:]), *([why_not] if why_not else [])]


def _charts(state: AppState, ranked: Sequence[ListedResult], metric: str, comparison: Comparison | None) -> list[Figures]:
    """Bars, and for three or more results which of them are not told apart; charts that cannot be drawn are left out."""
    keys = tuple(result.key for result in ranked[:MAX_TESTED])
    if len(keys) < 2:
        return []
    kinds = ["bars", *(["groups"] if len(keys) > 2 and comparison is not None else [])]
    makers = {kind: partial(_drawing, state, kind, keys, metric, comparison) for kind in kinds}
    drawn = [state.cache.get(("board", kind, keys, metric), make) for kind, make in makers.items()]
    figures = [Figure(drawing[0], kind, "", metric) for kind, drawing in zip(kinds, drawn, strict=True) if drawing]
    return [Figures(tuple(figures))] if figures else []


def _drawing(
    state: AppState, kind: str, keys: Sequence[str], metric: str, comparison: Comparison | None
) -> tuple[Drawing, ...]:
    """The chart; empty if it cannot be drawn."""
    try:
        return (draw(kind, state.results(keys), metric=metric, comparison=comparison),)
    except UsageError:
        return ()


PAGE = Page("/leaderboard", show_leaderboard, "Leaderboard", ("benchmark", "data", "metric"), is_heavy=True)
