"""Switch: results by words."""

from __future__ import annotations

from _clients import client_of


def test_words_find_results(client):
    found = client.get("/switch", params={"words": "hybrid THINGS"}).json()
    assert [one["label"] for one in found] == ["hybrid"]
    assert client.get(found[0]["url"]).status_code == 200
    assert len(client.get("/switch").json()) == 30
    assert client.get("/switch?words=nothing-like-it").json() == []


def test_text_is_short_and_without_control_characters(hostile):
    found = client_of(hostile).get("/switch").json()
    assert all(one["label"].isprintable() and len(one["label"]) <= 120 for one in found)
