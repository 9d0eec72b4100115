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
