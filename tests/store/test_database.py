"""The database: how long a writer waits for others, and that waiting once is not waiting for ever after."""

from __future__ import annotations

import sqlite3

import pytest

from assay.errors import StoreError
from assay.store import Store
from assay.store import database as database_module
from assay.store.database import MAX_WAIT, Database
from assay.store.judgments import Judgment
from assay.store.location import parse_location

from ._results import result_of


@pytest.fixture
def locked(tmp_path):
    """A store that another program keeps locked, and that program."""
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        store.save([result_of(1)])
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield path, other
    other.close()


def told(connection):
    return connection.exec_driver_sql("PRAGMA busy_timeout").scalar()


def test_a_writer_with_little_patience_gives_up(locked):
    path, other = locked
    database = Database(parse_location(path))
    with pytest.raises(StoreError, match="others have been writing to it all the time"):
        database.write(told, max_wait=0.05)
    other.execute("ROLLBACK")
    assert database.write(told, max_wait=0.05) == 50
    assert database.write(told) == MAX_WAIT * 1000
    assert database.read(told) == MAX_WAIT * 1000
    database.close()


def test_what_one_writer_was_told_is_not_told_to_the_next(tmp_path):
    """Connections are used again: whoever comes next waits as long as they themselves may."""
    with Store.open(tmp_path / "store.db") as store:
        database = Database(store.place)
        seen = [database.write(told, max_wait=patience) for patience in (5, 0.5, 60, 5)]
        assert seen == [5000, 500, 60_000, 5000]
        assert database.read(told) == MAX_WAIT * 1000
        database.close()


def test_a_book_for_somebody_who_waits(locked, monkeypatch):
    path, other = locked
    asked = []
    real = database_module.Database._attempt
    monkeypatch.setattr(
        database_module.Database,
        "_attempt",
        lambda self, work, max_wait=MAX_WAIT, **how: asked.append(max_wait) or real(self, work, max_wait, **how),
    )
    with Store.open(path) as store:
        given = Judgment(store.latest().results[0].benchmark, "q", "d", "Ana", 1)
        book = store.judgments.within(0.05)
        for write in (book.give, book.withdraw, lambda one: book.give_all([one]), lambda one: book.take_over([one])):
            asked.clear()
            with pytest.raises(StoreError, match="nothing was saved, try again"):
                write(given)
            assert asked == [0.05]
        other.execute("ROLLBACK")
        assert book.give(given).grade == 1.0
        store.judgments.withdraw(given)
        assert asked[-1] == MAX_WAIT


def test_the_state_changes_with_the_store(tmp_path):
    with Store.open(tmp_path / "store.db") as store:
        seen = [store.state()]
        name = store.save([result_of(1)])
        seen.append(store.state())
        store.tag(name, "a")
        seen.append(store.state())
        assert len(set(seen)) == 3
        assert store.state() == seen[-1]
