"""beir: a folder with corpus.jsonl, queries.jsonl and qrels/*.tsv, as BEIR, MTEB and CoIR have it."""

import json

import pytest

import assay
from assay import AssayError, BenchmarkDataset, DataError, Document, Query, RelevanceJudgment
from assay.datasets import find_format, load_dataset

from ._benchmarks import SAMPLES, claims
from ._faults import QRELS, beir, shards
from ._files import put, put_all

SAMPLE = SAMPLES / "beir"


def load(folder, **files):
    return load_dataset(put_all(folder, {name: content for name, content in beir(**files).items() if content is not None}))


def save(dataset, path):
    find_format("beir").save(dataset, path)


def judging(doc):
    return QRELS.replace("\td\t", f"\t{doc}\t")


def test_the_sample():
    found = load_dataset(SAMPLE)
    assert (found.name, found.metadata) == ("beir", {"split": "test"})
    assert found.queries == {
        "q1": Query("q1", "How long do cats sleep?", "factual", metadata={"lang": "en"}, expected="12 to 16 hours a day"),
        "q2": Query("q2", "Wie lange schlafen Katzen?", difficulty="hard", evidence=["d2"]),
        "3": Query("3", "Do dogs sleep?"),
    }
    assert dict(found.documents.items()) == {
        "d1": Document("d1", "Cats sleep 12 to 16 hours a day.", "cats.md", 3, metadata={"lang": "en"}, title="Cats"),
        "d2": Document("d2", "Katzen schlafen länger als Hunde."),
        "d3": Document("d3", "猫は一日に十二時間眠る。"),
    }
    assert found.qrels == {"q1": {"d1": 2, "d2": 0}, "3": {"d2": 1}, "q2": {}}


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


def test_a_judged_query_with_nothing_relevant_stays_one(tmp_path):
    made = BenchmarkDataset(queries={"q": Query("q", expected="x", metadata={"a": 1}), "p": Query("p")}, qrels={"q": {}})
    save(made, tmp_path)
    found = load_dataset(tmp_path)
    assert (found.qrels, found.queries) == ({"q": {}}, made.queries)
    assert assay.evaluate(found, {"q": [{"content": "x"}]}, "mrr", relevance="qrels")["mrr"] == 0.0


# --- splits ----------------------------------------------------------------------------------------------------------


def test_the_likeliest_split_is_read(tmp_path):
    for splits, chosen in {
        ("train", "test", "dev"): "test",
        ("train", "dev"): "dev",
        ("validation", "train"): "validation",
        ("train",): "train",
        ("zeta", "other"): "other",
    }.items():
        found = load(tmp_path / "in", **{name: judging(name) for name in splits})
        assert (found.qrels, found.metadata) == ({"q": {chosen: 1}}, {"split": chosen}), splits
        save(found, tmp_path / chosen)
        assert [file.name for file in (tmp_path / chosen / "qrels").iterdir()] == [f"{chosen}.tsv"]


def test_a_split_is_chosen_behind_a_colon(tmp_path):
    path = put_all(tmp_path / "mine", beir(**{name: judging(name) for name in ("test", "dev", "train")}))
    for split in ("test", "dev", "train"):
        for given in (None, "beir"):
            found = load_dataset(f"{path}:{split}", given)
            assert found.name == ("mine" if split == "test" else f"mine:{split}")
            assert (found.qrels, found.metadata, found.repairs) == ({"q": {split: 1}}, {"split": split}, [])
            assert (found.format, found.path) == ("beir", path)
    put_all(tmp_path / "mine:dev", beir(train=QRELS))
    assert load_dataset(str(tmp_path / "mine:dev")).metadata == {"split": "train"}  # a colon in the name of a folder


def test_a_chosen_split_goes_before_what_the_card_says(tmp_path):
    save(BenchmarkDataset("Mine", metadata={"split": "dev"}, queries={"q": Query("q")}, qrels={"q": {"d": 1}}), tmp_path)
    assert load_dataset(f"{tmp_path}:dev").metadata == {"split": "dev"}
    put(tmp_path / "qrels" / "train.tsv", judging("e"))
    found = load_dataset(f"{tmp_path}:train")
    assert (found.name, found.qrels, found.metadata) == ("Mine:train", {"q": {"e": 1}}, {"split": "train"})


def test_a_split_that_is_not_there_is_told_with_those_that_are(snapshots, tmp_path):
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


