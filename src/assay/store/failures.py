"""Failures: what a database says when something is wrong, in words that help; and which of them pass by themselves."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from assay.errors import StoreError
from assay.store.place import StoreLocation
from assay.store.rows import Damage

BUSY, LOCKED = 5, 6
COLLISIONS = 10
"""How often a writer may find that another was quicker with the same thing."""
NO_LOCK = "55P03"
"""PostgreSQL: lock not available."""
PASSING = {"40001", "40P01", NO_LOCK, "57P03", "53300"}
"""PostgreSQL: serialization, deadlock, lock not available, starting up, too many connections."""
LOST = {"57P01", "57P02", "08000", "08003", "08006"}
"""PostgreSQL: the server went away in between."""
SAFE = "what was there is still there, what was being saved is not"
OTHERS = "others have been writing to it all the time; nothing was saved, try again"
READ_ONLY = "it is read-only"
DAMAGED = "the file is damaged; put a copy in its place, or import an export into a new store"
MEANING = {
    8: f"{READ_ONLY}; {SAFE}",
    10: f"the disk refuses to read or write it (is it full, or is there a limit on the size of files?); {SAFE}",
    11: DAMAGED,
    13: f"there is no space left on the disk; {SAFE}",
    14: "the file cannot be opened; does its folder exist, and may you read and write there?",
    26: "this is no assay store, but some other file; name another one with --store or ASSAY_STORE",
}
"""SQLite's result code → what that means here."""


def is_passing(error: BaseException, tried: int = 0) -> bool:
    """Whether the same work may well succeed if it is done once more, from the beginning."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error) and _code(cause) in (BUSY, LOCKED):
        return True
    if isinstance(error, IntegrityError):  # two writers with the same new thing: the second finds it there next time
        return tried < COLLISIONS
    return _state(error) in PASSING


def is_lost(error: BaseException) -> bool:
    """Whether the connection to a server was cut. Work that was done all the same is found done when it is tried again."""
    return isinstance(error, DBAPIError) and (_state(error) in LOST or error.connection_invalidated)


def describe_database_error(error: BaseException, place: StoreLocation) -> StoreError:
    """The error as a person needs it: where, what is wrong, what to do. The original is not shown, it may hold a URL."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(cause, Damage):
        return StoreError(f"{place}: {cause}; {DAMAGED}")
    if isinstance(cause, UnicodeDecodeError):
        return StoreError(f"{place}: {DAMAGED}")
    if isinstance(cause, sqlite3.Error):
        code = _code(cause)
        if code in (BUSY, LOCKED):
            return StoreError(f"{place}: {OTHERS}")
        return StoreError(f"{place}: {MEANING.get(code, f'the database says: {cause}')}")
    if isinstance(cause, OSError):
        return StoreError(f"{place}: {cause.strerror or cause}")
    if _state(error) == NO_LOCK:
        return StoreError(f"{place}: {OTHERS}")
    said = " ".join(str(cause).split()) or type(cause).__name__
    if isinstance(error, OperationalError) and _state(error) is None:
        return StoreError(f"{place}: the database cannot be reached: {said}")
    return StoreError(f"{place}: the database says: {said}")


def _code(error: sqlite3.Error) -> int:
    """SQLite's result code, without its details."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _state(error: BaseException) -> str | None:
    """PostgreSQL's five letters; None where the server said nothing."""
    state: str | None = getattr(getattr(error, "orig", None), "sqlstate", None)
    return state


FAILURES = (SQLAlchemyError, sqlite3.Error, OSError, UnicodeDecodeError, Damage)
"""What a database may raise."""
