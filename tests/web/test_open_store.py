"""The open store: a file that is replaced or taken away while it is served."""

import sqlite3
from contextlib import closing

import pytest

from assay.store import Store

from ._clients import client_of, keys_of, told
from ._stores import result_of, saved

SENT = {"benchmark": "things", "query": "q000", "document": "x1", "judge": "Ana", "grade": 1}


def made(path, *seeds):
    return saved(path, *([result_of(seed, night=seed, n_queries=5)] for seed in seeds))


def n_listed(client):
    return len(keys_of(client.get("/results").text))


def grade(client):
    result = client.get("/api/v1/results").json()["results"][0]
    query = client.get(f"/api/v1/results/{result['key']}/query", params={"id": "q000"}).json()
    return client.post("/api/v1/judgments", json={**SENT, "document": query["ranking"][0]["document"]})


@pytest.mark.parametrize("first", ["a look", "a grade", "nothing"])
def test_another_file_in_its_place_is_read_and_stays_sound(tmp_path, first):
    """The first request after it may be a grade."""
    path, new = made(tmp_path / "v.db", 1), made(tmp_path / "new.db", 1, 3)
    client = client_of(path)
    assert n_listed(client) == 1
    if first == "a grade":
        assert grade(client).status_code == 201
    new.replace(path)
    if first == "a look":
        assert n_listed(client) == 2
    assert grade(client).status_code == 201
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Store.open(path) as store:
        assert len(store.judgments.find()) == 1


def test_a_file_that_is_gone_keeps_nothing_and_says_so(tmp_path, snapshots):
    path = made(tmp_path / "v.db", 1)
    client = client_of(path)
    client.get("/")
    for file in tmp_path.glob("v.db*"):
        file.unlink()
    answers = {path: client.get(path) for path in ("/", "/compare")}
    answers["a grade"] = client.post("/api/v1/judgments", json=SENT)
    snapshots.check("web/store_gone", told(answers, {str(tmp_path): "<tmp>"}))
    assert not path.exists()


def test_a_file_that_was_moved_with_its_log_makes_room_for_a_new_one(tmp_path):
    path = made(tmp_path / "v.db", 1)
    client = client_of(path)
    client.get("/")
    for file in list(tmp_path.glob("v.db*")):
        file.rename(file.with_name(file.name.replace("v.db", "x.db")))
    made(path, 2, 3, 4)
    assert n_listed(client) == 3
    assert grade(client).status_code == 201
    with Store.open(path) as store:
        assert (store.count(), len(store.judgments.find())) == (3, 1)
