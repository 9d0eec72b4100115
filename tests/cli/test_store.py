"""assay store: whether it is sound, how to tidy it up, and where it is."""

import json
import sqlite3

import pytest

from assay.store import Store

from ._stored import result_of


@pytest.fixture
def kept(folder):
    with Store.open() as store:
        return store.save([result_of(1), result_of(2, provider="dense")])


def test_where_it_is_and_what_cannot_be_done(assay, folder, transcript, monkeypatch):
    transcript("store/commands")
    monkeypatch.setenv("ASSAY_STORE", "postgresql://me:s3cret@host/db")
    assert assay("store", "path").out == "postgresql://me:***@host/db\n"
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("kept")
def test_a_sound_store_and_one_that_was_changed(transcript):
    transcript("store/sound")
    for name, change in {
        "figures": "UPDATE assay_figures SET value = 0.5 WHERE metric = 'mrr'",
        "payloads": "UPDATE assay_payloads SET data = zeroblob(40)",
    }.items():
        with sqlite3.connect(".assay/assay.db") as connection:
            connection.execute(change)
        connection.close()
        transcript(f"store/damaged_{name}")


def test_tidying_up(assay, place, monkeypatch):
    """The log of what is complete goes, that of what failed stays."""
    (place / "other.yaml").write_text((place / "plan.yaml").read_text().replace(":search", ":other"))
    assert assay("eval", "plan.yaml", "--quiet").code == 0
    monkeypatch.setenv("FAIL", "q3")
    assert assay("eval", "other.yaml", "--quiet").code == 0
    plain = json.loads(assay("store", "vacuum", "-f", "json").out)
    assert (plain["logs_deleted"], plain["after"] <= plain["before"]) == (1, True)
    assert [path.name.partition("-")[2][:5] for path in (place / ".assay" / "runs").glob("*.log")] == ["other"]
    assert assay("store", "vacuum").out.startswith(".assay/assay.db is cleaned up: 0.")
    assert assay("store", "check").code == 0


def test_caches_are_listed_and_deleted(assay, place, monkeypatch):
    monkeypatch.setattr("assay.providers.index_cache.MIN_DOCUMENTS", 1)
    evaluate = ("eval", "--benchmarks", "small.json", "--metrics", "mrr", "--quiet", "--providers")
    assert assay("store", "caches").out == "there are no caches in .assay\n"
    assert assay(*evaluate, "bm25", "--no-cache").code == 0
    assert not (place / ".assay" / "indexes").exists()
    for provider in ("bm25", "bm25(k1=0.9)"):
        assert assay(*evaluate, provider).code == 0
    listed = json.loads(assay("store", "caches", "-f", "json").out)["caches"]
    assert [cache["content"].partition(" ")[0] for cache in listed] == ["answers", "index", "index"]  # the largest first
    assert all(cache["bytes"] > 0 and cache["used"].endswith("+00:00") for cache in listed)
    table = assay("store", "caches").out
    assert all(cache["cache"] in table and cache["content"] in table for cache in listed)
    assert table.splitlines()[-1].startswith("3 caches in .assay, 0.0 MB.")
    one = listed[1]["cache"]
    assert assay("store", "caches", "--clear", one).out == "deleted 1 cache in .assay, 0.0 MB\n"
    again = assay("store", "caches", "--clear", one)
    assert (again.code, one in again.err) == (2, True)
    (damaged,) = (place / ".assay" / "indexes").glob("*.index")
    damaged.write_bytes(b"x")
    assert "damaged index" in assay("store", "caches").out
    (place / ".assay" / "indexes" / "mine.txt").write_text("not a cache")
    assert assay("store", "caches", "--clear").out == "deleted 2 caches in .assay, 0.0 MB\n"
    assert [path.name for path in (place / ".assay" / "indexes").iterdir()] == ["mine.txt"]
    assert assay(*evaluate, "bm25").code == 0
    assert assay("store", "check", "--clear").code == 2
    assert assay("store", "check").code == 0


def test_an_evaluation_says_that_its_index_was_damaged(assay, place, monkeypatch):
    monkeypatch.setattr("assay.providers.index_cache.MIN_DOCUMENTS", 1)
    evaluate = ("eval", "--benchmarks", "small.json", "--providers", "bm25", "--metrics", "mrr", "-f", "csv")
    first = assay(*evaluate)
    (index,) = (place / ".assay" / "indexes").glob("*.index")
    index.write_bytes(index.read_bytes()[:-1])
    assay("store", "caches", "--clear", "answers")
    second = assay(*evaluate)
    assert (first.code, second.code) == (0, 0)
    assert f"the cached index .assay/indexes/{index.name} is damaged, so it is built again" in second.err
