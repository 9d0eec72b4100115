"""Migrations: how a store of an older assay becomes one of this assay, step by step, with nothing lost.

A new layout is a new function at the end of the list. Each step and the note of it are one transaction.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, bindparam, func, insert, inspect, select, text, update

from assay._version import __version__
from assay.errors import AssayError, StoreError
from assay.evaluation import SavedRecord
from assay.schema import convert_plain
from assay.store.annotation import mark_blessed
from assay.store.location import StoreLocation
from assay.store.packing import decompress, unpack_json
from assay.store.rows import read_first
from assay.store.schema import BASELINES, EVALUATIONS, JUDGMENTS, METADATA, RESULTS, SCHEMA, comparable_of
from assay.store.timestamps import now

LOCK = 0x61737361
"""PostgreSQL's number of the lock that makes migrations wait for each other."""


def _create_tables(connection: Connection) -> None:
    """Version 1: all tables."""
    METADATA.create_all(connection)


def _add_comparability(connection: Connection) -> None:
    """Version 2: which figures may be compared, and which results were a baseline."""
    known = {column["name"] for column in inspect(connection).get_columns(RESULTS.name)}
    for column in ("comparable", "blessed"):
        if column not in known:
            connection.execute(text(f"ALTER TABLE {RESULTS.name} ADD COLUMN {column} TEXT"))
    rows = connection.execute(select(RESULTS.c.number, RESULTS.c.record, RESULTS.c.dataset)).all()
    changes = [{"of": row.number, "comparable": _comparable(row.record, row.dataset)} for row in rows]
    if changes:
        connection.execute(update(RESULTS).where(RESULTS.c.number == bindparam("of")), changes)
    for baseline in connection.execute(select(BASELINES)).all():
        mark_blessed(connection, baseline.evaluation, baseline.part, baseline.blessed)


def _comparable(record: bytes, dataset: str) -> str:
    """A damaged result is comparable with its own benchmark only; `assay store check` reports it."""
    try:
        plain = unpack_json(decompress(bytes(record), "a result"))
        convert_plain(plain, SavedRecord, "a result")
    except (AssayError, ValueError, RecursionError):
        return dataset
    return comparable_of(plain, dataset)


def _add_judgments(connection: Connection) -> None:
    """Version 3: judgments that people make over stored results."""
    JUDGMENTS.create(connection, checkfirst=True)


def _add_identity(connection: Connection) -> None:
    """Version 4: the identity that recognises an evaluation saved a second time; older ones have none."""
    known = {column["name"] for column in inspect(connection).get_columns(EVALUATIONS.name)}
    if "identity" not in known:
        connection.execute(text(f"ALTER TABLE {EVALUATIONS.name} ADD COLUMN identity TEXT"))
    index = next(candidate for candidate in EVALUATIONS.indexes if candidate.name == "assay_evaluations_identity")
    index.create(connection, checkfirst=True)


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_create_tables, _add_comparability, _add_judgments, _add_identity)
"""The step at place n leads to version n + 1."""


def version_of(connection: Connection) -> int | None:
    """The layout's version; 0 where there are no tables yet, None where a file holds tables of something else."""
    names = inspect(connection).get_table_names()
    if SCHEMA.name in names:
        row = read_first(connection, select(func.max(SCHEMA.c.version)), tuple[int | None])
        return (row or (0,))[0] or 0
    return None if names and connection.dialect.name == "sqlite" else 0


def check_known_layout(version: int | None, place: StoreLocation) -> None:
    """Raise a StoreError where the layout is a newer one, or not that of a store."""
    if version is None:
        raise StoreError(f"{place}: this is a database, but no assay store; name another one with --store or ASSAY_STORE")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{place}: a newer assay wrote this store (its layout is {version}, this assay knows up to {len(MIGRATIONS)}); "
            "install that one to use it"
        )


def migrate(connection: Connection, place: StoreLocation) -> None:
    """Carry out the steps that are still to be done; several processes may come at the same time."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    version = version_of(connection)
    check_known_layout(version, place)
    for number, step in enumerate(MIGRATIONS[version:], start=(version or 0) + 1):
        step(connection)
        connection.execute(insert(SCHEMA).values(version=number, migrated=now(), assay=__version__))
