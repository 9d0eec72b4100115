"""Database: one unit of work at a time, whole or not at all, tried again where others were in the way."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import QueuePool

from assay.errors import BadParameter, StoreError
from assay.store.failures import FAILURES, READ_ONLY, describe_database_error, is_lost, is_passing
from assay.store.migrations import MIGRATIONS, migrate, refuse_unknown, version_of
from assay.store.place import FORMS, INSTALL, StoreLocation

T = TypeVar("T")
PATIENCE = 60.0
"""Seconds that a writer waits for others."""
TRIES = 100
ONCE_MORE = 1
"""How often work is done again whose connection was cut."""
PRAGMAS = (f"busy_timeout = {int(PATIENCE * 1000)}", "foreign_keys = ON", "synchronous = FULL")


class Database:
    """The database at a place. Reading works on one state of it; writing is one transaction."""

    def __init__(self, place: StoreLocation) -> None:
        self.place = place
        self.engine = _sqlite_engine(place) if place.path is not None else _postgres_engine(place)

    def prepare(self, *, create: bool) -> None:
        """Make or migrate the tables where that is needed; a store that is not there is told, unless it shall be made."""
        version = self.read(version_of) if self.place.exists else 0
        if not version and not create:
            refuse_unknown(version, self.place)
            raise StoreError(
                f"there is no store at {self.place} yet: assay eval makes one, and --store or ASSAY_STORE names another"
            )
        refuse_unknown(version, self.place)
        if version != len(MIGRATIONS):
            self._refuse_old()
            self.place.make_room()
            if self.place.path is not None:
                self.alone("PRAGMA journal_mode = WAL")  # readers and a writer do not wait for each other; the file keeps it
            self.write(lambda connection: migrate(connection, self.place))

    def read(self, work: Callable[[Connection], T]) -> T:
        """Do something that changes nothing. All of it sees one state, whatever others write meanwhile."""
        is_sqlite = self.engine.dialect.name == "sqlite"  # where a transaction that reads is like that by itself
        how: dict[str, Any] = {} if is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        return self._attempt(work, **how)

    def write(self, work: Callable[[Connection], T], patience: float = PATIENCE) -> T:
        """Do something in one transaction. It may be done several times over, so it begins from nothing each time.

        Where the connection is cut while it is committed, nobody knows whether it was; so it finds out what is there.
        It waits for other writers, for so many seconds at most; where somebody waits for the answer, few are better.
        """
        return self._attempt(work, patience, assay_writes=True, assay_patience=patience)

    def alone(self, statement: str) -> None:
        """Run a statement that no transaction may be around, such as VACUUM."""
        is_sqlite = self.engine.dialect.name == "sqlite"
        self._attempt(
            lambda connection: connection.exec_driver_sql(statement),
            **({"assay_alone": True} if is_sqlite else {"isolation_level": "AUTOCOMMIT"}),
        )

    def _attempt(self, work: Callable[[Connection], T], patience: float = PATIENCE, **how: Any) -> T:
        until, n_lost = time.monotonic() + patience, 0
        for tried in range(TRIES):
            try:
                with self._connect(**how) as connection, connection.begin():
                    return work(connection)
            except FAILURES as error:
                n_lost += is_lost(error)
                may_pass = n_lost <= ONCE_MORE if is_lost(error) else is_passing(error, tried)
                if not may_pass or tried == TRIES - 1 or time.monotonic() > until:
                    raise describe_database_error(error, self.place) from error
            time.sleep(random.uniform(0.5, 1) * min(0.005 * 2**tried, 1.0))  # noqa: S311 (no secret)
        raise AssertionError  # the last try returns or raises

    def _connect(self, **how: Any) -> Connection:
        """A connection that knows whose it is, so that what is wrong with a row can name the store."""
        return self.engine.connect().execution_options(assay_store=str(self.place), **how)

    def _refuse_old(self) -> None:
        """A layout is brought up to date where the store may be changed, and nowhere else."""
        if self.place.exists and self.place.path is not None and _mode(self.place) != "rwc":
            raise StoreError(f"{self.place}: {READ_ONLY}, and of an older assay; open it once where it may be changed")

    def refuse_read_only(self) -> None:
        """Say so before anything is asked, where nothing could be saved."""
        if self.place.path is not None and _mode(self.place) != "rwc":
            raise StoreError(f"{self.place}: {READ_ONLY}; name another one with --store or ASSAY_STORE")

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()


def _sqlite_engine(place: StoreLocation) -> Engine:
    engine = create_engine("sqlite://", creator=lambda: _connected(place), poolclass=QueuePool)
    event.listen(engine, "begin", _begin)
    return engine


def _connected(place: StoreLocation) -> sqlite3.Connection:
    """A connection that leaves transactions to us. A file that nobody may change is opened so that it can be read."""
    address = f"file:{quote(os.fsencode(place.path or ''))}?mode={_mode(place)}"
    connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _mode(place: StoreLocation) -> str:
    path = place.path
    if path is None or not path.exists() or not (place.is_read_only or _is_write_protected(path)):
        return "rwc"
    has_log = path.with_name(f"{path.name}-wal").exists()
    return "ro" if has_log else "ro&immutable=1"


def _is_write_protected(path: Any) -> bool:
    return not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _begin(connection: Connection) -> None:
    """Writers queue up at once: one that read first might find that it may not write any more."""
    how = connection.get_execution_options()
    _wait_at_most(connection, how.get("assay_patience", PATIENCE))
    if not how.get("assay_alone"):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if how.get("assay_writes") else "BEGIN")


def _wait_at_most(connection: Connection, patience: float) -> None:
    """How long SQLite itself waits for a lock. A connection is used again, so it remembers what it was told last."""
    if connection.info.get("patience", PATIENCE) != patience:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        connection.info["patience"] = patience


def _lock_timeout(connection: Connection) -> None:
    """The same for PostgreSQL, for one transaction; those that may wait for long wait as the server is set up."""
    patience = connection.get_execution_options().get("assay_patience", PATIENCE)
    if patience < PATIENCE:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, int(patience * 1000))}")


def _postgres_engine(place: StoreLocation) -> Engine:
    if find_spec("psycopg") is None:
        raise StoreError(f"a store in PostgreSQL needs the package psycopg: {INSTALL}")
    try:
        engine = create_engine(place.url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    except (ArgumentError, ValueError):
        raise BadParameter(f"a store is {FORMS}; this URL cannot be read: {place}") from None
    event.listen(engine, "begin", _lock_timeout)
    return engine
