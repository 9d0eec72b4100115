"""Migrations: update a store of an older assay step by step, without losing anything.

A new layout is a new function at the end of the list. Each step and its row in the schema table are one transaction.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, bindparam, func, insert, inspect, select, text, update

from assay._version import __version__
from assay.errors import AssayError, StoreError
from assay.evaluation import SavedRecord
from assay.schema import convert_plain
from assay.store.annotation import mark_blessed
from assay.store.judgment import Judgment
from assay.store.location import StoreLocation
from assay.store.packing import decompress, unpack_json
from assay.store.rows import read_first
from assay.store.schema import (
    BASELINES,
    EVALUATIONS,
    FIGURES,
    GUARDS,
    JUDGMENTS,
    METADATA,
    QUERY_NOTES,
    RESULTS,
    SCHEMA,
    UNDECIDED,
    comparable_of,
)
from assay.store.timestamps import now

LOCK = 0x61737361
"""The number of the PostgreSQL lock that makes migrations wait for each other."""


def _create_tables(connection: Connection) -> None:
    """Version 1: all tables."""
    METADATA.create_all(connection)


def _add_comparability(connection: Connection) -> None:
    """Version 2: which values can be compared, and which results were a baseline."""
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
    """The digest of a result. A damaged result is comparable only by its benchmark; `assay store check` reports it."""
    try:
        plain = unpack_json(decompress(bytes(record), "a result"))
        convert_plain(plain, SavedRecord, "a result")
    except (AssayError, ValueError, RecursionError):
        return dataset
    return comparable_of(plain, dataset)


def _add_judgments(connection: Connection) -> None:
    """Version 3: judgments that people make about stored results."""
    JUDGMENTS.create(connection, checkfirst=True)


def _add_identity(connection: Connection) -> None:
    """Version 4: the identity that recognises an evaluation that is saved twice; older evaluations have none."""
    known = {column["name"] for column in inspect(connection).get_columns(EVALUATIONS.name)}
    if "identity" not in known:
        connection.execute(text(f"ALTER TABLE {EVALUATIONS.name} ADD COLUMN identity TEXT"))
    index = next(candidate for candidate in EVALUATIONS.indexes if candidate.name == "assay_evaluations_identity")
    index.create(connection, checkfirst=True)


def _add_guards(connection: Connection) -> None:
    """Version 5: the candidates that guards of gates have checked."""
    GUARDS.create(connection, checkfirst=True)


def _extend_judgments(connection: Connection) -> None:
    """Version 6: the kind of a judgment, the text that was shown, its pool and probability; a note becomes its reason.

    All existing judgments are by people. The table is written again, because the kind is part of the key.
    """
    if "note" not in {column["name"] for column in inspect(connection).get_columns(JUDGMENTS.name)}:
        return
    names = ("benchmark", "query", "document", "judge", "grade", "note", "judged")
    rows = connection.execute(text(f"SELECT {', '.join(names)} FROM {JUDGMENTS.name}")).all()  # noqa: S608 (our own names)
    judgments = [Judgment(*row) for row in rows]
    JUDGMENTS.drop(connection)
    JUDGMENTS.create(connection)
    if judgments:
        connection.execute(insert(JUDGMENTS), [{"key": judgment.key, **judgment._asdict()} for judgment in judgments])


def _add_query_notes(connection: Connection) -> None:
    """Version 7: notes and tags of queries."""
    QUERY_NOTES.create(connection, checkfirst=True)


def _add_settled(connection: Connection) -> None:
    """Version 8: settled grades, and pairs that a person could not grade."""
    if "is_settled" not in {column["name"] for column in inspect(connection).get_columns(JUDGMENTS.name)}:
        connection.execute(text(f"ALTER TABLE {JUDGMENTS.name} ADD COLUMN is_settled BOOLEAN NOT NULL DEFAULT FALSE"))
    UNDECIDED.create(connection, checkfirst=True)


def _add_rows_are(connection: Connection) -> None:
    """Version 9: what the rows of a result are, because results of search logs have users."""
    if "rows_are" not in {column["name"] for column in inspect(connection).get_columns(RESULTS.name)}:
        connection.execute(text(f"ALTER TABLE {RESULTS.name} ADD COLUMN rows_are TEXT NOT NULL DEFAULT 'query'"))


def _add_documents_read(connection: Connection) -> None:
    """Version 10: what a metric read about documents; older figures do not say it."""
    if "documents_read" not in {column["name"] for column in inspect(connection).get_columns(FIGURES.name)}:
        connection.execute(text(f"ALTER TABLE {FIGURES.name} ADD COLUMN documents_read TEXT"))


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    _create_tables,
    _add_comparability,
    _add_judgments,
    _add_identity,
    _add_guards,
    _extend_judgments,
    _add_query_notes,
    _add_settled,
    _add_rows_are,
    _add_documents_read,
)
"""The step at index n leads to version n + 1."""


def version_of(connection: Connection) -> int | None:
    """The version of the layout; 0 if there are no tables yet, None if a file has other tables."""
    names = inspect(connection).get_table_names()
    if SCHEMA.name in names:
        row = read_first(connection, select(func.max(SCHEMA.c.version)), tuple[int | None])
        return (row or (0,))[0] or 0
    return None if names and connection.dialect.name == "sqlite" else 0


def check_known_layout(version: int | None, place: StoreLocation) -> None:
    """Raise a StoreError if the layout is newer, or not that of a store."""
    if version is None:
        raise StoreError(f"{place}: this database is not an assay store. Name another one with --store or ASSAY_STORE")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{place}: a newer assay wrote this store (its layout is {version}, this assay knows up to {len(MIGRATIONS)}). "
            "Install the newer version to use it"
        )


def migrate(connection: Connection, place: StoreLocation) -> None:
    """Do the steps that are still missing; several processes may call it at the same time."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    version = version_of(connection)
    check_known_layout(version, place)
    for number, step in enumerate(MIGRATIONS[version:], start=(version or 0) + 1):
        step(connection)
        connection.execute(insert(SCHEMA).values(version=number, migrated=now(), assay=__version__))
