"""cqadupstack and mteb: folders with several collections, each of which is like a folder of BEIR."""

import json
import shutil

import pytest

import assay
from assay import DataError, UnknownName
from assay.cli import main
from assay.datasets import detect_format, load_dataset

from ._benchmarks import SAMPLES
from ._faults import DOCUMENT, QRELS, QUERY, beir, shards
from ._files import put_all

FORUMS, TASK = SAMPLES / "cqadupstack", SAMPLES / "mteb"


def within(folder, files):
    return {f"{folder}/{name}": content for name, content in files.items()}


def test_forums_are_searched_apart_and_their_ids_do_not_clash():
    found = load_dataset(FORUMS)
    assert (found.format, found.name, len(found.queries), len(found.documents)) == ("cqadupstack", "cqadupstack", 4, 6)
    assert found.qrels["english/2"] == {"english/2": 1}
    assert {query.tags["forum"] for query in found.queries.values()} == {"android", "english"}
    android = found.queries["android/11546"]
    assert (sorted(found.in_scope(android)), android.scope) == (["android/1", "android/2"], "android")
    assert found.documents["english/1"].title == "Octopus"
    assert [one.group for one in found.documents.values()] == ["android"] * 2 + ["english"] * 4
    result = assay.run(found, "bm25", "recall@100")
    assert all(doc.startswith(query.partition("/")[0]) for query in result.run for doc in result.run[query])


def test_the_macro_mean_over_forums_is_the_mean_that_beir_reports(tmp_path, monkeypatch, capsys):
    """BEIR evaluates each forum alone, and then averages the twelve means."""
    monkeypatch.chdir(tmp_path)
    alone = [assay.run(load_dataset(FORUMS / name), "bm25", "ndcg@10")["ndcg@10"] for name in ("android", "english")]
    by_hand = sum(alone) / 2
    together = assay.run(load_dataset(FORUMS), "bm25", "ndcg@10")
    assert together["ndcg@10"] == pytest.approx((alone[0] + 3 * alone[1]) / 4)
    assert abs(together["ndcg@10"] - by_hand) > 0.01  # the mean over queries is another figure
    arguments = ["--benchmarks", str(FORUMS), "--providers", "bm25", "-m", "ndcg@10", "--by", "forum", "-f", "json"]
    assert main(["eval", *arguments]) == 0
    assert [one for one in json_values(json.loads(capsys.readouterr().out)) if one == pytest.approx(by_hand, abs=1e-6)]
    assert main(["eval", *arguments[:-2]]) == 0
    printed = capsys.readouterr().out
    assert (
        next(line for line in printed.splitlines() if line.strip().startswith("macro mean")).split()[-1] == f"{by_hand:.3f}"
    )


