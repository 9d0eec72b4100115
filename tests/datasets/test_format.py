"""Formats: found by name, recognised by a look at the path; and load_dataset."""

import gzip
import json
from dataclasses import replace

import pytest

import assay
from assay import DataError, Query, RelevanceJudgment, UnknownName, UsageError
from assay.datasets import BenchmarkDataset
from assay.datasets.format import PROBE_BYTES, Format, Probe, all_formats, bundled, detect_format, find_format, load_dataset

from ._benchmarks import SAMPLES
from ._cases import BOM, write

NAMES = [
    *("beir", "code_spans", "golden", "hpo_cases", "ir_datasets", "json", "jsonl", "locomo", "longmemeval"),
    *("longmemeval_turns", "parquet", "rag_template", "squad", "trec"),
]
WRITTEN = {"beir", "hpo_cases", "json", "jsonl", "parquet", "rag_template", "trec"}


def test_the_formats_are_these():
    assert [*all_formats()] == sorted(all_formats())
    assert set(NAMES) <= set(all_formats())
    assert {name for name in NAMES if all_formats()[name].write} == WRITTEN


@pytest.mark.parametrize("name", NAMES)
def test_every_format_says_what_it_is_and_shows_a_record(name):
    one = find_format(name)
    assert (one.name, bool(one.meaning), bool(one.example)) == (name, True, True)


def test_an_unknown_format_suggests():
    with pytest.raises(UnknownName) as error:
        find_format("bier")
    assert "Did you mean beir?" in str(error.value)
    assert "there are beir, code_spans" in str(error.value)


def test_a_format_that_is_only_read_says_which_are_written(tmp_path):
    dataset = BenchmarkDataset(queries={"q": Query("q")})
    with pytest.raises(UsageError, match=r"locomo can be read, not written; written are beir, .*json.*trec"):
        find_format("locomo").save(dataset, tmp_path / "out")


@pytest.mark.parametrize("source", ["json/cats.json", "beir", "jsonl", "trec"])
def test_the_samples_are_recognised(source):
    path = SAMPLES / source
    for given in (path, str(path)):
        dataset = load_dataset(given)
        assert dataset.format == detect_format(path).name == source.partition("/")[0]
        assert dataset.path == path


def test_a_format_can_be_given(tmp_path):
    path = write(tmp_path / "data.unknown", (SAMPLES / "json" / "cats.json").read_bytes())
    with pytest.raises(DataError, match=r"no known format \(beir, .*\); say which with format=, or --dataset-format"):
        load_dataset(path)
    assert load_dataset(path, format="json").format == "json"
    with pytest.raises(UnknownName, match=r"no format is called 'jsn'\. Did you mean json"):
        load_dataset(path, format="jsn")


def test_a_dataset_is_itself():
    made = BenchmarkDataset("Mine")
    assert load_dataset(made) is made
    assert assay.load_dataset is load_dataset


def test_a_name_that_is_neither_path_nor_benchmark_suggests(tmp_path):
    with pytest.raises(UnknownName) as error:
        load_dataset("rag-templat")
    assert "no benchmark is called 'rag-templat'. Did you mean rag-template?" in str(error.value)
    assert f"neither a path nor one of {', '.join(bundled())}" in str(error.value)
    for given in (tmp_path / "none.json", str(tmp_path / "none.json")):
        with pytest.raises(DataError, match=r"none\.json: no such file$"):
            load_dataset(given, format="json")


def test_an_empty_folder_has_no_format(tmp_path):
    with pytest.raises(DataError, match="no known format"):
        load_dataset(tmp_path)


# The bundled benchmark


def test_the_bundled_benchmark_is_there_by_name():
    assert {"code-spans", "rag-template"} <= {*bundled()}
    dataset = load_dataset("rag-template")
    found = dataset.get_statistics()
    assert found["num_queries"] >= 40
    assert found["num_documents"] >= 200
    assert found["num_expected"] == found["num_judged_queries"] == found["num_queries"]
    assert set(found["tags"]) == {"query_type", "difficulty"}
    assert len(found["grade_distribution"]) >= 3
    judged = {doc for grades in dataset.qrels.values() for doc in grades}
    assert judged <= set(dataset.documents)
    assert all(dataset.get_relevant_docs(query) for query in dataset.queries)
    assert all(0 in grades.values() for grades in dataset.qrels.values()), "every question has a hard negative"
    assert dataset.repairs == []


