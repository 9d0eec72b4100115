"""Notes and tags of queries: kept with author and time, removed, carried from store to store; in both databases."""

import pytest

from assay.store import QueryNote, Store

from ._results import result_of


@pytest.fixture
def noted(store):
    store.save([result_of(1), result_of(2, benchmark="other")])
    store.query_notes.add(QueryNote("small", "q0", " two\nmeanings ", "Ana"))
    store.query_notes.add(QueryNote("small", "q0", "ambiguous", "Ben", "tag"))
    store.query_notes.add(QueryNote("other", "q1", "ambiguous", "Ana", "tag"))
    return store


def test_notes_and_tags_are_kept_with_author_and_time(noted):
    found = noted.query_notes.find()
    assert [note[:5] for note in found] == [
        ("small", "q0", "two meanings", "Ana", "note"),
        ("small", "q0", "ambiguous", "Ben", "tag"),
        ("other", "q1", "ambiguous", "Ana", "tag"),
    ]
    assert all(note.written.endswith("+00:00") for note in found)
    assert [note.text for note in noted.query_notes.find("small", "q0", "tag")] == ["ambiguous"]
    noted.query_notes.add(QueryNote("small", "q0", "ambiguous", "Cy", "tag"))
    assert noted.query_notes.find() == found, "a tag that exists stays as it is"
    assert noted.query_notes.remove(QueryNote("small", "q0", "ambiguous", kind="tag"))
    assert not noted.query_notes.remove(QueryNote("small", "q0", "ambiguous", kind="tag"))
    assert len(noted.query_notes.find()) == 2


def test_export_and_import_carry_them(noted, tmp_path):
    noted.export(tmp_path / "all.zst")
    with Store.open(tmp_path / "new.db") as other:
        assert other.import_(tmp_path / "all.zst").n_query_notes == 3
        assert other.query_notes.find() == noted.query_notes.find()
        assert other.import_(tmp_path / "all.zst").n_query_notes == 0


def test_what_is_refused(local, snapshots):
    local.save([result_of(1)])
    sound = {"benchmark": "small", "query": "q0", "text": "words", "author": "Ana"}
    fields = {
        "no text": {"text": " "},
        "long note": {"text": "n" * 2001},
        "two words in a tag": {"text": "two words", "kind": "tag"},
        "another kind": {"kind": "wish"},
        "no query": {"query": ""},
        "long author": {"author": "x" * 81},
        "time": {"written": "soon"},
        "misspelt benchmark": {"benchmark": "smal"},
        "number": {"text": 7},
    }
    add = local.query_notes.add
    cases = {name: lambda changed=changed: add(QueryNote(**{**sound, **changed})) for name, changed in fields.items()}
    snapshots.check_errors("store/query_notes", cases)
    assert local.query_notes.find() == []
