"""What pages share: it is looked up again as soon as the store changes."""

from __future__ import annotations

from _clients import client_of, main_of
from _stores import result_of, usual_store

from assay.store import Store


def test_a_new_result_is_seen_at_once(tmp_path):
    path = usual_store(tmp_path / "s.db", nights=1)
    client = client_of(path)
    assert "4 results" in main_of(client.get("/").text)
    with Store.open(path) as store:
        store.save([result_of(99, provider="new", night=60)])
    assert "5 results" in main_of(client.get("/").text)
    with Store.open(path) as store:
        store.tag("latest", "shiny")
    assert "shiny" in main_of(client.get("/").text)


def test_a_browser_is_told_that_nothing_changed(client):
    answer = client.get("/")
    again = client.get("/", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
