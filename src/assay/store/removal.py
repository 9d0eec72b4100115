"""Removal: evaluations that nobody wants any more, and what only they needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from sqlalchemy import Connection, delete, select

from assay.errors import UsageError
from assay.store.references import Target, resolve_whole
from assay.store.tables import BASELINES, DATASETS, EVALUATIONS, PAYLOADS, RESULTS
from assay.store.writing import unused

T = TypeVar("T")
AT_ONCE = 500
"""Digests in one statement: databases have a limit."""


def delete_evaluations(connection: Connection, targets: Sequence[Target], *, force: bool) -> None:
    """Delete whole evaluations. A baseline is only deleted by force, and its name with it."""
    numbers = [target.number for target in targets]
    named = dict(_baselines(connection, numbers))
    if named and not force:
        first = next(target for target in targets if target.number in named)
        raise UsageError(
            f"{first.id} is the baseline {named[first.number]}; --force deletes it too, and the baseline with it"
        )
    needed = _needed(connection, numbers)
    for some in _some(numbers):
        connection.execute(delete(BASELINES).where(BASELINES.c.evaluation.in_(some)))
        connection.execute(delete(EVALUATIONS).where(EVALUATIONS.c.number.in_(some)))
    delete_unused(connection, *needed)


def _baselines(connection: Connection, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    for some in _some(numbers):
        rows = connection.execute(select(BASELINES.c.evaluation, BASELINES.c.name).where(BASELINES.c.evaluation.in_(some)))
        yield from ((row.evaluation, row.name) for row in rows)


def _needed(connection: Connection, numbers: Sequence[int]) -> tuple[list[str], list[str]]:
    """Benchmarks and payloads that these evaluations use."""
    columns = (RESULTS.c.dataset, RESULTS.c.scores, RESULTS.c.rankings, RESULTS.c.relevant, DATASETS.c.queries)
    datasets: set[str] = set()
    payloads: set[str] = set()
    for some in _some(numbers):
        for dataset, *others in connection.execute(select(*columns).join(DATASETS).where(RESULTS.c.evaluation.in_(some))):
            datasets.add(dataset)
            payloads.update(filter(None, others))
    return sorted(datasets, key=str), sorted(payloads, key=str)  # damage may be of any type


def delete_unused(connection: Connection, datasets: Sequence[str] | None, payloads: Sequence[str] | None) -> int:
    """Delete benchmarks and payloads that no result needs, of those, or of all there are; says how many."""
    n_deleted = 0
    for table, among in ((DATASETS, datasets), (PAYLOADS, payloads)):
        looked_at: list[list[str] | None] = [None] if among is None else list(_some(among))
        left = [digest for some in looked_at for digest in unused(connection, table, some)]
        for gone in _some(left):
            connection.execute(delete(table).where(table.c.digest.in_(gone)))
        n_deleted += len(left)
    return n_deleted


def _some(values: Iterable[T]) -> Iterator[list[T]]:
    each = iter(values)
    while part := list(islice(each, AT_ONCE)):
        yield part


def deletion(references: Sequence[str], *, force: bool) -> Callable[[Connection], Sequence[str]]:
    """The work of deleting; done once more after a connection was cut, it finds that it is done."""
    deleted: list[str] = []

    def work(connection: Connection) -> Sequence[str]:
        there = select(EVALUATIONS.c.number).where(EVALUATIONS.c.id.in_(deleted))
        if not deleted or connection.execute(there).first() is not None:
            targets = list(dict.fromkeys(resolve_whole(connection, reference, "deleted") for reference in references))
            delete_evaluations(connection, targets, force=force)
            deleted[:] = [target.id for target in targets]
        return deleted

    return work
