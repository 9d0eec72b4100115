"""Queries whose score changed most, each with both rankings side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from assay.comparison import MAX_DOCUMENTS_SHOWN, Comparison, Figures, Mover, largest_gains, largest_losses, rank_in
from assay.evaluation import QUERY, Result
from assay.metrics import BoundMetric
from assay.reports.table import Column, Section, Table, cells
from assay.text import counted

MAX_NAMED = 5
"""Relevant documents that are named if they are missing from the first ranks."""
MAX_PREVIEWED = 2
"""Queries that the verdict names."""


def mover_sections(comparison: Comparison, worst: int, best: int, figures: Figures) -> Iterator[Section]:
    """The queries that lost and gained most, each with both rankings and the relevant documents they do not show."""
    for title, movers in _all_movers(comparison, worst, best):
        tables = tuple(_mover_table(mover, comparison, figures) for mover in movers)
        yield Section("movers", title, tables, level=3)


def movers_to_dict(comparison: Comparison, worst: int, best: int) -> list[dict[str, Any]]:
    """The same queries as plain JSON values."""
    return [mover.to_dict() for _, movers in _all_movers(comparison, worst, best) for mover in movers]


def _all_movers(comparison: Comparison, worst: int, best: int) -> Iterator[tuple[str, list[Mover]]]:
    """A title and its queries: losses, then gains, of each system on the first metric."""
    metric, reference = moving_metric(comparison), reference_of(comparison)
    for other in (name for name in comparison.names if name != reference):
        for count, word, find in ((worst, "lost", largest_losses), (best, "gained", largest_gains)):
            if metric and count:
                movers = find(comparison, metric.name, reference, other, count)
                yield _title(movers, word, metric.name, reference, other), movers


def reference_of(comparison: Comparison) -> str:
    """The system that others are compared with: the baseline, otherwise the first."""
    return comparison.names[0] if comparison.how.baseline is None else comparison.how.baseline


def moving_metric(comparison: Comparison) -> BoundMetric | None:
    """The metric for per-query views: the first with scores for single queries; None if there is none.

    Rows that are users are never shown one by one.
    """
    if any(result.rows_are != QUERY for result in comparison.results):
        return None
    shared = {pair.metric for pair in comparison.pairs if pair.has_shared_times}
    own = metrics_of_queries(comparison.metrics, comparison.results)
    return next((metric for metric in own if metric.name not in shared), None)


def metrics_of_queries(metrics: Sequence[BoundMetric], results: Sequence[Result]) -> list[BoundMetric]:
    """The metrics that have scores for single queries in every result."""
    return [metric for metric in metrics if all(result.table.columns[metric.name].has_scores for result in results)]


def _title(movers: Sequence[Mover], word: str, metric: str, reference: str, other: str) -> str:
    who = f"from {reference} to {other}"
    if not movers:
        return f"No query {word} on {metric} {who}"
    n = "The query" if len(movers) == 1 else f"The {counted(len(movers), 'query')}"
    return f"{n} that {word} the most on {metric} {who}"


def preview(comparison: Comparison, figures: Figures) -> str:
    """The largest losses in a sentence if one system is compared, and how to see more."""
    others = [name for name in comparison.names if name != reference_of(comparison)]
    metric = moving_metric(comparison)
    if metric is None:
        return ""
    if len(others) != 1:
        first = "the baseline" if comparison.how.baseline else comparison.names[0]
        return f"Add --worst 10 to see the queries that lost the most against {first}, with both rankings."
    movers = largest_losses(comparison, metric.name, reference_of(comparison), others[0], MAX_PREVIEWED)
    if not movers:
        on = f" on {metric.name}" if len(comparison.metrics) > 1 else ""
        return f"No query got worse{on}." if any(pair.n for pair in comparison.pairs) else ""
    moves = [f"{mover.query} ({_move(mover, metric, figures)})" for mover in movers]
    losses = "Largest loss" if len(moves) == 1 else "Largest losses"
    losses += "" if metric is comparison.metrics[0] else f" on {metric.name}"
    return f"{losses}: {', '.join(moves)}. Add --worst 10 to see both rankings."


def _move(mover: Mover, metric: BoundMetric, figures: Figures) -> str:
    return f"{figures.value(metric, mover.score_a)} → {figures.value(metric, mover.score_b)}"


def _mover_table(mover: Mover, comparison: Comparison, figures: Figures) -> Table:
    """Both rankings side by side, relevant documents with a ✓ and their grade."""
    metric = comparison.metric(mover.metric)
    asked = f' "{mover.text}"' if mover.text else ""
    title = f"{mover.query}{asked}  {_move(mover, metric, figures)} ({figures.change(metric, mover.difference)})"
    both = zip_longest(mover.ranking_a[:MAX_DOCUMENTS_SHOWN], mover.ranking_b[:MAX_DOCUMENTS_SHOWN])
    rows = [cells(str(rank), *(_document(document, mover) for document in pair)) for rank, pair in enumerate(both, 1)]
    heads = (Column("rank"), Column(mover.a, kind="text"), Column(mover.b, kind="text"))
    return Table(heads, tuple(rows), title=title, notes=(*_error_lines(mover), *_missing_lines(mover)))


def _document(document: str | None, mover: Mover) -> str:
    if document is None:
        return ""
    grade = f" ({mover.relevant[document]:g})" if document in mover.relevant else ""
    sign = "✓" if grade else " " if mover.relevant else ""
    return f"{sign} {document}{grade}" if sign else document


def _error_lines(mover: Mover) -> Iterator[str]:
    """Why a system failed on the query, for each that did."""
    for name, error in ((mover.a, mover.error_a), (mover.b, mover.error_b)):
        if error:
            yield f"{name} failed: {error}"


def _missing_lines(mover: Mover) -> Iterator[str]:
    """For each system, the relevant documents outside the top ranks, the highest grade first; nothing without rankings."""
    if not mover.relevant or not (mover.ranking_a or mover.ranking_b):
        return
    relevant = sorted(mover.relevant, key=lambda document: (-mover.relevant[document], document))
    sides = ((mover.a, mover.ranking_a, mover.error_a), (mover.b, mover.ranking_b, mover.error_b))
    for name, ranking, error in sides:
        unseen = [document for document in relevant if document not in ranking[:MAX_DOCUMENTS_SHOWN]]
        if not ranking and not error:
            yield f"{name} retrieved nothing"
        if not unseen or not ranking:
            continue
        places = []
        for document in unseen[:MAX_NAMED]:
            rank = rank_in(ranking, document)
            places.append(f"{document} ({'not retrieved' if rank is None else f'rank {rank:,}'})")
        more = f" and {len(unseen) - MAX_NAMED:,} more" if len(unseen) > MAX_NAMED else ""
        yield f"relevant, but not in the top {MAX_DOCUMENTS_SHOWN} of {name}: {', '.join(places)}{more}"
