"""Notes on estimates: what they are based on, and whether that is enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.judging.design import DIFFERENCE, QUERIES
from assay.metrics import BoundMetric
from assay.model import ScoreTable
from assay.stats import FEWEST_JUDGED
from assay.text import counted, percent, some_of

if TYPE_CHECKING:
    from assay.judging.correction import Corrected

FEW_BINARY = 50
"""The same for metrics that are 0 or 1 for each query."""
TIMING = "timing"
"""The view of times."""
OTHER_INPUT = "do not read rankings and grades alone"
BINARY = frozenset({"hit"})


def notes_on_estimates(
    corrected: Corrected,
    metrics: Sequence[BoundMetric],
    left_out: Sequence[BoundMetric],
    outside: Mapping[int, float],
    n_queries: int,
    table: ScoreTable,
) -> Iterator[str]:
    """What the estimates are based on, which metrics were left out, and where there are too few judgments."""
    pool = corrected.pool
    if pool is None:
        return
    names = some_of([metric.name for metric in metrics])
    verb = "is an estimate" if len(metrics) == 1 else "are estimates"
    by = "people" if corrected.model is None else "people and by a model, corrected by those of people"
    if pool.unit == DIFFERENCE:
        names, verb = f"The difference of {' and '.join(pool.compared)} on {names}", "is an estimate"
    yield (
        f"{names} {verb} from {counted(corrected.n_grades, 'grade')} by {by}, on {counted(n_queries, 'query')} of "
        f"{len(table.query_ids):,} (pool {pool.id}, {pool.how}, seed {pool.seed}). Single queries have no scores."
    )
    if corrected.n_grades < len(pool.drawn):
        yield (
            f"{len(pool.drawn) - corrected.n_grades:,} of the {counted(len(pool.drawn), 'drawn pair')} have no grade yet. "
            "The estimates assume that these pairs are like the others."
        )
    yield from _left_out(left_out, "need all grades of a query" if pool.unit != QUERIES else OTHER_INPUT)
    for depth, share in outside.items():
        if share > 0:
            yield (
                f"{percent(share, 1)} of the first {depth} documents could not be drawn, because the system or the depth "
                "was not part of the pool. They count as not relevant, so the value is too low."
            )
    yield from notes_on_size(metrics, n_queries)


def _left_out(metrics: Sequence[BoundMetric], why: str) -> Iterator[str]:
    """Which metrics have no estimate. Times do not depend on judgments, so they have a reason of their own."""
    times = [metric.name for metric in metrics if metric.metric.view == TIMING]
    others = [metric.name for metric in metrics if metric.name not in times]
    for names, reason in ((others, why), (times, "do not depend on judgments")):
        if names:
            yield f"Left out, because they {reason}: {some_of(names)}."


def notes_on_size(metrics: Sequence[BoundMetric], n_queries: int) -> Iterator[str]:
    """Where too few queries are judged for an interval that holds."""
    if n_queries < FEWEST_JUDGED:
        verb = "is" if n_queries == 1 else "are"
        yield (
            f"Only {counted(n_queries, 'query')} {verb} judged. With fewer than {FEWEST_JUDGED}, "
            "the intervals are too short."
        )
    elif n_queries < FEW_BINARY and (binary := [metric.name for metric in metrics if is_binary(metric)]):
        yield (
            f"Only {counted(n_queries, 'query')} are judged. The intervals of {some_of(binary)}, which are 0 or 1 for each "
            f"query, are too short with fewer than {FEW_BINARY}."
        )


def is_binary(metric: BoundMetric) -> bool:
    """Whether a metric is 0 or 1 for each query."""
    return metric.metric.name in BINARY or (metric.metric.name == "precision" and metric.params.get("k") == 1)