def json_values(value):
    """Every number in a JSON value."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from json_values(inner)
    elif isinstance(value, float):
        yield value


def test_documents_of_forums_can_be_changed():
    documents = load_dataset(FORUMS).documents
    documents["android/1"] = assay.Document("android/1", "new")
    documents["more"] = assay.Document("more", "x")
    assert ([*documents][-2:], len(documents), documents["android/1"].text) == (["android/1", "more"], 7, "new")
    del documents["android/1"], documents["english/2"]
    assert ("android/1" in documents, "english/2" in documents, 7 in documents) == (False, False, False)
    assert (len(documents), len([*documents.items()])) == (5, 5)
    for missing in ("android/1", "nowhere/1", "x"):
        with pytest.raises(KeyError):
            del documents[missing]


def test_a_folder_that_is_not_a_forum_is_told(tmp_path):
    shutil.copytree(FORUMS, tmp_path / "c")
    (tmp_path / "c" / "scripts").mkdir()
    found = load_dataset(tmp_path / "c")
    assert (found.format, len(found.queries)) == ("cqadupstack", 4)
    assert any("scripts" in one.what for one in found.repairs)
    (tmp_path / "c" / "english").rename(tmp_path / "c" / "mine")  # one forum, and another benchmark
    with pytest.raises(DataError):
        detect_format(tmp_path / "c")
    assert len(load_dataset(tmp_path / "c", "cqadupstack").queries) == 4
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError):
        load_dataset(tmp_path / "none", "cqadupstack")


def test_a_subset_is_chosen_like_a_split(tmp_path):
    found = load_dataset(f"{TASK}:en")
    assert (found.format, found.name, found.path) == ("mteb", "mteb:en", TASK)
    assert (found.qrels, found.metadata) == ({"q1": {"d1": 1}}, {"split": "test", "subset": "en"})
    assert (found.queries["q1"].text, found.documents["d1"].text[:10]) == ("How long do cats sleep?", "Cats sleep")
    assert load_dataset(f"{TASK}:de").queries["q1"].text == "Wie lange schlafen Katzen?"
    with pytest.raises(DataError) as refused:
        load_dataset(TASK)
    assert "de, en" in str(refused.value)
    with pytest.raises(UnknownName) as error:
        load_dataset(f"{TASK}:eng")
    assert error.value.near == ("en",)
    with pytest.raises(DataError):
        load_dataset(put_all(tmp_path / "x", {"a.txt": "x"}), "mteb")


def test_parquet_folders_of_subsets_with_several_splits(tmp_path):
    files = {}
    for split in ("test", "dev"):
        for stem, row in {
            "corpus": {"_id": split, "title": "", "text": f"text of {split}"},
            "queries": {"_id": "q", "text": split},
            "qrels": {"query-id": "q", "corpus-id": split, "score": 1},
        }.items():
            files[f"fr-{stem}/{split}-00000-of-00001.parquet"] = [row]
    path = put_all(tmp_path / "task", files)
    for given, split in ((path, "test"), (f"{path}:fr", "test"), (f"{path}:fr/dev", "dev")):  # one subset needs no choice
        found = load_dataset(given)
        assert (found.qrels, list(found.documents)) == ({"q": {split: 1}}, [split])
        assert (found.queries["q"].text, found.metadata) == (split, {"split": split, "subset": "fr"})
    assert found.name == "task:fr/dev"
    with pytest.raises(UnknownName):
        load_dataset(f"{path}:fr/train")


def test_folders_of_languages_are_subsets(tmp_path):
    path = put_all(tmp_path / "m", {**within("de", beir(test=QRELS)), **within("en", shards())})
    assert detect_format(path).name == "mteb"
    assert (load_dataset(f"{path}:de").qrels, len(load_dataset(f"{path}:en").documents)) == ({"q": {"d": 1}}, 2)
    assert detect_format(path / "de").name == detect_format(path / "en").name == "beir"
    (path / "en").rename(path / "scifact")  # different benchmarks in one folder
    with pytest.raises(DataError):
        detect_format(path)
    assert load_dataset(f"{path}:scifact", "mteb").name == "m:scifact"
    with pytest.raises(DataError):
        detect_format(put_all(tmp_path / "one", within("nq", beir(test=QRELS))))


def test_one_file_in_a_folder_is_a_table_of_beir(tmp_path):
    files = {"corpus/corpus.jsonl": DOCUMENT, "queries/all.jsonl": QUERY}
    files["qrels/test.jsonl"] = [{"query-id": "q", "corpus-id": "d", "score": 1}]
    found = load_dataset(put_all(tmp_path / "b", files))
    assert (found.format, found.qrels, list(found.documents)) == ("beir", {"q": {"d": 1}}, ["d"])
    more = put_all(tmp_path / "b", {**files, "corpus/other.jsonl": '{"_id": "e"}\n'})
    with pytest.raises(DataError):
        load_dataset(more)


def test_a_table_in_one_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["datasets", "check", f"{TASK}:en"]) == 0
    assert main(["eval", "--benchmarks", f"{TASK}:en", "--providers", "bm25", "-m", "ndcg@10"]) == 0
    assert "1.0000" in capsys.readouterr().out
