"""beir: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, as BEIR, MTEB and CoIR have it."""

import json

import pytest

from assay import AssayError, BenchmarkDataset, Document, Query, RelevanceJudgment
from assay.datasets import find_format, load_dataset

from ._benchmarks import SAMPLES
from ._faults import QRELS, beir
from ._files import put, put_all

SAMPLE = SAMPLES / "beir"


def load(folder, **files):
    return load_dataset(put_all(folder, beir(**files)))


save = find_format("beir").save


def judging(doc):
    return QRELS.replace("\td\t", f"\t{doc}\t")


def test_a_folder_is_written_over_itself(tmp_path):
    save(load_dataset(SAMPLE), tmp_path)
    found = load_dataset(tmp_path)
    found.add_document(Document("d1", "new"))
    found.add_document(Document("d9", "more"))
    found.add_judgment(RelevanceJudgment("q1", "d9", 0.123456789))
    save(found, tmp_path)
    again = load_dataset(tmp_path)
    texts = [(document.doc_id, document.text[:3]) for document in again.documents.values()]
    assert texts == [("d1", "new"), ("d2", "Kat"), ("d3", "猫は一"), ("d9", "mor")]
    assert again.qrels["q1"] == {"d1": 2, "d2": 0, "d9": 0.123456789}
    assert (tmp_path / "qrels" / "test.tsv").read_text().splitlines()[1] == "q1\td1\t2"


def test_the_likeliest_split_is_read(tmp_path):
    several = ["train test dev", "train dev", "validation train", "train", "zeta other"]
    for splits, chosen in zip(several, ("test", "dev", "validation", "train", "other"), strict=True):
        found = load(tmp_path / "in", **{name: judging(name) for name in splits.split()})
        assert (found.qrels, found.metadata) == ({"q": {chosen: 1}}, {"split": chosen}), splits
        save(found, tmp_path / chosen)
        assert [file.name for file in (tmp_path / chosen / "qrels").iterdir()] == [f"{chosen}.tsv"]


def test_a_split_is_chosen_behind_a_colon(snapshots, tmp_path):
    path = put_all(tmp_path / "mine", beir(**{name: judging(name) for name in ("test", "dev", "train")}))
    for split, given in (("test", "beir"), ("dev", None), ("train", "beir")):
        found = load_dataset(f"{path}:{split}", given)
        assert (found.name, found.format, found.path) == ("mine" if split == "test" else f"mine:{split}", "beir", path)
        assert (found.qrels, found.metadata, found.repairs) == ({"q": {split: 1}}, {"split": split}, [])
    put_all(tmp_path / "mine:dev", beir(train=QRELS))
    assert load_dataset(str(tmp_path / "mine:dev")).metadata == {"split": "train"}  # a colon in the name of a folder
    path = tmp_path / "card"  # which says another split
    save(BenchmarkDataset("Mine", metadata={"split": "dev"}, queries={"q": Query("q")}, qrels={"q": {"d": 1}}), path)
    put(path / "qrels" / "train.tsv", judging("e"))
    found = load_dataset(f"{path}:train")
    assert (found.name, found.qrels, found.metadata) == ("Mine:train", {"q": {"e": 1}}, {"split": "train"})
    path = put_all(tmp_path / "mine", beir(test=QRELS, dev=QRELS))
    bare = put_all(tmp_path / "bare", beir())
    file = put(tmp_path / "cats.json", {"queries": {"q": {}}})
    sources = {"a slip": f"{path}:dve", "none": f"{path}:", "no splits": f"{bare}:test", "a format without": f"{file}:dev"}
    cases = {case: lambda source=source: load_dataset(source) for case, source in sources.items()}
    snapshots.check_errors("datasets/splits", cases)


def test_an_identifier_of_another_package_is_no_split(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put_all(tmp_path / "ir_datasets", beir(test=QRELS))
    with pytest.raises(AssayError) as error:
        load_dataset("ir_datasets:none")
    assert "split" not in str(error.value)
    assert load_dataset("ir_datasets").format == "beir"


def test_parquet_as_mteb_has_it_is_the_same_as_lines(tmp_path):
    for name in ("corpus", "queries"):
        rows = [json.loads(line) for line in (SAMPLE / f"{name}.jsonl").read_text().splitlines()]
        table = [{"_id": str(row["_id"]), "title": row.get("title") or "", "text": row["text"]} for row in rows]
        put(tmp_path / f"{name}.parquet", table)
    put(tmp_path / "qrels" / "test.parquet", [{"query-id": "q1", "corpus-id": "d1", "score": 2}])
    found, wanted = load_dataset(tmp_path, "beir"), load_dataset(SAMPLE)
    assert found.qrels == {"q1": {"d1": 2}}
    for part in ("queries", "documents"):
        assert found.fingerprint(part) == wanted.fingerprint(part)
