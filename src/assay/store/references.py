"""References: the words for a stored evaluation, and for one result of it.

`latest` is the last one saved, `latest~1` the one before it; an id, as much of its beginning as is unique, or what it ends
in; the name of a baseline.
Behind a `#` stands a result of it: a provider, `benchmark/provider`, or a benchmark for all of its results.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from assay.errors import BadParameter, UnknownName, UsageError, near_matches
from assay.store.rows import read_first, read_rows
from assay.store.schema import BASELINES, EVALUATIONS
from assay.text import counted, printable, shortened, some_of

MAX_CANDIDATES = 200
"""The newest ids, among which a misspelt one is looked for."""
LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
ID = re.compile(r"\d{4}-\d\d-\d\d-[a-z0-9-]*[a-z0-9]-[0-9a-f]{4,32}")
"""The day, the benchmark, and the beginning of a digest."""
SUFFIX = re.compile(r"[0-9a-f]{4,32}")
NAME = re.compile(r"(?!\d{4}-\d\d-\d\d|latest$)\w[\w.+-]*(?:/\w[\w.+-]*)*")
"""Of a baseline: words with slashes between them; nothing that looks like an id or a path."""
FILE = re.compile(r"(?:\.{0,2}|~)/.*|.*\.[a-z]{2,7}", re.IGNORECASE | re.DOTALL)
"""What looks like a file: `./x`, `/x`, `x.json`; but not `release/1.0`."""
LONGEST_NAME = 80


class EvaluationId(NamedTuple):
    """An evaluation."""

    number: int
    id: str


class Target(NamedTuple):
    """The evaluation that a reference means, and which part of it; an empty part is all of it."""

    number: int
    id: str
    part: str


def resolve(connection: Connection, reference: str) -> Target:
    """The evaluation of that reference, or an error with what may have been meant."""
    if not isinstance(reference, str):
        raise BadParameter(f"a reference is a text such as latest, not {shortened(reference)}")
    name, _, part = printable(reference.strip()).partition("#")
    if steps := LATEST.fullmatch(name):
        return _resolve_latest(connection, int(steps[1] or 0), part)
    columns = (EVALUATIONS.c.number, EVALUATIONS.c.id)
    if row := read_first(connection, select(*columns).where(EVALUATIONS.c.id == name), EvaluationId):
        return Target(*row, part)
    baseline = select(*columns, BASELINES.c.part).join(BASELINES).where(BASELINES.c.name == name)
    if blessed := read_first(connection, baseline, Target):
        return blessed._replace(part=part or blessed.part)
    return Target(*_resolve_shortened(connection, name), part)


def _resolve_shortened(connection: Connection, name: str) -> EvaluationId:
    """The one evaluation whose id begins so, or else ends so."""
    ways = {"begins": EVALUATIONS.c.id.startswith(name, autoescape=True)} if name else {}
    if SUFFIX.fullmatch(name):
        ways["ends"] = EVALUATIONS.c.id.endswith(f"-{name}", autoescape=True)
    for verb, is_so in ways.items():
        statement = select(EVALUATIONS.c.number, EVALUATIONS.c.id).where(is_so).order_by(EVALUATIONS.c.number.desc())
        matches = read_rows(connection, statement.limit(MAX_CANDIDATES), EvaluationId)
        if len(matches) > 1:
            ids = some_of([evaluation_id for _, evaluation_id in matches])
            raise UsageError(f"{name!r} {verb} {counted(len(matches), 'id')} in the store: {ids}")
        if matches:
            return matches[0]
    raise _unknown_reference(connection, name)


def resolve_whole(connection: Connection, reference: str, done: str) -> Target:
    """The whole evaluation; a baseline that is one result of it means the evaluation too. A part is refused."""
    target = resolve(connection, reference)
    if part := printable(reference).partition("#")[2]:
        raise UsageError(f"evaluations are {done} whole: write {target.id}, not {target.id}#{part}")
    return target._replace(part="")


def _resolve_latest(connection: Connection, steps: int, part: str) -> Target:
    newest = select(EVALUATIONS.c.number, EVALUATIONS.c.id).order_by(EVALUATIONS.c.saved.desc(), EVALUATIONS.c.number.desc())
    if row := read_first(connection, newest.offset(steps), EvaluationId):
        return Target(*row, part)
    total = connection.execute(select(func.count()).select_from(EVALUATIONS)).scalar() or 0
    name = f"latest~{steps}" if steps else "latest"
    if not total:
        raise UnknownName("stored evaluation", name, hint="the store is empty; assay eval puts one there")
    raise UnknownName(
        "stored evaluation", name, hint=f"it holds {counted(total, 'evaluation')}; the first is latest~{total - 1}"
    )


def _unknown_reference(connection: Connection, name: str) -> UnknownName:
    newest = select(EVALUATIONS.c.number, EVALUATIONS.c.id).order_by(EVALUATIONS.c.number.desc()).limit(MAX_CANDIDATES)
    names = select(BASELINES.c.name).order_by(BASELINES.c.name)
    baselines = [baseline for (baseline,) in read_rows(connection, names, tuple[str])]
    known = ["latest", *baselines, *(evaluation_id for _, evaluation_id in read_rows(connection, newest, EvaluationId))]
    hint = f"; baselines: {', '.join(map(printable, baselines))}" if baselines else ""
    return UnknownName(
        "stored evaluation", name, [*map(printable, near_matches(name, known))], f"assay results lists them{hint}"
    )


def is_part(part: str, benchmark: str, provider: str, level: int) -> bool:
    """Whether a result is meant: by its provider, else with its benchmark before it, else by the benchmark alone."""
    return part == (provider, f"{benchmark}/{provider}", benchmark)[level]


def resolve_part(part: str, names: Sequence[tuple[str, str]], evaluation: str) -> list[int]:
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
    """A name that can be told from every other reference, and from a file."""
    if not is_baseline_name(name):
        raise BadParameter(
            "a baseline is called by letters, digits and . _ - + / between them, such as main or release/1.0; "
            f"not latest, and not like an id, a day or a file; found {name!r}"
        )
    return name


def is_baseline_name(name: object) -> bool:
    """Whether somebody could bless an evaluation under that name."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return False
    return NAME.fullmatch(name) is not None and not looks_like_file(name)


def looks_like_file(name: str) -> bool:
    """Whether a word is meant as a file, be it there or not."""
    return FILE.fullmatch(name) is not None
