"""One way from a word to results, for the gate, the watch and the pytest plug-in."""

import json

import pytest

from assay.errors import DataError
from assay.store import Store, find_baseline, find_results

from ._results import DAY, result_of


@pytest.fixture
def kept(folder):
    """The id of the only evaluation, which is the baseline main."""
    assert find_baseline("mian") == (None, "")  # there is no store yet
    with Store.open() as store:
        name = store.save([result_of(1, started=DAY)])
        store.bless("latest", "main")
    return name


def names(found):
    return [result.name for result in found.results]


def test_a_stored_evaluation_and_a_file(kept, folder):
    saved = {"schema": "assay.result/1", "results": [result_of(2, provider="file").to_dict()]}
    (folder / "old.json").write_text(json.dumps(saved))
    found = find_results("main")
    assert (names(found), found.label, found.evaluation) == (["bm25"], "main (2026-11-15, bm25)", kept)
    assert find_baseline("2026-11-15")[0].evaluation == kept  # the beginning of an id
    for word in ("old.json", "./old.json", "old.json#file"):
        found, _ = find_baseline(word)
        assert (names(found), found.evaluation) == (["file"], "")
    for content in (b"", b"text", b"{}"):  # a file beside it does not hide a baseline
        (folder / "main").write_bytes(content)
        assert find_results("main").evaluation == find_baseline("main")[0].evaluation == kept
    assert find_baseline("release/1.0") == (None, "")  # names that nobody has blessed yet
    assert find_baseline("mian") == (None, " (did you mean main?)")


def test_what_cannot_be_found(folder, kept, snapshots):
    """What looks like a file must be one, with a store or without; what nobody can bless is no baseline to wait for."""
    (folder / "x.json").write_text("{}")
    files = ("./x", "/x", "../x", "~/x", "nosuch.json", "baseline.jsn", "x.yaml", "nosuch.json#bm25", "deep/x.txt")
    words = ("x.json", "x.json#bm25", "latest~7", "2026-11-15-other-7f3a", "a b", "", "main#bm52")
    cases = {repr(word): lambda word=word: find_baseline(word) for word in (*files, *words)}
    snapshots.check_errors("store/baselines", {**cases, "results of 'nope'": lambda: find_results("nope")})
    (folder / ".assay" / "assay.db").unlink()
    for word in files:
        for find in (find_results, find_baseline):
            with pytest.raises(DataError, match="no such file"):
                find(word)