# What can be seen of a path


def test_a_probe_of_a_folder(tmp_path):
    write(tmp_path / "a.txt", "x")
    probe = Probe(tmp_path)
    assert (probe.names, probe.head, probe.keys, probe.is_list) == ({"a.txt"}, b"", frozenset(), False)


@pytest.mark.parametrize(
    ("name", "suffix"),
    [("a.jsonl.gz", ".jsonl"), ("a.JSON", ".json"), ("a.json.zst", ".json"), ("a", ""), ("a.b.tsv", ".tsv")],
)
def test_the_ending_that_tells_the_kind(tmp_path, name, suffix):
    assert Probe(tmp_path / name).suffix == suffix


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_probe_reads_the_beginning_unpacked(tmp_path, pack):
    path = write(tmp_path / "a.json", pack(b'{"name": [1]}' + b" " * PROBE_BYTES))
    assert len(Probe(path).head) == PROBE_BYTES
    assert Probe(path).keys == {"name"}


@pytest.mark.parametrize(
    ("text", "keys", "outer"),
    [
        ('{"a": {"b": [{"c": 1}]}, "d": "e:"}', "abcd", "ad"),
        ('[{"a": {"b": 1}}, {"c": 2}]', "abc", "ac"),
        ('{"a": 1}\n{"b": {"c": 1}}\n', "abc", "ab"),
        ('{"a" : "{", "b": "}"}', "ab", "ab"),
        ("no json", "", ""),
    ],
)
def test_names_of_fields(tmp_path, text, keys, outer):
    probe = Probe(write(tmp_path / "a.json", text))
    assert (probe.keys, probe.outer_keys) == (set(keys), set(outer))


@pytest.mark.parametrize(
    ("text", "is_list"), [(b"[]", True), (b" \n[", True), (BOM + b"[", True), (b"{", False), (b"", False)]
)
def test_a_list_is_told_from_an_object(tmp_path, text, is_list):
    assert Probe(write(tmp_path / "a.json", text)).is_list == is_list


def test_the_format_of_higher_rank_is_asked_first(tmp_path, monkeypatch):
    asked = []

    def answering(name, rank):
        return Format(name, "", None, lambda probe: asked.append(name) or name == "mid", rank=rank)

    formats = {name: answering(name, rank) for name, rank in (("low", 0), ("mid", 5), ("top", 9))}
    monkeypatch.setattr("assay.datasets.format.all_formats", lambda: formats)
    assert detect_format(tmp_path).name == "mid"
    assert asked == ["top", "mid"]


# Conversion keeps what a format can hold


@pytest.mark.parametrize("name", ["beir", "json", "jsonl", "parquet", "trec"])
def test_fingerprints_do_not_depend_on_the_format(tmp_path, name):
    dataset = load_dataset("rag-template")
    find_format(name).save(dataset, tmp_path / ("d.json" if name == "json" else "d"))
    found = load_dataset(tmp_path / ("d.json" if name == "json" else "d"))
    assert found.format == name
    for part in ("queries", "documents", "judgments"):
        assert found.fingerprint(part) == dataset.fingerprint(part)
    run = {query: list(dataset.documents)[:20] for query in dataset.queries}
    metrics = ["ndcg@10", "map"]
    assert assay.evaluate(found, run, metrics).summary == assay.evaluate(dataset, run, metrics).summary


def test_what_was_made_in_code_is_what_is_read(tmp_path):
    made = BenchmarkDataset("MyBenchmark", "1.0")
    made.add_query(Query("q1", "What is ML?"))
    made.add_judgment(RelevanceJudgment("q1", "d1", 3))
    made.save_json(tmp_path / "mine.json")
    found = load_dataset(str(tmp_path / "mine.json"))
    assert json.loads((tmp_path / "mine.json").read_text())["qrels"] == {"q1": {"d1": 3}}
    assert repr(found) == repr(made)


# What is told apart

