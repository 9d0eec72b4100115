"""Annotation: tags, notes and baselines, said about an evaluation after it was saved."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from assay.errors import BadParameter, UnknownName, near_matches
from assay.masking import mask
from assay.store.entries import Note
from assay.store.moments import now
from assay.store.references import Target, chosen_places
from assay.store.rows import read_rows
from assay.store.tables import BASELINES, EVALUATIONS, NOTES, RESULTS, TAGS
from assay.text import printable

LONGEST_TAG = 80


class Blessed(NamedTuple):
    """A baseline: its name, the evaluation it shall be, and the one it was before."""

    name: str
    evaluation: str
    before: str | None


def check_tag(tag: str) -> str:
    """A word that can be asked for later."""
    if not tag or len(tag) > LONGEST_TAG or re.search(r"[\s,]", tag) or not tag.isprintable() or tag.startswith("-"):
        raise BadParameter(f"a tag is one word of up to {LONGEST_TAG} letters, without blanks and commas; found {tag!r}")
    return tag


def add_tags(connection: Connection, number: int, tags: Iterable[str]) -> None:
    """Add tags; those that are there already stay."""
    known = set(connection.execute(select(TAGS.c.tag).where(TAGS.c.evaluation == number)).scalars())
    for tag in dict.fromkeys(map(mask, tags)):
        if tag not in known:
            connection.execute(insert(TAGS).values(evaluation=number, tag=tag))


def remove_tags(connection: Connection, number: int, tags: Iterable[str]) -> None:
    """Remove tags; those that are not there are passed over."""
    connection.execute(delete(TAGS).where(TAGS.c.evaluation == number, TAGS.c.tag.in_(list(tags))))


def add_notes(connection: Connection, number: int, notes: Iterable[Note]) -> None:
    """Add notes; one of the same moment and words is there once."""
    known = set(read_rows(connection, select(NOTES.c.written, NOTES.c.text).where(NOTES.c.evaluation == number), Note))
    for note in notes:
        clean = Note(printable(note.written), printable(mask(note.text)))
        if clean not in known:
            connection.execute(insert(NOTES).values(evaluation=number, **clean._asdict()))


def bless(connection: Connection, target: Target, name: str, *, moves: bool = True) -> Blessed:
    """Call an evaluation by a name. A name that stands for another one moves here, unless it shall not."""
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
    """Note at the results that they are, or were, a baseline; with no moment, that they never were."""
    wanted = select(RESULTS.c.number, RESULTS.c.benchmark, RESULTS.c.provider).where(RESULTS.c.evaluation == evaluation)
    rows = read_rows(connection, wanted.order_by(RESULTS.c.place), tuple[int, str, str])
    places = chosen_places(part, [(benchmark, provider) for _, benchmark, provider in rows], str(evaluation))
    numbers = [rows[place][0] for place in places]
    connection.execute(update(RESULTS).where(RESULTS.c.number.in_(numbers)).values(blessed=moment))


def unbless(connection: Connection, name: str) -> str:
    """Take a baseline back, and give what it was; what no other name stands for counts as if it never had been one."""
    row = connection.execute(select(BASELINES).where(BASELINES.c.name == name)).first()
    if row is None:
        known = list(connection.execute(select(BASELINES.c.name).order_by(BASELINES.c.name)).scalars())
        hint = f"there are {', '.join(known)}" if known else "there is none"
        raise UnknownName("baseline", name, near_matches(name, known), hint)
    connection.execute(delete(BASELINES).where(BASELINES.c.name == name))
    mark_blessed(connection, row.evaluation, row.part, None)
    for other in connection.execute(select(BASELINES).where(BASELINES.c.evaluation == row.evaluation)).all():
        mark_blessed(connection, other.evaluation, other.part, other.blessed)
    was = connection.execute(select(EVALUATIONS.c.id).where(EVALUATIONS.c.number == row.evaluation)).scalar_one()
    return address(was, row.part)


def unblessing(name: str) -> Callable[[Connection], str]:
    """The work of `unbless`; done once more after a connection was cut, it finds that it is done."""
    was: list[str] = []

    def work(connection: Connection) -> str:
        there = select(BASELINES.c.name).where(BASELINES.c.name == name)
        if not was or connection.execute(there).first() is not None:
            was[:] = [unbless(connection, name)]
        return was[0]

    return work


def address(evaluation: str, part: str) -> str:
    """An evaluation, or a result of it, as a reference."""
    return f"{evaluation}#{part}" if part else evaluation
