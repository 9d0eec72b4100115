"""References: the words for a stored evaluation, and for one result of it.

`latest` is the last one saved, `latest~1` the one before it; an id, or as much of its beginning as is unique; the name of
a baseline. Behind a `#` stands a result of it: a provider, `benchmark/provider`, or a benchmark for all of its results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from assay.errors import BadParameter, UnknownName, UsageError, near_matches
from assay.store.tables import BASELINES, EVALUATIONS
from assay.text import counted, printable, some_of

MANY = 200
"""The newest ids, among which a misspelt one is looked for."""
NAME = re.compile(r"[\w.+/-]{1,80}")


class Target(NamedTuple):
    """The evaluation that a reference means, and which part of it; an empty part is all of it."""

    number: int
    id: str
    part: str


def resolve(connection: Connection, reference: str) -> Target:
    """The evaluation of that reference, or an error with what may have been meant."""
    name, _, part = printable(reference.strip()).partition("#")
    if steps := re.fullmatch(r"latest(?:~(\d{1,9}))?", name):
        return _latest(connection, int(steps[1] or 0), part)
    columns = (EVALUATIONS.c.number, EVALUATIONS.c.id)
    if row := connection.execute(select(*columns).where(EVALUATIONS.c.id == name)).first():
        return Target(*row, part)
    baseline = select(*columns, BASELINES.c.part).join(BASELINES).where(BASELINES.c.name == name)
    if blessed := connection.execute(baseline).first():
        return Target(blessed.number, blessed.id, part or blessed.part)
    begin_so = (
        select(*columns).where(EVALUATIONS.c.id.startswith(name, autoescape=True)).order_by(EVALUATIONS.c.number.desc())
    )
    found = connection.execute(begin_so.limit(MANY)).all() if name else []
    if len(found) > 1:
        raise UsageError(f"{name!r} begins {counted(len(found), 'id')} in the store: {some_of([row.id for row in found])}")
    if not found:
        raise _unknown(connection, name)
    return Target(*found[0], part)


def _latest(connection: Connection, steps: int, part: str) -> Target:
    newest = select(EVALUATIONS.c.number, EVALUATIONS.c.id).order_by(EVALUATIONS.c.saved.desc(), EVALUATIONS.c.number.desc())
    if row := connection.execute(newest.offset(steps).limit(1)).first():
        return Target(*row, part)
    total = connection.execute(select(func.count()).select_from(EVALUATIONS)).scalar() or 0
    name = f"latest~{steps}" if steps else "latest"
    if not total:
        raise UnknownName("stored evaluation", name, hint="the store is empty; assay eval puts one there")
    raise UnknownName(
        "stored evaluation", name, hint=f"it holds {counted(total, 'evaluation')}; the first is latest~{total - 1}"
    )


def _unknown(connection: Connection, name: str) -> UnknownName:
    newest = select(EVALUATIONS.c.id).order_by(EVALUATIONS.c.number.desc()).limit(MANY)
    baselines = list(connection.execute(select(BASELINES.c.name).order_by(BASELINES.c.name)).scalars())
    known = ["latest", *baselines, *connection.execute(newest).scalars()]
    said = f"; baselines: {', '.join(baselines)}" if baselines else ""
    return UnknownName("stored evaluation", name, near_matches(name, known), f"assay results lists them{said}")


def is_part(part: str, benchmark: str, provider: str, level: int) -> bool:
    """Whether a result is meant: by its provider, else with its benchmark before it, else by the benchmark alone."""
    return part == (provider, f"{benchmark}/{provider}", benchmark)[level]


def chosen_places(part: str, names: Sequence[tuple[str, str]], evaluation: str) -> list[int]:
    """The places of the results that a part means, all for an empty one."""
    if not part:
        return list(range(len(names)))
    for level in range(3):
        if places := [place for place, (benchmark, name) in enumerate(names) if is_part(part, benchmark, name, level)]:
            return places
    known = [f"{benchmark}/{provider}" if benchmark else provider for benchmark, provider in names]
    raise UnknownName(
        f"result of {evaluation}",
        part,
        near_matches(part, [*known, *(provider for _, provider in names)]),
        f"it has {', '.join(known)}",
    )


def check_baseline_name(name: str) -> str:
    """A name that can be told from every other reference."""
    if not NAME.fullmatch(name) or name == "latest" or name.startswith("-"):
        raise BadParameter(f"a baseline is called by letters, digits and . _ - + /, and not latest; found {name!r}")
    return name
