"""Notes and tags of a query: added and removed on its page, shown in every result on the benchmark."""

import re
from html import unescape

import pytest

from assay.store import QueryNote

from ._clients import client_of, csrf_of, told, words_of


@pytest.fixture
def client(fresh):
    return client_of(fresh)


@pytest.fixture
def address(fresh):
    return f"/result/{fresh.id_of('latest')}/0/query?id=q000"


def box_of(client, address):
    html = client.get(address).text
    return re.search(r'<div class="query-notes".*?</div>', html, re.DOTALL)[0]


def sent(client, address, **fields):
    box = box_of(client, address)
    hidden = re.findall(r'type="hidden" name="(result|query|next|anchor)" value="([^"]*)"', box)
    return {"csrf": csrf_of(box), **{name: unescape(value) for name, value in hidden}, "judge": "Ana", **fields}


def test_a_note_and_a_tag_come_and_go(fresh, client, address):
    answer = client.post("/query-note", data=sent(client, address, kind="note", text=" two\nmeanings <b>"))
    assert (answer.status_code, answer.headers["location"]) == (303, f"{address}&noted=1#notes")
    assert "1 note saved." in words_of(client.get(f"{address}&noted=1").text)
    client.post("/query-note", data=sent(client, address, kind="tag", text="ambiguous", judge=""))
    assert [note[1:5] for note in fresh.query_notes.find()] == [
        ("q000", "two meanings <b>", "Ana", "note"),
        ("q000", "ambiguous", "Ana", "tag"),
    ]
    box = box_of(client, address)
    assert "two meanings &lt;b&gt;" in box
    assert '<span class="tag">ambiguous</span>' in box
    answer = client.post("/query-note", data=sent(client, address, kind="tag", text="ambiguous", remove="1"))
    assert answer.headers["location"] == f"{address}&unnoted=1#notes"
    assert [note.kind for note in fresh.query_notes.find()] == ["note"]


def test_the_form_returns_to_the_page_that_it_was_on(client, address):
    fields = sent(client, address, kind="tag", text="hard", next="/compare?r=a/0&r=b/0&noted=3", anchor="notes-q000")
    assert client.post("/query-note", data=fields).headers["location"] == "/compare?r=a%2F0&r=b%2F0&noted=1#notes-q000"
    fields["next"] = "//evil.example"
    assert client.post("/query-note", data=fields).headers["location"].startswith("/result/")


def test_what_is_refused(fresh, client, address, snapshots):
    changes = {
        "a tag of two words": {"kind": "tag", "text": "two words"},
        "no text": {"text": " "},
        "another kind": {"kind": "wish", "text": "x"},
        "a query that is not there": {"query": "never asked", "text": "x"},
        "a result that is not there": {"result": "nothing/0", "text": "x"},
        "a wrong word of the form": {"csrf": "wrong", "text": "x"},
    }
    answers = {name: client.post("/query-note", data=sent(client, address, **change)) for name, change in changes.items()}
    answers["reading it"] = client.get("/query-note")
    snapshots.check("web/query_notes", told(answers, {f"{fresh.id_of('latest')}/0": "<key>"}))
    assert fresh.query_notes.find() == []


def test_other_results_on_the_benchmark_show_them(fresh, client, address):
    fresh.query_notes.add(QueryNote("things", "q000", "seen everywhere", "Ben"))
    assert "seen everywhere" in box_of(client, address)
    assert "seen everywhere" not in box_of(client, address.replace("q000", "q001"))
