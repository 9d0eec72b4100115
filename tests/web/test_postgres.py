"""The pages over a real PostgreSQL: they show what is stored, and see every change at once."""

import os

import pytest
from tests.store._postgres import find_programs, running_server

from assay.store import Store

from ._clients import client_of, main_of
from ._stores import result_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url():
    pytest.importorskip("psycopg")
    if (programs := find_programs()) is None:
        if "all" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
            pytest.fail("ASSAY_TEST_REQUIRE=all, but PostgreSQL is missing")
        pytest.skip("needs PostgreSQL: initdb and pg_ctl are not installed (Debian: apt-get install postgresql)")
    with running_server(programs) as found:
        yield found


def test_every_change_is_seen(url):
    with Store.open(url) as store:
        first = store.save([result_of(1)])
        client = client_of(store)
        assert "1 result in" in main_of(client.get("/results").text)
        store.save([result_of(2, provider="dense", night=1)])
        assert "2 results in" in main_of(client.get("/results").text)
        seen = [store.state()]
        for change in (
            lambda: store.tag(first, "a", "z"),
            lambda: (store.tag(first, "a", remove=True), store.tag(first, "b")),
            lambda: store.note(first, "words"),
            lambda: store.bless(first, "main"),
            lambda: store.bless("latest", "main"),
            lambda: store.unbless("main"),
            lambda: store.delete(first),
        ):
            change()
            seen.append(store.state())
        assert len(set(seen)) == len(seen)
        assert store.state() == seen[-1]
        assert "s3cret" not in client.get("/").text


def test_a_table_that_others_keep_locked_is_told_soon(url, monkeypatch):
    import psycopg

    from assay.web import state

    monkeypatch.setattr(state, "LOCK_TIMEOUT", 0.2)
    with Store.open(url) as store:
        store.save([result_of(3)])
        client = client_of(store)
        known = next(iter(store.latest().results[0].run["q000"]))
        sent = {"benchmark": "things", "query": "q000", "document": known, "judge": "Ana", "grade": 1}
        with psycopg.connect(store.place.url.replace("postgresql+psycopg", "postgresql", 1)) as other:
            other.execute("LOCK TABLE assay_judgments IN EXCLUSIVE MODE")
            answer = client.post("/api/v1/judgments", json=sent)
            assert answer.status_code == 503
            assert "other processes are writing to the store all the time" in answer.json()["error"]["message"]
            other.rollback()
        assert client.post("/api/v1/judgments", json=sent).status_code == 201