def test_judgments_that_are_not_read_are_noted(tmp_path):
    files = beir(test=QRELS, dev=QRELS, train=QRELS) | {"qrels.tsv": QRELS, "qrels/.DS_Store": b"\0", "qrels/old/x": b""}
    (noted,) = load_dataset(put_all(tmp_path / "in", files)).repairs
    not_read = "qrels/dev.tsv qrels/train.tsv qrels.tsv; in:dev reads another"
    assert noted.what == f"judgments are read from here, not from {not_read}"
    assert (noted.place, noted.is_loss) == (str(tmp_path / "in" / "qrels" / "test.tsv"), False)


def test_judgments_may_lie_beside_the_queries_or_be_absent(tmp_path):
    assert load(tmp_path / "in").qrels == {}
    found = load_dataset(put(tmp_path / "in" / "qrels.tsv", QRELS).parent)
    assert (found.qrels, found.metadata) == ({"q": {"d": 1}}, {})


# --- tables of Hugging Face ------------------------------------------------------------------------------------------


def test_tables_of_hugging_face_are_recognised_and_read(tmp_path):
    for qrels, corpus in (("qrels", 1), ("default", 3), ("data", 1)):
        path = put_all(tmp_path / "hub", shards(corpus, ("test", "validation"), qrels))
        assert claims(path) == ["beir"]
        found = load_dataset(path)
        wanted = {f"d{number}": Document(f"d{number}", f"text {number}", title="T") for number in range(corpus)}
        assert dict(found.documents.items()) == wanted
        assert (found.queries, found.qrels) == ({"q": Query("q", "x")}, {"q": {"d0": 4}})
        (noted,) = found.repairs
        assert f"not from {qrels}/validation-00000-of-00001.parquet; hub:validation reads another" in noted.what
        assert load_dataset(f"{path}:validation").qrels == {"q": {"d0": 10}}


def test_judgments_in_several_files_are_one_split(tmp_path):
    rows = [{"query-id": "q", "corpus-id": f"d{number}", "score": number} for number in range(2)]
    files = shards(splits=()) | {f"qrels/test-0000{number}-of-00002.parquet": [row] for number, row in enumerate(rows)}
    assert load_dataset(put_all(tmp_path, files)).qrels == {"q": {"d0": 0, "d1": 1}}


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


# --- fields ----------------------------------------------------------------------------------------------------------


def test_documents_stay_in_their_file_until_they_are_asked_for(tmp_path):
    found = load(tmp_path / "in", corpus="nonsense\n", test=QRELS)
    assert assay.evaluate(found, {"q": ["d"]}, "mrr")["mrr"] == 1.0
    with pytest.raises(DataError, match=r"corpus\.jsonl:1"):
        len(found.documents)


def test_ids_have_several_names_and_may_be_numbers(tmp_path):
    for name in ("_id", "id", "doc_id", "query_id"):
        for value in ("d", 7):
            documents = load(tmp_path / "in", corpus=json.dumps({name: value, "text": "y"})).documents
            assert list(documents) == [doc for doc, _ in documents.items()] == [str(value)], name
            assert documents[str(value)].text == "y"


def test_what_is_no_field_of_ours_stays_metadata(tmp_path):
    strange = {"expected": ["x"], "evidence": [1], "scope": 7, "domain": None, "other": 1}
    query = {"_id": "q", "text": 5, "metadata": strange}
    beside = {"_id": "p", "id": 5, "lang": "de", "scope": "s", "none": None, "metadata": {"scope": "t", "lang": "de"}}
    page = {"_id": "d", "title": None, "metadata": {"source": {"a": 1}, "page_number": "3", "group": "g"}}
    web = {"_id": "e", "url": "http://x", "group": None, "metadata": {"group": "g", "a": 1}}
    empty = [{"_id": f"n{number}", "metadata": value} for number, value in enumerate([None, [], "", {}])]
    queries = [query, beside, {"_id": "m", "metadata": "x"}, *empty]
    found = load(tmp_path / "in", queries=queries, corpus=[page, web])
    assert found.queries == {
        "q": Query("q", "5", metadata=strange),
        "p": Query("p", scope="s", metadata={"id": 5, "lang": "de", "scope": "t"}),
        "m": Query("m", metadata={"metadata": "x"}),
        **{f"n{number}": Query(f"n{number}") for number in range(4)},
    }
    assert dict(found.documents.items()) == {
        "d": Document("d", metadata={"source": {"a": 1}, "page_number": "3"}, group="g"),
        "e": Document("e", metadata={"url": "http://x", "group": "g", "a": 1}),
    }
