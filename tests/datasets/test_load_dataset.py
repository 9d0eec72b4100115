"""load_dataset: a benchmark by name or path; its format is recognised by a look at the path."""

import gzip
import json
from dataclasses import replace

import pytest
import zstandard

import assay
from assay import BenchmarkDataset, DataError, Document, Query, RelevanceJudgment, Span, UnknownName
from assay.datasets import Format, Probe, bundled, detect_format, find_format, load_dataset

from ._benchmarks import SAMPLES, assert_same
from ._cases import BOM, write
from ._files import put, put_all

# --- names and paths -------------------------------------------------------------------------------------------------


def test_a_format_can_be_given(tmp_path):
    path = write(tmp_path / "data.unknown", (SAMPLES / "json" / "cats.json").read_bytes())
    with pytest.raises(DataError):
        load_dataset(path)
    assert load_dataset(path, format="json").format == "json"
    assert assay.load_dataset is load_dataset


def test_what_was_made_in_code_is_what_is_read(tmp_path):
    made = BenchmarkDataset("MyBenchmark", "1.0")
    made.add_query(Query("q1", "What is ML?"))
    made.add_judgment(RelevanceJudgment("q1", "d1", 3))
    made.save_json(tmp_path / "mine.json")
    assert json.loads((tmp_path / "mine.json").read_text())["qrels"] == {"q1": {"d1": 3}}
    assert repr(load_dataset(str(tmp_path / "mine.json"))) == repr(made)


NEAR_MISSES = {
    "lines": ("golden.jsonl", '{"query_id": "q1", "query": "How long?", "relevantt_ids": ["d1"]}\n'),
    "a table": ("golden.csv", "query_id,query,relevnt_ids\nq1,How?,d1\n"),
    "within an object": ("squad.json", '{"version": "2", "data": [{"title": "C", "paragraphs_": []}]}'),
    "a field that is not there": ("q.jsonl", '{"query_id": "q1", "query": "How?"}\n'),
    "half its name": ("cases.json", '[{"text": "seizure", "hpo_ids": ["HP:0001250"]}]'),
}


def test_what_cannot_be_loaded_says_why(snapshots, tmp_path):
    def loading(source, *given):
        return lambda: load_dataset(source, *given)

    write(tmp_path / "nonsense.json", "nonsense")
    cases = {
        "a format": loading(tmp_path / "nonsense.json", "jsn"),
        "no such file": loading(tmp_path / "none.json", "json"),
        "no such file, as text": loading(str(tmp_path / "none.json")),
        "a size": loading("code-spans:tiny"),
    }
    cases |= {case: loading(write(tmp_path / name, content)) for case, (name, content) in NEAR_MISSES.items()}
    snapshots.check_errors("datasets/not_loaded", cases)
    with pytest.raises(UnknownName) as error:
        find_format("bier")
    assert error.value.near == ("beir",)
    with pytest.raises(UnknownName) as error:
        load_dataset("rag-templat")
    assert error.value.near == ("rag-template",)
    assert all(name in error.value.hint for name in bundled())


def test_what_is_like_no_format_is_refused(tmp_path):
    contents = ["nonsense", "{}", "[]", '{"wholly": "other"}', '[{"x": 1}]', "[[1, 2]]", '{"broken": ', ""]
    for content in contents:
        for name in ("x.json", "x.jsonl", "x.csv", "x.txt"):
            with pytest.raises(DataError, match=r"no known format \(beir, code_spans, "):
                load_dataset(write(tmp_path / name, content))
    with pytest.raises(DataError, match="no known format"):
        load_dataset(put_all(tmp_path / "empty", {}))


# --- what is told apart ----------------------------------------------------------------------------------------------

