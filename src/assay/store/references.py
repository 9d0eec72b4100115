"""References: names for a stored evaluation, and for one result of it.

A reference is `latest` (the last one saved), `latest~1` (the one before it), an id or a unique beginning or end of it, or
the name of a baseline. After a `#` comes a result of it: a provider, `benchmark/provider`, or a benchmark for all of its
results.
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
"""The number of newest ids to search for similar names."""
LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
ID = re.compile(r"\d{4}-\d\d-\d\d-[a-z0-9-]*[a-z0-9]-[0-9a-f]{4,32}")
"""The day, the benchmark, and the beginning of a digest."""
SUFFIX = re.compile(r"[0-9a-f]{4,32}")
NAME = re.compile(r"(?!\d{4}-\d\d-\d\d|latest$)\w[\w.+-]*(?:/\w[\w.+-]*)*")
"""The name of a baseline: words with slashes between them, but nothing that looks like an id or a path."""
FILE = re.compile(r"(?:\.{0,2}|~)/.*|[a-z][a-z0-9+.-]*://.*|.*\.[a-z]{2,7}", re.IGNORECASE | re.DOTALL)
"""Names that look like a file or an address: `./x`, `/x`, `x.json`, `s3a://x`; but not `release/1.0`."""
LONGEST_NAME = 80


class EvaluationId(NamedTuple):
    """An evaluation."""

    number: int
    id: str


class Target(NamedTuple):
    """The evaluation that a reference means, and the part of it; an empty part means all of it."""

    number: int
    id: str
    part: str


def resolve(connection: Connection, reference: str) -> Target:
    """The evaluation of a reference; an error with similar names if there is none."""
    if not isinstance(reference, str):
        raise BadParameter(f"a reference must be text such as latest, not {shortened(reference)}")
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
    """The only evaluation whose id begins, or else ends, with this name."""
    ways = {"beginning": EVALUATIONS.c.id.startswith(name, autoescape=True)} if name else {}
    if SUFFIX.fullmatch(name):
        ways["end"] = EVALUATIONS.c.id.endswith(f"-{name}", autoescape=True)
    for place, is_so in ways.items():
        statement = select(EVALUATIONS.c.number, EVALUATIONS.c.id).where(is_so).order_by(EVALUATIONS.c.number.desc())
        matches = read_rows(connection, statement.limit(MAX_CANDIDATES), EvaluationId)
        if len(matches) > 1:
            ids = some_of([evaluation_id for _, evaluation_id in matches])
            raise UsageError(
                f"{name!r} is the {place} of {counted(len(matches), 'id')} in the store: {ids}. Write more of the id"
            )
        if matches:
            return matches[0]
    raise _unknown_reference(connection, name)


def resolve_whole(connection: Connection, reference: str, done: str) -> Target:
    """The whole evaluation of a reference, also of a baseline that is one result of it. A part is an error."""
    target = resolve(connection, reference)
    if part := printable(reference).partition("#")[2]:
        raise UsageError(f"only whole evaluations can be {done}: write {target.id}, not {target.id}#{part}")
    return target._replace(part="")


def _resolve_latest(connection: Connection, steps: int, part: str) -> Target:
    newest = select(EVALUATIONS.c.number, EVALUATIONS.c.id).order_by(EVALUATIONS.c.saved.desc(), EVALUATIONS.c.number.desc())
    if row := read_first(connection, newest.offset(steps), EvaluationId):
        return Target(*row, part)
    total = connection.execute(select(func.count()).select_from(EVALUATIONS)).scalar() or 0
    name = f"latest~{steps}" if steps else "latest"
    if not total:
        raise UnknownName("stored evaluation", name, hint="the store is empty; assay eval adds an evaluation")
    raise UnknownName(
        "stored evaluation", name, hint=f"the store has {counted(total, 'evaluation')}; the oldest is latest~{total - 1}"
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
    """Whether a part means a result: by its provider, else by benchmark and provider, else by the benchmark."""
    return part == (provider, f"{benchmark}/{provider}", benchmark)[level]


def resolve_part(part: str, names: Sequence[tuple[str, str]], evaluation: str) -> list[int]:
    """The positions of the results that a part means; an empty part means all."""
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
        f"choose from {', '.join(known)}",
    )


def check_baseline_name(name: str) -> str:
    """The name, if it cannot be confused with another reference or a file; a BadParameter if it can."""
    if not is_baseline_name(name):
        raise BadParameter(
            "a baseline name must consist of letters and digits, with . _ - + / between them (main, release/1.0), "
            f"and must not be latest or look like an id, a day or a file; found {name!r}"
        )
    return name


def is_baseline_name(name: object) -> bool:
    """Whether a baseline can have that name."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return False
    return NAME.fullmatch(name) is not None and not looks_like_file(name)


def looks_like_file(name: str) -> bool:
    """Whether a name looks like a file, whether or not it exists."""
    return FILE.fullmatch(name) is not None
