"""One way from a word to results, for the gate, the watch and the pytest plug-in."""

import json

import pytest

from assay.errors import DataError, UnknownName
from assay.store import Store
from assay.store.lookup import find_baseline, find_results

from ._results import result_of

DAY = "2026-11-15T09:30:00+00:00"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    return tmp_path


@pytest.fixture
def kept(folder):
    """The id of the only evaluation, which is the baseline main."""
    with Store.open() as store:
        name = store.save([result_of(1, started=DAY)])
        store.bless("latest", "main")
    return name


@pytest.fixture
def saved(folder):
    file = folder / "old.json"
    file.write_text(json.dumps({"schema": "assay.result/1", "results": [result_of(2, provider="file").to_dict()]}))
    return file.name


def names(found):
    return [result.name for result in found.results]


def test_a_stored_evaluation_and_a_file(kept, saved):
    found = find_results("main")
    assert (names(found), found.label, found.evaluation) == (["bm25"], "main (2026-11-15, bm25)", kept)
    for word in (saved, f"./{saved}", f"{saved}#file"):
        found, _ = find_baseline(word)
        assert (names(found), found.evaluation) == (["file"], "")


def test_a_file_beside_it_does_not_hide_a_baseline(kept, folder):
    for content in (b"", b"text", b"{}"):
        (folder / "main").write_bytes(content)
        assert find_results("main").evaluation == find_baseline("main")[0].evaluation == kept


def test_a_baseline_that_an_older_assay_called_like_a_file_is_found(kept):
    from sqlalchemy import text

    with Store.open() as store:
        store._database.write(lambda one: one.execute(text("UPDATE assay_baselines SET name = 'v1.beta'")))
    assert find_baseline("v1.beta")[0].evaluation == kept


@pytest.mark.parametrize("is_there", [True, False], ids=["with a store", "without one"])
def test_a_name_that_nobody_has_blessed_yet(folder, is_there, request):
    if is_there:
        request.getfixturevalue("kept")
    assert find_baseline("release/1.0") == (None, "")
    assert find_baseline("mian") == (None, " (did you mean main?)" if is_there else "")


@pytest.mark.parametrize(
    "word", ["./x", "/x", "../x", "~/x", "nosuch.json", "baseline.jsn", "x.yaml", "nosuch.json#bm25", "deep/x.txt"]
)
@pytest.mark.parametrize("is_there", [True, False], ids=["with a store", "without one"])
def test_what_looks_like_a_file_must_be_one(folder, word, is_there, request):
    if is_there:
        request.getfixturevalue("kept")
    for find in (find_results, find_baseline):
        with pytest.raises(DataError, match=r": no such file$"):
            find(word)


def test_a_file_that_is_no_result_is_told(kept, folder):
    (folder / "x.json").write_text("{}")
    for word in ("x.json", "./x.json", "x.json#bm25"):
        with pytest.raises(DataError, match=r"no saved result; assay eval … -o result\.json writes one"):
            find_baseline(word)


@pytest.mark.parametrize("word", ["latest~7", "2026-11-15", "2026-11-15-other-7f3a", "a b", ""])
def test_what_nobody_can_bless_is_no_baseline_to_wait_for(kept, word):
    if word == "2026-11-15":
        assert find_baseline(word)[0].evaluation == kept  # the beginning of an id
        return
    with pytest.raises(DataError, match="nothing can be blessed so: no stored evaluation is called"):
        find_baseline(word)


def test_a_part_that_is_not_there_is_told(kept):
    with pytest.raises(UnknownName, match="Did you mean bm25"):
        find_baseline("main#bm52")
    with pytest.raises(UnknownName, match="no stored evaluation is called 'nope'"):
        find_results("nope")
