"""What only a server can do wrong: it refuses the password, goes away, or serves others too."""

import builtins
import importlib.util
import itertools
import threading
from urllib.parse import urlsplit

import pytest

from assay.errors import BadParameter, StoreError
from assay.store import Store
from assay.store import database as database_module

from ._proxy import proxy_before
from ._results import result_of


def test_a_wrong_password_is_told_but_not_shown(server):
    wrong = server.replace("s3cret", "wr0ng")
    with pytest.raises(
        StoreError, match=r"postgresql://tester:\*\*\*@127\.0\.0\.1:\d+/postgres: .*password authentication failed"
    ) as told:
        Store.open(wrong)
    assert "wr0ng" not in str(told.value)


def test_a_database_that_is_not_there_is_told(server):
    with pytest.raises(StoreError, match=r"/nowhere: .*does not exist"):
        Store.open(server.replace("/postgres", "/nowhere"))


def test_a_connection_that_was_cut_is_made_anew(postgres):
    import psycopg

    with Store.open(postgres) as store:
        store.save([result_of(1)])
        with psycopg.connect(postgres, autocommit=True) as other:
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        store.save([result_of(2)])
        assert store.count() == 2


def test_a_transaction_that_is_cut_is_done_again_from_the_beginning(postgres):
    from sqlalchemy import text

    with Store.open(postgres) as store:
        store.save([result_of(1)])
        tries = []

        def work(connection):
            tries.append(1)
            connection.execute(text("INSERT INTO assay_tags SELECT number, 'x' FROM assay_evaluations"))
            if len(tries) == 1:
                connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))

        store._database.write(work)
        assert len(tries) == 2
        assert store.latest().tags == ("x",)


@pytest.fixture
def proxied(postgres):
    """A proxy, and a store behind it that has one evaluation."""
    port = urlsplit(postgres).port
    with proxy_before(port) as proxy, Store.open(postgres.replace(f":{port}/", f":{proxy.port}/")) as store:
        store.save([result_of(1)])
        yield proxy, store


@pytest.mark.parametrize("hears", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("word", [b"INSERT INTO assay_results", b"COMMIT"])
def test_a_cut_while_it_is_saved_neither_loses_nor_doubles_it(proxied, word, hears):
    proxy, store = proxied
    proxy.arm(word, hears=hears)
    name = store.save([result_of(2)])
    assert proxy.n_cut == 1
    assert store.count() == 2
    assert store.latest().id == name
    assert store.check().faults == ()


@pytest.mark.parametrize("hears", [False, True], ids=["before", "after"])
def test_a_cut_while_it_is_committed_is_found_out_about(proxied, hears):
    """Deleting, blessing, taking back, noting: done once, whether the server had heard it or not."""
    proxy, store = proxied
    name = store.save([result_of(2)])
    proxy.arm(b"COMMIT", hears=hears)
    assert store.bless(name, "main").evaluation == name
    proxy.arm(b"COMMIT", hears=hears)
    store.note(name, "once")
    assert [note.text for note in store.find(name).notes] == ["once"]
    proxy.arm(b"COMMIT", hears=hears)
    assert store.unbless("main") == name
    proxy.arm(b"COMMIT", hears=hears)
    assert store.delete(name) == [name]
    assert (proxy.n_cut, store.count(), store.baselines()) == (1, 1, {})


def test_a_connection_that_is_cut_again_and_again_is_an_error_of_the_store(proxied):
    proxy, store = proxied
    proxy.arm(b"INSERT INTO assay_results", times=100)
    with pytest.raises(StoreError, match=r"/store_\w+: the database cannot be reached: ") as told:
        store.save([result_of(2)])
    assert (proxy.n_cut, told.value.exit_code) == (2, 6)
    proxy.arm(b"")
    assert store.count() == 1


def test_tables_of_others_are_left_alone(postgres):
    import psycopg

    with psycopg.connect(postgres, autocommit=True) as other:
        other.execute("CREATE TABLE users (name text)")
        with Store.open(postgres) as store:
            store.save([result_of(1)])
        names = {row[0] for row in other.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    assert {name for name in names if not name.startswith("assay_")} == {"users"}


def test_without_the_package_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(database_module, "find_spec", lambda name: None)
    with pytest.raises(
        StoreError, match=r"^a store in PostgreSQL needs the package psycopg: pip install 'assay\[postgres\]'$"
    ):
        Store.open("postgresql://host/db")
    assert importlib.util.find_spec is not builtins  # the real one is untouched


def test_a_url_that_cannot_be_read_is_told_without_its_password():
    with pytest.raises(BadParameter, match="this URL cannot be read") as told:
        Store.open("postgresql://me:s3cret@host:port/db")
    assert "s3cret" not in str(told.value)


@pytest.mark.slow
def test_readers_see_one_state_while_others_write(postgres):
    """Whatever is saved and deleted meanwhile: a check finds no fault, and a list has every figure."""
    stop = threading.Event()
    told = []

    def write(first):
        with Store.open(postgres) as store:
            for number in itertools.count(first):
                if stop.is_set():
                    return
                store.delete(store.save([result_of(number)]))

    with Store.open(postgres) as store:
        for number in range(10):
            store.save([result_of(number)])
        writers = [threading.Thread(target=write, args=(1000 * number,)) for number in (1, 2)]
        for writer in writers:
            writer.start()
        try:
            for _ in range(25):
                told += store.check().faults
                told += [entry for entry in store.list() if not entry.figures]
                assert store.latest().results[0].query_ids
        finally:
            stop.set()
            for writer in writers:
                writer.join()
    assert told == []


def test_reading_is_one_transaction_that_changes_nothing(postgres):
    from sqlalchemy import text

    with Store.open(postgres) as store:
        settings = ("transaction_isolation", "transaction_read_only")
        how = store._database.read(lambda one: [one.execute(text(f"SHOW {name}")).scalar() for name in settings])
        assert how == ["repeatable read", "on"]
        store.save([result_of(1)])  # the next one may write