LONG = [{"id": f"d{number}", "content": "x" * 1000, "doc_id": f"d{number}"} for number in range(400)]
TURNS = {"session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}]}
QA = [{"question": "x", "answer": "y", "evidence": ["D1:1"], "category": 1}]
STRANGE = {
    "documents first": ({"documents": {one["id"]: {"text": one["content"]} for one in LONG}, "queries": {"q": {}}}, "json"),
    "contexts first": ({"documents": LONG, "questions": [{"question": "x"}]}, "rag_template"),
    "passages first": ({"passages": LONG, "questions": [{"question": "x"}]}, "rag_template"),
    "observations first": ([{"observation": ["x" * 1000] * 400, "conversation": TURNS, "qa": QA}], "locomo"),
    "one conversation": ({"event_summary": ["x" * 1000] * 400, **TURNS, "qa": QA}, "locomo"),
    "HPO in metadata": ({"queries": {"q": {"metadata": {"expected_hpo_ids": ["HP:1"]}}}}, "json"),
    "questions in metadata": ({"queries": {"q": {"metadata": {"qa": 1, "question": 2, "evidence": 3}}}}, "json"),
    "turns in metadata": ({"questions": [{"question": "x", "metadata": {"dia_id": 1, "session_1": 2}}]}, "rag_template"),
    "cases last": (
        {"metadata": {"x": ["y" * 1000] * 400}, "test_cases": [{"text": "x", "expected_hpo_ids": ["HP:0000001"]}]},
        "hpo_cases",
    ),
}


@pytest.mark.parametrize("pack", [bytes, gzip.compress, BOM.__add__], ids=["plain", "gzip", "with a mark in front"])
@pytest.mark.parametrize(("content", "name"), STRANGE.values(), ids=STRANGE)
def test_a_file_is_known_by_its_outermost_fields(tmp_path, content, name, pack):
    assert detect_format(write(tmp_path / "data.json", pack(json.dumps(content).encode()))).name == name


@pytest.mark.parametrize(
    ("files", "name"),
    [
        (["queries.jsonl", "documents.jsonl", "qrels.tsv"], "trec"),
        (["queries.tsv", "collection.tsv", "qrels/test.tsv"], "trec"),
        (["queries.jsonl", "qrels/test.tsv"], "beir"),
        (["queries.jsonl", "corpus.jsonl"], "beir"),
        (["queries.jsonl", "judgments.parquet"], "jsonl"),
        (["corpus/a.parquet", "queries/a.parquet"], None),
    ],
)
def test_a_folder_is_known_by_files_that_can_be_read(tmp_path, files, name):
    for file in files:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        write(tmp_path / file, "x")
    if name is None:
        with pytest.raises(DataError, match="no known format"):
            detect_format(tmp_path)
    else:
        assert detect_format(tmp_path).name == name


def test_queries_documents_and_a_table_of_judgments_are_all_read(tmp_path):
    write(tmp_path / "queries.jsonl", '{"query_id": "q", "text": "x"}')
    write(tmp_path / "documents.jsonl", '{"doc_id": "d", "text": "y"}')
    write(tmp_path / "qrels.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n")
    found = load_dataset(tmp_path)
    assert (list(found.queries), list(found.documents), found.qrels) == (["q"], ["d"], {"q": {"d": 1}})


def test_judgments_in_a_folder_of_their_own(tmp_path):
    (tmp_path / "qrels").mkdir()
    write(tmp_path / "queries.tsv", "q\tx\n")
    write(tmp_path / "collection.tsv", "d\ty\n")
    write(tmp_path / "qrels" / "dev.tsv", "q\t0\td\t1\n")
    found = load_dataset(tmp_path)
    assert (list(found.queries), list(found.documents), found.qrels) == (["q"], ["d"], {"q": {"d": 1}})


def test_two_formats_that_claim_a_path_are_both_named(tmp_path, monkeypatch):
    both = {name: replace(find_format("json"), name=name) for name in ("one", "two")}
    monkeypatch.setattr("assay.datasets.format.all_formats", lambda: both)
    path = write(tmp_path / "data.json", '{"queries": {}}')
    with pytest.raises(DataError, match=r"data\.json: looks like one and two; say which with format="):
        detect_format(path)