LONG = [{"id": f"d{number}", "content": "x" * 1000, "doc_id": f"d{number}"} for number in range(400)]
TURNS = {"session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}]}
QA = [{"question": "x", "answer": "y", "evidence": ["D1:1"], "category": 1}]
OUTERMOST = {
    "documents first": ({"documents": {one["id"]: {"text": one["content"]} for one in LONG}, "queries": {"q": {}}}, "json"),
    "judgments alone": ({"qrels": {"q": {"d": 1}}}, "json"),
    "contexts first": ({"documents": LONG, "questions": [{"question": "x"}]}, "rag_template"),
    "passages first": ({"passages": LONG, "questions": [{"question": "x"}]}, "rag_template"),
    "observations first": ([{"observation": ["x" * 1000] * 400, "conversation": TURNS, "qa": QA}], "locomo"),
    "one conversation": ({"event_summary": ["x" * 1000] * 400, **TURNS, "qa": QA}, "locomo"),
    "questions in metadata": ({"queries": {"q": {"metadata": {"qa": 1, "question": 2, "evidence": 3}}}}, "json"),
    "turns in metadata": ({"questions": [{"question": "x", "metadata": {"dia_id": 1, "session_1": 2}}]}, "rag_template"),
    "no questions yet": ({"questions": []}, "rag_template"),
    "question and answer": ([{"question": "?", "answer": "!"}], "rag_template"),
    "the second has contexts": ([{"question": "?"}, {"question": "?", "contexts": []}], "rag_template"),
    "deepeval": ([{"input": "?", "expected_output": "!", "retrieval_context": ["x"]}], "rag_template"),
    "a query with passages": ({"query": "?", "passages": [{"text": "x"}]}, "rag_template"),
    "judgments in metadata": ({"questions": [{"question": "?", "metadata": {"qrels": {}}}], "contexts": []}, "rag_template"),
    "contexts of ragas": ([{"question": "Why?", "contexts": [], "relevant_ids": []}], "rag_template"),
    "a question with a file": ([{"question": "?", "answer": "!", "file": "manual.pdf"}], "rag_template"),
    "sessions": ([{"question_id": 1, "question": "?", "answer": "!", "haystack_sessions": []}], "longmemeval"),
    "a golden set": ([{"query": "?", "relevant_ids": ["a.py"]}], "golden"),
    "a stretch of code": ([{"question": "?", "expected": "!", "file": "a.py", "start": 1, "end": 2}], "code_spans"),
    "several stretches": ([{"query": "?", "answer": "!", "spans": []}], "code_spans"),
    "articles": ({"data": [{"title": "C", "paragraphs": []}]}, "squad"),
}


def test_a_file_is_known_by_its_outermost_fields(tmp_path):
    for pack in (bytes, gzip.compress, BOM.__add__):
        for case, (content, name) in OUTERMOST.items():
            path = write(tmp_path / "data.json", pack(json.dumps(content).encode()))
            assert detect_format(path).name == name, case
    for text in ('{"a": {"x": [{"y": 1}]}, "b": ": {\\" [", "c": []}', '[{"a": [1, {"x": 1}]}, {"b": 1, "c": {}}]'):
        assert Probe(write(tmp_path / "x.json", text)).outer_keys == {"a", "b", "c"}, text


FOREIGN = {
    "golden": {
        "queries.jsonl": '{"_id": "q1", "text": "Why?"}',
        "documents.jsonl": '{"doc_id": "d1", "text": "Because."}',
        "judgments.jsonl": '{"query_id": "q1", "doc_id": "d1", "relevance": 1}',
        "rag.json": '{"questions": [{"question": "Why?", "relevant_ids": []}], "contexts": []}',
        "one.json": '{\n"query": "?",\n"relevant": []\n}',
        "list.json": "[1, 2]",
        "broken.json": "[nothing",
        "table.csv": "query_id,doc_id,relevance\n1,2,1\n",
        "notes.txt": "query relevant_ids",
    },
    "rag_template": {
        "a.jsonl": '{"prompt": "?", "metadata": {"ground_truth": "!", "fpath_tuple": ["a"]}}',
        "b.jsonl": '{"_id": "q1", "text": "?", "metadata": {"expected": "!"}}',
        "c.jsonl": '{"query": "?", "document": "d", "score": 1}',
        "d.json": '{"queries": {"q1": {"text": "?", "expected": "!"}}, "documents": {}, "qrels": {"q1": {}}}',
        "e.txt": '[{"question": "?", "expected": "!", "file": "a.py", "start": 1, "end": 2}]',
    },
    "code_spans": {
        "a.json": '{"queries": {"q1": {"text": "?"}}, "spans": {}, "qrels": {}}',
        "b.json": '{"questions": ["?"], "spans": {}}',
        "c.json": '[{"question": "?", "answer": "!", "contexts": ["x"]}]',
    },
}


@pytest.mark.parametrize("name", FOREIGN)
def test_files_of_others_are_left_alone(tmp_path, name):
    detect = find_format(name).detect
    for file, content in FOREIGN[name].items():
        assert not detect(Probe(write(tmp_path / file, content))), file
    for path in (tmp_path / "nowhere.json", put_all(tmp_path / "empty", {}), SAMPLES / "trec", SAMPLES / "jsonl"):
        assert not detect(Probe(path)), path


def test_a_folder_is_known_by_files_that_can_be_read(tmp_path):
    for files, name in [
        (["queries.jsonl", "documents.jsonl", "qrels.tsv"], "trec"),
        (["queries.tsv", "collection.tsv", "qrels/test.tsv"], "trec"),
        (["queries.jsonl", "qrels/test.tsv"], "beir"),
        (["queries.jsonl", "corpus.jsonl"], "beir"),
        (["queries.jsonl", "judgments.parquet"], "jsonl"),
        (["corpus/a.parquet", "queries/a.parquet"], None),
    ]:
        path = put_all(tmp_path / "in", dict.fromkeys(files, "x"))
        if name is None:
            with pytest.raises(DataError, match="no known format"):
                detect_format(path)
        else:
            assert detect_format(path).name == name, files


def test_queries_documents_and_a_table_of_judgments_are_all_read(tmp_path):
    files = {"queries.jsonl": '{"query_id": "q", "text": "x"}', "documents.jsonl": '{"doc_id": "d", "text": "y"}'}
    found = load_dataset(put_all(tmp_path / "in", files | {"qrels.tsv": "query-id\tcorpus-id\tscore\nq\td\t1\n"}))
    assert (list(found.queries), list(found.documents), found.qrels) == (["q"], ["d"], {"q": {"d": 1}})


def test_the_format_of_higher_rank_is_asked_first(tmp_path, monkeypatch):
    asked = []

    def answering(name, rank):
        return Format(name, "", None, lambda probe: asked.append(name) or name == "mid", rank=rank)

    formats = {name: answering(name, rank) for name, rank in (("low", 0), ("mid", 5), ("top", 9))}
    monkeypatch.setattr("assay.datasets.format.all_formats", lambda: formats)
    assert detect_format(tmp_path).name == "mid"
    assert asked == ["top", "mid"]
    both = {name: replace(formats["mid"], name=name, detect=lambda probe: True) for name in ("one", "two")}
    monkeypatch.setattr("assay.datasets.format.all_formats", lambda: both)
    with pytest.raises(DataError, match="looks like one and two"):
        detect_format(tmp_path)


def test_a_probe_looks_at_a_path(tmp_path):
    probe = Probe(put(tmp_path / "a.txt", "x").parent)
    assert (probe.names, probe.head, probe.keys, probe.is_list) == ({"a.txt"}, b"", frozenset(), False)
    suffixes = {"a.jsonl.gz": ".jsonl", "a.JSON": ".json", "a.json.zst": ".json", "a": "", "a.b.tsv": ".tsv"}
    assert {name: Probe(tmp_path / name).suffix for name in suffixes} == suffixes
    for pack in (bytes, gzip.compress):
        probe = Probe(write(tmp_path / "a.json", pack(b'{"name": [1]}' + b" " * 1_000_000)))
        assert probe.keys == {"name"}
        assert len(probe.head) < 1_000_000
    for text, keys, outer in [
        ('{"a": {"b": [{"c": 1}]}, "d": "e:"}', "abcd", "ad"),
        ('[{"a": {"b": 1}}, {"c": 2}]', "abc", "ac"),
        ('{"a": 1}\n{"b": {"c": 1}}\n', "abc", "ab"),
        ('{"a" : "{", "b": "}"}', "ab", "ab"),
        ("no json", "", ""),
    ]:
        probe = Probe(write(tmp_path / "a.json", text))
        assert (probe.keys, probe.outer_keys) == (set(keys), set(outer)), text
    lists = {b"[]": True, b" \n[": True, BOM + b"[": True, b"{": False, b"": False}
    assert {text: Probe(write(tmp_path / "a.json", text)).is_list for text in lists} == lists


# --- bundled benchmarks ----------------------------------------------------------------------------------------------


def test_the_bundled_rag_template():
    dataset = load_dataset("rag-template")
    assert (dataset.format, dataset.path, dataset.repairs) == ("rag_template", bundled()["rag-template"], [])
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


def test_compressed_files_are_found_under_their_names(monkeypatch, tmp_path):
    made = BenchmarkDataset("Cats", queries={"q": Query("q", "cats?")}, documents={"d": Document("d", "a\nb\n")})
    made.qrels, made.spans = {"q": {"d": 1}}, {"q": [Span("d", 1, 2, "lines")]}
    made.save_json(tmp_path / "plain.json")
    content = (tmp_path / "plain.json").read_bytes()
    write(tmp_path / "by-gzip.json.gz", gzip.compress(content))
    write(tmp_path / "by-zstd.json.zst", zstandard.compress(content))
    write(tmp_path / "notes.txt", "no benchmark")
    monkeypatch.setattr("assay.datasets.format.BUNDLED", tmp_path)
    mine = ["by-gzip", "by-zstd", "plain"]
    assert [name for name in bundled() if not name.startswith("hpo-")] == mine
    for name in mine:
        assert_same(load_dataset(name), made)
