"""Boards: the newest result of each provider on a benchmark, ranked by a metric, on all queries or on a slice of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.comparison import Comparison, compare_results, counts_chunks, fair_metric
from assay.errors import AssayError
from assay.evaluation import Result, with_intervals
from assay.model import Tags
from assay.store import Figure
from assay.web.state import AppState, ListedResult, known_figures

MAX_TESTED = 20
"""Providers that are tested against each other; the number of pairs grows with the square."""
MAX_SLICES_OF_TAG, MAX_SLICES = 20, 100
"""Slices that a menu offers: of one tag, and of all. A tag with more values, such as an id, is left out."""


@dataclass(frozen=True)
class Row:
    """A provider on the board: its newest result, and its values on the queries that count."""

    listed: ListedResult
    figures: Mapping[str, Figure] = field(repr=False)
    n_queries: int

    @property
    def key(self) -> str:
        """The key of its result."""
        return self.listed.key

    def value(self, metric: str) -> float | None:
        """Its value on a metric; None if it has none."""
        figure = self.figures.get(metric)
        return None if figure is None else figure.value


def versions_of(listed: Sequence[ListedResult], benchmark: str) -> dict[str, list[ListedResult]]:
    """The results on a benchmark by their data, the newest data first; a subset of the queries counts as different data."""
    versions: dict[str, list[ListedResult]] = {}
    for result in listed:
        if result.entry.benchmark == benchmark:
            versions.setdefault(result.entry.dataset, []).append(result)
    return versions


def usual_version(versions: Mapping[str, Sequence[ListedResult]]) -> str:
    """The newest data with the most queries, because a quick run on a few queries is not representative.

    Data on which every provider failed come last.
    """

    def size(name: str) -> tuple[bool, int]:
        listed = versions[name]
        return any(not result.entry.is_failed for result in listed), max(result.entry.n_queries for result in listed)

    return max(versions, key=size, default="")


def newest_of(listed: Sequence[ListedResult]) -> list[ListedResult]:
    """The newest result of each provider, including failed ones."""
    newest: dict[str, ListedResult] = {}
    for result in listed:
        newest.setdefault(result.entry.provider, result)
    return list(newest.values())


def working(entered: Sequence[ListedResult]) -> list[ListedResult]:
    """The results without those whose provider failed on every query: such a provider has no value and no place."""
    return [result for result in entered if not result.entry.is_failed]


def metrics_of(entered: Sequence[ListedResult]) -> list[str]:
    """The metrics that have a value in at least one result."""
    return list(dict.fromkeys(name for result in working(entered) for name in known_figures(result.entry)))


def usual_metric(state: AppState, entered: Sequence[ListedResult], metrics: Sequence[str]) -> str:
    """The first metric; for several chunkers a metric that compares them fairly, if there is one."""
    keys = tuple(result.key for result in working(entered)[:MAX_TESTED])
    if len(keys) < 2 or not metrics:
        return metrics[0] if metrics else ""
    fair: str = state.cache.get(("fair", keys), lambda: _fair_name(state.results(keys)))
    return fair if fair in metrics else metrics[0]


def _fair_name(results: Sequence[Result]) -> str:
    metric = fair_metric(results)
    return metric.name if metric else ""


def unfair_notes(state: AppState, keys: Sequence[str], metric: str) -> list[str]:
    """A warning if the metric counts chunks of several chunkers."""
    tested = tuple(keys[:MAX_TESTED])
    if len(tested) < 2 or not counts_chunks(state.store.metric(metric), state.results(tested)):
        return []
    why = f"{metric} counts chunks, and each chunker creates different chunks, so this order does not compare them fairly"
    return [f"{why}. Use a span metric, such as span_recall@10."]


def slices_of(state: AppState, entered: Sequence[ListedResult]) -> dict[str, tuple[str, ...]]:
    """`tag:value` → its queries, for tags that split the queries into a few slices."""
    keys = tuple(result.key for result in working(entered)[:MAX_TESTED])
    if not keys:
        return {}
    slices: dict[str, tuple[str, ...]] = state.cache.get(("slices", keys), lambda: _slices(state.results(keys)))
    return slices


def _slices(results: Sequence[Result]) -> dict[str, tuple[str, ...]]:
    tags = Tags.of(results)
    by_tag = [(name, tags.slices([name])) for name in tags.names]
    few = [(name, parts) for name, parts in by_tag if 1 < len(parts) <= MAX_SLICES_OF_TAG]
    slices = {f"{name}:{part.value}": part.queries for name, parts in few for part in parts}
    return dict(list(slices.items())[:MAX_SLICES])


def rows_of(
    state: AppState, entered: Sequence[ListedResult], metrics: Sequence[str], slice_: str, queries: Sequence[str]
) -> list[Row]:
    """The providers with their values by these metrics: as stored, or computed again on the queries of a slice."""
    listed = working(entered)
    if not slice_:
        return [Row(result, result.entry.figures, result.entry.n_queries) for result in listed]
    keys = tuple(result.key for result in listed)
    made: tuple[Row, ...] = state.cache.get(
        ("sliced", keys, tuple(metrics), slice_),
        lambda: tuple(_sliced(state, result, metrics, queries) for result in listed),
    )
    return list(made)


def _sliced(state: AppState, listed: ListedResult, metrics: Sequence[str], queries: Sequence[str]) -> Row:
    result = state.result(listed.key)
    own = [metric for metric in metrics if metric in result.summary]
    part = with_intervals(result.subset(queries=queries, metrics=own), metrics=own)
    figures = {}
    for metric in own:
        interval, value = part.intervals.get(metric), part[metric]
        low, high = (interval.low, interval.high) if interval else (None, None)
        figures[metric] = Figure(metric, None if math.isnan(value) else value, low, high, len(part.query_ids))
    return Row(listed, figures, len(part.query_ids))


def ranked_by(state: AppState, rows: Sequence[Row], metric: str) -> list[Row]:
    """The rows, the best first; rows without a value are left out."""
    known = [(value, row) for row in rows if (value := row.value(metric)) is not None]
    is_up = state.store.metric(metric).metric.higher_is_better if known else True
    return [row for _, row in sorted(known, key=lambda pair: pair[0], reverse=is_up)]


def compare_best(
    state: AppState, ranked: Sequence[Row], metric: str, slice_: str = "", queries: Sequence[str] = ()
) -> tuple[Comparison | None, str]:
    """A comparison of the best results on the metric, or the reason why there is none."""
    keys = tuple(row.key for row in ranked[:MAX_TESTED])
    if len(keys) < 2:
        return None, ""
    try:
        comparison: Comparison = state.cache.get(
            ("board", keys, metric, slice_), lambda: _compared(parts_of(state, keys, slice_, queries), metric)
        )
    except AssayError as error:
        return None, f"Ties are not marked: {error}"
    return comparison, ""


def parts_of(state: AppState, keys: Sequence[str], slice_: str, queries: Sequence[str]) -> tuple[Result, ...]:
    """The results, on all their queries or on those of a slice."""
    results = state.results(keys)
    return tuple(result.subset(queries=queries) for result in results) if slice_ else results


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
