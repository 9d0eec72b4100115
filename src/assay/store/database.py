"""Database: transactions that are retried if other writers interfere; and clear messages for its errors."""

from __future__ import annotations

import os
import random
import sqlite3
import time
import weakref
from collections.abc import Callable, Hashable
from importlib.util import find_spec
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from assay.errors import BadParameter, StoreError
from assay.store.location import INSTALL_POSTGRES, LOCATION_FORMS, StoreLocation
from assay.store.migrations import MIGRATIONS, check_known_layout, migrate, version_of
from assay.store.rows import Damage
from assay.store.schema import METADATA

T = TypeVar("T")
MAX_WAIT = 60.0
"""The longest time in seconds that a writer waits for others."""
MAX_ATTEMPTS = 100
MAX_RECONNECTS = 1
"""How often work is repeated after a lost connection."""
PRAGMAS = (f"busy_timeout = {int(MAX_WAIT * 1000)}", "foreign_keys = ON", "synchronous = FULL")


class Database:
    """The database at a location. Reading sees one state of it; writing is one transaction."""

    def __init__(self, place: StoreLocation) -> None:
        self.place = place
        self.engine = _sqlite_engine(place) if place.path is not None else _postgres_engine(place)
        weakref.finalize(self, self.engine.dispose)  # connections of a store that nobody closed

    def prepare(self, *, create: bool) -> None:
        """Create or migrate the tables if needed; a missing store is an error, unless `create` is set."""
        version = self.read(version_of) if self.place.exists else 0
        if not version and not create:
            check_known_layout(version, self.place)
            raise StoreError(
                f"there is no store at {self.place} yet. assay eval creates one; --store or ASSAY_STORE names another"
            )
        check_known_layout(version, self.place)
        if version != len(MIGRATIONS):
            self._check_may_migrate()
            self.place.make_room()
            if self.place.path is not None:
                self.execute_outside_transaction(
                    "PRAGMA journal_mode = WAL"
                )  # readers and a writer do not wait for each other; the setting is stored in the file
            self.write(lambda connection: migrate(connection, self.place))

    def read(self, work: Callable[[Connection], T]) -> T:
        """Do read-only work. It sees one state of the database, even if others write in the meantime."""
        is_sqlite = self.engine.dialect.name == "sqlite"  # where every reading transaction sees one state
        options: dict[str, Any] = {} if is_sqlite else {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        return self._attempt(work, **options)

    def write(self, work: Callable[[Connection], T], max_wait: float = MAX_WAIT) -> T:
        """Do work in one transaction. It may be repeated, so it must start from the beginning each time.

        If the connection is lost during the commit, the outcome is unknown; the work is repeated and detects it. It waits
        for other writers for at most `max_wait` seconds; if a user waits for the response, choose a small number.
        """
        return self._attempt(work, max_wait, assay_writes=True, assay_max_wait=max_wait)

    def execute_outside_transaction(self, statement: str) -> None:
        """Run a statement that cannot run in a transaction, such as VACUUM."""
        is_sqlite = self.engine.dialect.name == "sqlite"
        self._attempt(
            lambda connection: connection.exec_driver_sql(statement),
            **({"assay_alone": True} if is_sqlite else {"isolation_level": "AUTOCOMMIT"}),
        )

    def _attempt(self, work: Callable[[Connection], T], max_wait: float = MAX_WAIT, **options: Any) -> T:
        until, n_lost = time.monotonic() + max_wait, 0
        for tried in range(MAX_ATTEMPTS):
            try:
                with self._connect(**options) as connection, connection.begin():
                    return work(connection)
            except FAILURES as error:
                n_lost += is_connection_lost(error)
                may_pass = n_lost <= MAX_RECONNECTS if is_connection_lost(error) else is_transient(error, tried)
                if not may_pass or tried == MAX_ATTEMPTS - 1 or time.monotonic() > until:
                    raise describe_database_error(error, self.place) from error
            time.sleep(random.uniform(0.5, 1) * min(0.005 * 2**tried, 1.0))  # noqa: S311 (not a secret)
        raise AssertionError  # the last attempt returns or raises

    def _connect(self, **options: Any) -> Connection:
        """A connection that knows the store, so that errors in rows can name it."""
        return self.engine.connect().execution_options(assay_store=str(self.place), **options)

    def _check_may_migrate(self) -> None:
        """Raise a StoreError if an old layout cannot be migrated because the store is read-only."""
        if self.place.exists and self.place.path is not None and _open_mode(self.place) != "rwc":
            raise StoreError(
                f"{self.place}: {READ_ONLY} and from an older assay. Open it once with write access to update it"
            )

    def check_writable(self) -> None:
        """Raise a StoreError if nothing can be saved, so that it is known before an evaluation."""
        if self.place.path is not None and _open_mode(self.place) != "rwc":
            raise StoreError(f"{self.place}: {READ_ONLY}. Name another one with --store or ASSAY_STORE")

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _sqlite_engine(place: StoreLocation) -> Engine:
    engine = create_engine("sqlite://", creator=lambda: _connect_sqlite(place), poolclass=QueuePool)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _connect_sqlite(place: StoreLocation) -> sqlite3.Connection:
    """A connection without implicit transactions. A write-protected file is opened for reading."""
    address = f"file:{quote(os.fsencode(place.path or ''))}?mode={_open_mode(place)}"
    connection = sqlite3.connect(address, uri=True, timeout=MAX_WAIT, isolation_level=None, check_same_thread=False)
    try:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_mode(place: StoreLocation) -> str:
    path = place.path
    if path is None or not path.exists() or not (place.is_read_only or _is_write_protected(path)):
        return "rwc"
    has_log = path.with_name(f"{path.name}-wal").exists()
    return "ro" if has_log else "ro&immutable=1"


def _is_write_protected(path: Any) -> bool:
    return not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction. A writer takes the lock at once: after reading first, it might not be able to write."""
    options = connection.get_execution_options()
    _set_busy_timeout(connection, options.get("assay_max_wait", MAX_WAIT))
    if not options.get("assay_alone"):
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("assay_writes") else "BEGIN")


def _set_busy_timeout(connection: Connection, max_wait: float) -> None:
    """Set how long SQLite itself waits for a lock. Connections are reused, so each remembers its last setting."""
    if connection.info.get("max_wait", MAX_WAIT) != max_wait:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(max_wait * 1000)}")
        connection.info["max_wait"] = max_wait


def _set_lock_timeout(connection: Connection) -> None:
    """The same for PostgreSQL, for one transaction; transactions with a long wait use the setting of the server."""
    max_wait = connection.get_execution_options().get("assay_max_wait", MAX_WAIT)
    if max_wait < MAX_WAIT:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {max(1, int(max_wait * 1000))}")


def _postgres_engine(place: StoreLocation) -> Engine:
    if find_spec("psycopg") is None:
        raise StoreError(f"a PostgreSQL store needs the package psycopg: {INSTALL_POSTGRES}")
    try:
        engine = create_engine(place.url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    except (ArgumentError, ValueError):
        raise BadParameter(f"a store must be {LOCATION_FORMS}; this URL cannot be read: {place}") from None
    event.listen(engine, "begin", _set_lock_timeout)
    return engine


# Errors of a database: what they mean, and which of them are temporary

BUSY, LOCKED = 5, 6
"""SQLite's result codes."""
MAX_COLLISIONS = 10
"""How often a writer may find that another writer has inserted the same row."""
NO_LOCK = "55P03"
"""PostgreSQL: lock not available."""
TRANSIENT_STATES = {"40001", "40P01", NO_LOCK, "57P03", "53300"}
"""PostgreSQL: serialization, deadlock, lock not available, starting up, too many connections."""
CONNECTION_LOST_STATES = {"57P01", "57P02", "08000", "08003", "08006"}
"""PostgreSQL: the connection to the server was lost."""
SAFE = "Nothing new was saved; what was in the store before is still there"
BUSY_MESSAGE = "other processes are writing to the store all the time. Nothing was saved. Try again"
READ_ONLY = "the store is read-only"
DAMAGED = "the file is damaged. Restore a backup, or import an export into a new store"
SQLITE_MESSAGES = {
    8: f"{READ_ONLY}. {SAFE}",
    10: f"the disk cannot read or write the file (it may be full, or the size of files may be limited). {SAFE}",
    11: DAMAGED,
    13: f"there is no space left on the disk. {SAFE}",
    14: "the file cannot be opened. Check that its folder exists and that you can read and write there",
    26: "this file is not an assay store. Name another one with --store or ASSAY_STORE",
}
"""SQLite's result code → what it means here."""


def is_transient(error: BaseException, tried: int = 0) -> bool:
    """Whether the same work may succeed if it is repeated from the beginning."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error) and _sqlite_code(cause) in (BUSY, LOCKED):
        return True
    if isinstance(error, IntegrityError):  # two writers with the same new row: the second finds it next time
        return tried < MAX_COLLISIONS
    return _postgres_state(error) in TRANSIENT_STATES


def is_connection_lost(error: BaseException) -> bool:
    """Whether the connection to a server was lost. If the work was done anyway, the next attempt detects it."""
    return isinstance(error, DBAPIError) and (
        _postgres_state(error) in CONNECTION_LOST_STATES or error.connection_invalidated
    )


def describe_database_error(error: BaseException, place: StoreLocation) -> StoreError:
    """The error for users: where, what is wrong, what to do. The original is not shown, because it may contain a URL."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(cause, Damage):
        return StoreError(f"{place}: {cause}; {DAMAGED}")
    if isinstance(cause, UnicodeDecodeError):
        return StoreError(f"{place}: {DAMAGED}")
    if isinstance(cause, sqlite3.Error):
        code = _sqlite_code(cause)
        if code in (BUSY, LOCKED):
            return StoreError(f"{place}: {BUSY_MESSAGE}")
        return StoreError(f"{place}: {SQLITE_MESSAGES.get(code, f'the database reports: {cause}')}")
    if isinstance(cause, OSError):
        return StoreError(f"{place}: {cause.strerror or cause}")
    if _postgres_state(error) == NO_LOCK:
        return StoreError(f"{place}: {BUSY_MESSAGE}")
    message = " ".join(str(cause).split()) or type(cause).__name__
    if isinstance(error, OperationalError) and _postgres_state(error) is None:
        return StoreError(f"{place}: the database cannot be reached: {message}")
    return StoreError(f"{place}: the database reports: {message}")


def _sqlite_code(error: sqlite3.Error) -> int:
    """SQLite's result code, without its details."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _postgres_state(error: BaseException) -> str | None:
    """PostgreSQL's error code of five characters; None if the server returned none."""
    state: str | None = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state


FAILURES = (SQLAlchemyError, sqlite3.Error, OSError, UnicodeDecodeError, Damage)
"""The errors that a database may raise."""


# State: whether a store has changed, without reading its content

DEPENDENT_TABLES = {"assay_payloads", "assay_figures", "assay_datasets"}
"""Tables that change only if another table changes."""


def state_of(database: Database) -> Hashable:
    """For a file, the times and sizes of it and its log; for a server, the last change of each listed table."""
    path = database.place.path
    if path is None:
        return _state_of_server(database)
    file_states = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            stat = file.stat()
        except FileNotFoundError:
            file_states.append((0, 0, 0))
        else:
            file_states.append((stat.st_mtime_ns, stat.st_size, stat.st_ino))
    return tuple(file_states)


def _state_of_server(database: Database) -> Hashable:
    parts = [
        f"SELECT '{name}', count(*), max(xmin::text::bigint) FROM {name}"  # noqa: S608 (names of our own tables)
        for name in METADATA.tables
        if name not in DEPENDENT_TABLES
    ]
    statement = text(" UNION ALL ".join(parts) + " ORDER BY 1")
    return database.read(lambda connection: tuple(tuple(row) for row in connection.execute(statement)))
