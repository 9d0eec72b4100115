"""Changes to stored evaluations: tags, notes and baselines; and deletion, with data that nothing else uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, delete, insert, select, update

from assay.errors import BadParameter, UnknownName, UsageError, near_matches
from assay.masking import mask
from assay.store.references import Target, resolve_part, resolve_whole
from assay.store.rows import read_rows
from assay.store.schema import BASELINES, DATASETS, EVALUATIONS, NOTES, PAYLOADS, RESULTS, TAGS
from assay.store.stored_result import Note
from assay.store.timestamps import now
from assay.store.writing import find_unused
from assay.text import printable

LONGEST_TAG = 80


class Blessed(NamedTuple):
    """A baseline: its name, its new evaluation, and its evaluation before."""

    name: str
    evaluation: str
    before: str | None


def check_tag(tag: str) -> str:
    """The tag, if it is valid; a BadParameter if it is not."""
    if not tag or len(tag) > LONGEST_TAG or re.search(r"[\s,]", tag) or not tag.isprintable() or tag.startswith("-"):
        form = f"one word of up to {LONGEST_TAG} characters, without blanks or commas, that does not start with -"
        raise BadParameter(f"a tag must be {form}; found {tag!r}")
    return tag


def add_tags(connection: Connection, number: int, tags: Iterable[str]) -> None:
    """Add tags; existing tags stay."""
    known = set(connection.execute(select(TAGS.c.tag).where(TAGS.c.evaluation == number)).scalars())
    for tag in dict.fromkeys(map(mask, tags)):
        if tag not in known:
            connection.execute(insert(TAGS).values(evaluation=number, tag=tag))


def remove_tags(connection: Connection, number: int, tags: Iterable[str]) -> None:
    """Remove tags; missing tags are ignored."""
    connection.execute(delete(TAGS).where(TAGS.c.evaluation == number, TAGS.c.tag.in_(list(tags))))


def add_notes(connection: Connection, number: int, notes: Iterable[Note]) -> None:
    """Add notes; a note with the same time and text is added once."""
    known = set(read_rows(connection, select(NOTES.c.written, NOTES.c.text).where(NOTES.c.evaluation == number), Note))
    for note in notes:
        clean = Note(printable(note.written), printable(mask(note.text)))
        if clean not in known:
            connection.execute(insert(NOTES).values(evaluation=number, **clean._asdict()))


def bless(connection: Connection, target: Target, name: str, *, moves: bool = True) -> Blessed:
    """Make an evaluation the baseline of that name. With `moves`, a name that is in use is moved to it."""
    taken = select(EVALUATIONS.c.id, BASELINES.c.part).join(BASELINES).where(BASELINES.c.name == name)
    before = connection.execute(taken).first()
    row = {"evaluation": target.number, "part": printable(target.part), "blessed": now()}
    if before is None:
        connection.execute(insert(BASELINES).values(name=name, **row))
    elif moves:
        connection.execute(update(BASELINES).where(BASELINES.c.name == name).values(**row))
    if before is None or moves:
        mark_blessed(connection, target.number, target.part, row["blessed"])
    return Blessed(name, address(target.id, target.part), None if before is None else address(before.id, before.part))


def mark_blessed(connection: Connection, evaluation: int, part: str, moment: Any) -> None:
    """Mark results as a baseline with the time; without a time, as never a baseline."""
    statement = select(RESULTS.c.number, RESULTS.c.benchmark, RESULTS.c.provider).where(RESULTS.c.evaluation == evaluation)
    rows = read_rows(connection, statement.order_by(RESULTS.c.place), tuple[int, str, str])
    places = resolve_part(part, [(benchmark, provider) for _, benchmark, provider in rows], str(evaluation))
    numbers = [rows[place][0] for place in places]
    connection.execute(update(RESULTS).where(RESULTS.c.number.in_(numbers)).values(blessed=moment))


def unbless(connection: Connection, name: str) -> str:
    """Remove a baseline and return its evaluation; a result without another baseline counts as never a baseline."""
    row = connection.execute(select(BASELINES).where(BASELINES.c.name == name)).first()
    if row is None:
        known = list(connection.execute(select(BASELINES.c.name).order_by(BASELINES.c.name)).scalars())
        hint = f"choose from {', '.join(known)}" if known else "there are no baselines"
        raise UnknownName("baseline", name, near_matches(name, known), hint)
    connection.execute(delete(BASELINES).where(BASELINES.c.name == name))
    mark_blessed(connection, row.evaluation, row.part, None)
    for other in connection.execute(select(BASELINES).where(BASELINES.c.evaluation == row.evaluation)).all():
        mark_blessed(connection, other.evaluation, other.part, other.blessed)
    was = connection.execute(select(EVALUATIONS.c.id).where(EVALUATIONS.c.number == row.evaluation)).scalar_one()
    return address(was, row.part)


def unbless_work(name: str) -> Callable[[Connection], str]:
    """The work of `unbless`; if it runs again after a lost connection, it detects that it is done."""
    was: list[str] = []

    def work(connection: Connection) -> str:
        there = select(BASELINES.c.name).where(BASELINES.c.name == name)
        if not was or connection.execute(there).first() is not None:
            was[:] = [unbless(connection, name)]
        return was[0]

    return work


def address(evaluation: str, part: str) -> str:
    """The reference to an evaluation, or to a result of it."""
    return f"{evaluation}#{part}" if part else evaluation


# Deletion

T = TypeVar("T")
MAX_PER_STATEMENT = 500
"""The largest number of digests in one statement, because databases have a limit."""


def delete_evaluations(connection: Connection, targets: Sequence[Target], *, force: bool) -> None:
    """Delete whole evaluations. Evaluations with baselines are deleted only with `force`, together with the baselines."""
    numbers = [target.number for target in targets]
    named = dict(_baselines(connection, numbers))
    if named and not force:
        first = next(target for target in targets if target.number in named)
        raise UsageError(
            f"{first.id} is the baseline {named[first.number]}. Add --force to delete it together with the baseline"
        )
    needed = _used_by(connection, numbers)
    for some in _batches(numbers):
        connection.execute(delete(BASELINES).where(BASELINES.c.evaluation.in_(some)))
        connection.execute(delete(EVALUATIONS).where(EVALUATIONS.c.number.in_(some)))
    delete_unused(connection, *needed)


def _baselines(connection: Connection, numbers: Sequence[int]) -> Iterator[tuple[int, str]]:
    for some in _batches(numbers):
        rows = connection.execute(select(BASELINES.c.evaluation, BASELINES.c.name).where(BASELINES.c.evaluation.in_(some)))
        yield from ((row.evaluation, row.name) for row in rows)


def _used_by(connection: Connection, numbers: Sequence[int]) -> tuple[list[str], list[str]]:
    """The benchmarks and payloads that these evaluations use."""
    columns = (RESULTS.c.dataset, RESULTS.c.scores, RESULTS.c.rankings, RESULTS.c.relevant, DATASETS.c.queries)
    datasets: set[str] = set()
    payloads: set[str] = set()
    for some in _batches(numbers):
        for dataset, *others in connection.execute(select(*columns).join(DATASETS).where(RESULTS.c.evaluation.in_(some))):
            datasets.add(dataset)
            payloads.update(filter(None, others))
    return sorted(datasets, key=str), sorted(payloads, key=str)  # damaged values may have any type


def delete_unused(connection: Connection, datasets: Sequence[str] | None, payloads: Sequence[str] | None) -> int:
    """Delete benchmarks and payloads that no result uses, among these or among all; returns how many."""
    n_deleted = 0
    for table, among in ((DATASETS, datasets), (PAYLOADS, payloads)):
        looked_at: list[list[str] | None] = [None] if among is None else list(_batches(among))
        left = [digest for some in looked_at for digest in find_unused(connection, table, some)]
        for gone in _batches(left):
            connection.execute(delete(table).where(table.c.digest.in_(gone)))
        n_deleted += len(left)
    return n_deleted


def _batches(values: Iterable[T]) -> Iterator[list[T]]:
    each = iter(values)
    while part := list(islice(each, MAX_PER_STATEMENT)):
        yield part


def deletion_work(references: Sequence[str], *, force: bool) -> Callable[[Connection], Sequence[str]]:
    """The work of deleting; if it runs again after a lost connection, it detects that it is done."""
    deleted: list[str] = []

    def work(connection: Connection) -> Sequence[str]:
        there = select(EVALUATIONS.c.number).where(EVALUATIONS.c.id.in_(deleted))
        if not deleted or connection.execute(there).first() is not None:
            targets = list(dict.fromkeys(resolve_whole(connection, reference, "deleted") for reference in references))
            delete_evaluations(connection, targets, force=force)
            deleted[:] = [target.id for target in targets]
        return deleted

    return work
