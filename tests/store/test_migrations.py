"""Older stores become new ones with nothing lost; newer ones are left alone."""

import json
import sqlite3

import pytest
from sqlalchemy import text
from tests._results import differences, saved_and_read

from assay.errors import StoreError
from assay.store import Store, migrations
from assay.store import database as database_module
from assay.store.packing import unpack_texts

from ._results import result_of


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


def test_a_store_made_before_there_were_tables(tmp_path):
    """Layout 0: the table of layouts alone, as the first step finds it."""
    path = tmp_path / "old.db"
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE assay_schema (version INTEGER PRIMARY KEY, migrated TEXT NOT NULL, assay TEXT NOT NULL)"
        )
        connection.execute("INSERT INTO assay_schema VALUES (0, '2025-01-01', '0.0.1')")
    connection.close()
    with Store.open(path) as store:
        store.save([result_of(1)])
        assert store.check().faults == ()
    with sqlite3.connect(path) as connection:
        assert [row[0] for row in connection.execute("SELECT version FROM assay_schema ORDER BY version")] == [0, 1, 2, 3, 4]
    connection.close()


def test_an_older_store_is_migrated_with_all_it_holds(url, monkeypatch):
    with Store.open(url) as store:
        name = store.save([result_of(1)])
        store.bless("latest", "main")
    with_steps(monkeypatch, add_owner)
    for _ in range(2):  # the second time there is nothing to do
        with Store.open(url, create=False) as store:
            assert store.id_of("main") == name
            assert differences(store.find(name).results[0], saved_and_read(result_of(1))) == {}
            owners = store._database.read(
                lambda one: one.execute(text("SELECT owner FROM assay_evaluations")).scalars().all()
            )
            assert owners == ["nobody"]
            assert store.check().faults == ()


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
        with pytest.raises(
            StoreError,
            match=r"a newer assay wrote this store \(its layout is 5, this assay knows up to 4\); install that one",
        ):
            Store.open(url, create=create)
    with_steps(monkeypatch, add_owner)
    with Store.open(url) as store:
        assert store.count() == 1


def as_first_layout(store):
    """What the first assay left: results without the columns of the second."""

    def work(connection):
        for column in ("comparable", "blessed"):
            connection.execute(text(f"ALTER TABLE assay_results DROP COLUMN {column}"))
        connection.execute(text("DELETE FROM assay_schema WHERE version > 1"))

    store._database.write(work)


def test_the_second_layout_knows_what_may_be_compared_and_what_was_a_baseline(url):
    with Store.open(url) as store:
        store.save([result_of(1), result_of(2, provider="dense")])
        store.bless("latest#dense", "main")
        store.save([result_of(3)])
        before = store.history("mrr")
        as_first_layout(store)
    with Store.open(url) as store:
        assert store.history("mrr") == before
        assert [point.provider for point in before if point.was_baseline] == ["dense"]
        assert store.check().faults == ()


def test_a_damaged_record_does_not_stop_the_migration(sqlite):
    with Store.open(sqlite) as store:
        store.save([result_of(1)])
        store._database.write(lambda one: one.execute(text("UPDATE assay_results SET record = zeroblob(9)")))
        as_first_layout(store)
    with Store.open(sqlite) as store:
        assert not store.check().is_sound
        store.save([result_of(2)])


def test_an_old_store_that_may_not_be_changed_says_what_to_do(sqlite):
    with Store.open(sqlite) as store:
        store.save([result_of(1)])
        as_first_layout(store)
    with pytest.raises(StoreError, match="it is read-only, and of an older assay; open it once where it may be changed"):
        Store.open(f"{sqlite}?mode=ro")


def test_the_fourth_layout_knows_an_evaluation_that_is_saved_twice(url):
    """Older ones stay, though nobody knows whether they are the same."""
    old, new = (result_of(1, started=f"2026-11-15T0{hour}:00:00+00:00") for hour in (1, 2))

    def as_third_layout(connection):
        connection.execute(text("DROP INDEX assay_evaluations_identity"))
        connection.execute(text("ALTER TABLE assay_evaluations DROP COLUMN identity"))
        connection.execute(text("DELETE FROM assay_schema WHERE version > 3"))

    with Store.open(url) as store:
        kept = [store.save(one.with_fields(provenance={**one.provenance, "evaluation": "a"})) for one in (old, old)]
        store._database.write(as_third_layout)
    with Store.open(url) as store:
        again = [store.save(one.with_fields(provenance={**one.provenance, "evaluation": "b"})) for one in (old, new)]
        assert len({*kept, *again}) == 2
        assert store.count() == 2
        assert store.check().faults == ()


def test_texts_of_the_first_stores_are_still_read():
    assert unpack_texts(json.dumps(["a", "\ud800", "病"]).encode()) == ["a", "\ud800", "病"]
