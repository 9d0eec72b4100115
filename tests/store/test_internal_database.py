"""The database: how long a writer waits for others, steps from layout to layout, and payloads under their own digest."""

from __future__ import annotations

import sqlite3
import time

import pytest
from sqlalchemy import text

from assay.errors import StoreError
from assay.store import Judgment, Store, migrations, parse_location
from assay.store import database as database_module
from assay.store.database import MAX_WAIT, Database

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
    with pytest.raises(StoreError):
        database.write(told, max_wait=0.05)
    other.execute("ROLLBACK")
    assert database.write(told, max_wait=0.05) == 50
    assert database.write(told) == MAX_WAIT * 1000
    assert database.read(told) == MAX_WAIT * 1000
    database.close()


def test_a_book_for_somebody_who_waits(locked):
    """Whoever ignores the little patience waits for a minute each time."""
    path, other = locked
    began = time.monotonic()
    with Store.open(path) as store:
        given = Judgment("small", "q", "d", "Ana", 1)
        book = store.judgments.within(0.05)
        for write in (book.give, book.withdraw, lambda one: book.give_all([one]), lambda one: book.take_over([one])):
            with pytest.raises(StoreError):
                write(given)
        other.execute("ROLLBACK")
        assert book.give(given).grade == 1.0
    assert time.monotonic() - began < MAX_WAIT / 2


def with_steps(monkeypatch, *steps):
    """An assay that knows more layouts."""
    known = (*migrations.MIGRATIONS, *steps)
    monkeypatch.setattr(migrations, "MIGRATIONS", known)
    monkeypatch.setattr(database_module, "MIGRATIONS", known)


def add_owner(connection):
    connection.execute(text("ALTER TABLE assay_evaluations ADD COLUMN owner TEXT"))
    connection.execute(text("UPDATE assay_evaluations SET owner = 'nobody'"))


def break_down(connection):
    connection.execute(text("UPDATE assay_evaluations SET id = 'broken'"))
    raise OSError("no")


def test_a_step_that_fails_changes_nothing(url, monkeypatch):
    with Store.open(url) as store:
        name = store.save([result_of(1)])
    with monkeypatch.context() as newer:
        with_steps(newer, add_owner, break_down)
        with pytest.raises(StoreError):
            Store.open(url)
    with Store.open(url) as store:
        assert store.latest().id == name
        assert store.check().faults == ()


def test_a_newer_store_is_refused_and_left_alone(url, monkeypatch):
    with monkeypatch.context() as newer:
        with_steps(newer, add_owner)
        with Store.open(url) as store:
            store.save([result_of(1)])
    for create in (True, False):
        with pytest.raises(StoreError, match="its layout is 11, this assay knows up to 10"):
            Store.open(url, create=create)
    with_steps(monkeypatch, add_owner)
    with Store.open(url) as store:
        assert store.count() == 1
