"""What only a server can do wrong: it refuses the password, goes away, or serves others too."""

import itertools
import sys
import threading
from urllib.parse import urlsplit

import pytest
from tests._variants import for_each

from assay.errors import StoreError
from assay.store import Store

from ._proxy import proxy_before
from ._results import execute, result_of

slow = pytest.mark.slow


@slow
def test_a_wrong_password_is_told_but_not_shown(server):
    wrong = server.replace("s3cret", "wr0ng")
    with pytest.raises(StoreError, match=r"postgresql://tester:\*\*\*@") as told:
        Store.open(wrong)
    assert "wr0ng" not in str(told.value)


@slow
def test_a_connection_that_was_cut_is_made_anew_and_tables_of_others_are_left_alone(postgres):
    execute(postgres, "CREATE TABLE users (name text)")
    others = "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with Store.open(postgres) as store:
        store.save([result_of(1)])
        execute(postgres, f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity {others}")
        store.save([result_of(2)])
        assert store.count() == 2
    names = {name for (name,) in execute(postgres, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
    assert {name for name in names if not name.startswith("assay_")} == {"users"}


@pytest.fixture
def proxied(postgres):
    """A proxy, and a store behind it that has one evaluation."""
    port = urlsplit(postgres).port
    with proxy_before(port) as proxy, Store.open(postgres.replace(f":{port}/", f":{proxy.port}/")) as store:
        store.save([result_of(1)])
        yield proxy, store


@slow
@for_each("word, hears", itertools.product([b"INSERT INTO assay_results", b"COMMIT"], [False, True]))
def test_a_cut_while_it_is_saved_neither_loses_nor_doubles_it(proxied, word, hears):
    proxy, store = proxied
    proxy.arm(word, hears=hears)
    before = store.count()
    name = store.save([result_of(before + 1)])
    assert proxy.n_cut == 1
    assert store.count() == before + 1
    assert store.latest().id == name
    assert store.check().faults == ()


@slow
@for_each("hears", [False, True])
def test_a_cut_while_it_is_committed_is_found_out_about(proxied, hears):
    """Deleting, blessing, taking back, noting: done once, whether the server had heard it or not."""
    proxy, store = proxied
    proxy.arm(b"")
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


@slow
def test_a_connection_that_is_cut_again_and_again_is_an_error_of_the_store(proxied):
    proxy, store = proxied
    proxy.arm(b"INSERT INTO assay_results", times=100)
    with pytest.raises(StoreError) as told:
        store.save([result_of(2)])
    assert (proxy.n_cut, told.value.exit_code) == (2, 6)
    proxy.arm(b"")
    assert store.count() == 1


def test_without_the_package_one_line_says_what_to_install(monkeypatch, snapshots):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    snapshots.check_errors("store/postgres", {"no package": lambda: Store.open("postgresql://host/db")})


@slow
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
