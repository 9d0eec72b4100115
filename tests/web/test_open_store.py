"""The open store: a file that is replaced or taken away while it is served."""

from __future__ import annotations

import sqlite3

import pytest
from _clients import client_of, main_of
from _stores import result_of

from assay.store import Store


def made(path, *seeds):
    with Store.open(path) as store:
        for seed in seeds:
            store.save([result_of(seed, night=seed, n_queries=5)])
    return path


def grade(client):
    sent = {"benchmark": "things", "query": "q000", "document": "x1", "judge": "Ana", "grade": 1}
    result = client.get("/api/v1/results").json()["results"][0]
    query = client.get(f"/api/v1/results/{result['key']}/query", params={"id": "q000"}).json()
    return client.post("/api/v1/judgments", json={**sent, "document": query["ranking"][0]["document"]})


@pytest.mark.parametrize("written_before", [False, True])
def test_another_file_in_its_place_is_read_and_stays_sound(tmp_path, written_before):
    path, new = made(tmp_path / "v.db", 1), made(tmp_path / "new.db", 2, 3)
    client = client_of(path)
    assert "1 result in" in main_of(client.get("/").text)
    if written_before:
        assert grade(client).status_code == 201
        client.get("/")
    new.replace(path)
    assert "2 results in" in main_of(client.get("/").text)
    assert grade(client).status_code == 201
    with sqlite3.connect(path) as plain:
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Store.open(path) as store:
        assert len(store.judgments.find()) == 1


def test_the_first_request_after_it_may_be_a_grade(tmp_path):
    path, new = made(tmp_path / "v.db", 1), made(tmp_path / "new.db", 1)
    client = client_of(path)
    client.get("/")
    new.replace(path)
    assert grade(client).status_code == 201
    with Store.open(path) as store:
        assert len(store.judgments.find()) == 1


def test_a_file_that_is_gone_keeps_nothing_and_says_so(tmp_path):
    path = made(tmp_path / "v.db", 1)
    client = client_of(path)
    client.get("/")
    sent = {"benchmark": "things", "query": "q000", "document": "x1", "judge": "Ana", "grade": 1}
    for file in tmp_path.glob("v.db*"):
        file.unlink()
    for answer in (client.get("/"), client.get("/compare"), client.post("/api/v1/judgments", json=sent)):
        assert answer.status_code == 503
        assert "moved or deleted while it was served" in answer.text
    assert not path.exists()


def test_a_file_that_was_moved_with_its_log_makes_room_for_a_new_one(tmp_path):
    path = made(tmp_path / "v.db", 1)
    client = client_of(path)
    client.get("/")
    for file in list(tmp_path.glob("v.db*")):
        file.rename(file.with_name(file.name.replace("v.db", "x.db")))
    made(path, 2, 3, 4)
    assert "3 results in" in main_of(client.get("/").text)
    assert grade(client).status_code == 201
    with Store.open(path) as store:
        assert (store.count(), len(store.judgments.find())) == (3, 1)
