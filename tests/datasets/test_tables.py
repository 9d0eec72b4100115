"""json, jsonl and parquet: the records of a benchmark in one file, or a table for each kind."""

import datetime as dt
import json

import pandas as pd
import pyarrow.parquet as pq

from assay import BenchmarkDataset, Document, Query, RelevanceJudgment, Span
from assay.datasets import Repair, find_format, load_dataset

from ._benchmarks import SAMPLES, assert_same, claims
from ._cases import BOM, write
from ._faults import jsonl
from ._files import put, put_all


def load_json(folder, content):
    return load_dataset(put(folder / "data.json", content), "json")


def load_jsonl(folder, **tables):
    return load_dataset(put_all(folder / "mine", jsonl(**tables)), "jsonl")


# --- json ------------------------------------------------------------------------------------------------------------


def test_the_sample_of_json():
    found = load_dataset(SAMPLES / "json" / "cats.json")
    assert (found.name, found.metadata) == ("Cats", {"license": "CC0"})
    assert found.queries["3"] == Query("3", "Do dogs sleep?", scope="dogs", evidence=["d2"])
    assert found.documents["d2"].metadata == {"url": "https://example.org/2"}
    assert found.qrels == {"q1": {"d1": 3, "d2": 0}, "q2": {}, "3": {"d2": 0.5}}
    assert found.judgments["q1", "d1"].judge == "ann"
    assert found.spans == {"q1": [Span("d1", 11, 22)]}


def test_fields_without_a_value_are_left_out(tmp_path):
    BenchmarkDataset("Plain", queries={"q": Query("q", "x")}).save_json(tmp_path / "plain.json")
    assert json.loads((tmp_path / "plain.json").read_text()) == {
        "metadata": {"dataset_name": "Plain", "version": "1.0"},
        "queries": {"q": {"query_id": "q", "text": "x"}},
        "documents": {},
        "qrels": {},
    }


def test_what_json_may_leave_out_or_say_otherwise(tmp_path):
    found = load_json(tmp_path, {"queries": {"q": {}}})
    assert (found.name, found.version, found.queries) == ("data", "1.0", {"q": Query("q")})
    assert (found.documents, found.qrels) == ({}, {})
    lists = {"queries": [{"id": "q", "text": "x"}, {"query_id": 7}], "documents": [{"doc_id": "d", "id": "other"}]}
    found = load_json(tmp_path, lists)
    assert found.queries == {"q": Query("q", "x"), "7": Query("7")}
    assert found.documents == {"d": Document("d", metadata={"id": "other"})}
    assert load_json(tmp_path, {"qrels": {"q": {"d": 1}}}).queries == {"q": Query("q")}
    numbers = load_json(tmp_path, {"queries": {"q": {"query_type": 5, "difficulty": 0.5, "evidence": [1, "e"]}}})
    assert numbers.queries == {"q": Query("q", query_type="5", difficulty="0.5", evidence=["1", "e"])}
    found = load_json(tmp_path, {"queries": {}, "license": "CC0", "dataset_name": "Mine", "metadata": {"version": 2}})
    assert (found.name, found.version, found.metadata) == ("Mine", "2", {"license": "CC0"})


def test_fields_nobody_knows_are_metadata(tmp_path):
    queries = {"7": {"query_id": 7, "text": "x", "lang": "de", "metadata": {"a": 1}, "expected": None}}
    found = load_json(tmp_path, {"queries": queries, "documents": {"d": {"url": "http://x", "text": None}}})
    assert found.queries == {"7": Query("7", "x", metadata={"lang": "de", "a": 1})}
    assert found.documents == {"d": Document("d", metadata={"url": "http://x"})}


def test_a_value_given_twice_is_noted(tmp_path):
    queries = {"q": {"lang": "de", "same": 1, "metadata": {"lang": "en", "same": 1}}}
    found = load_json(tmp_path, {"queries": queries, "lang": "fr", "metadata": {"lang": "it"}})
    assert found.queries["q"].metadata == {"lang": "de", "same": 1}
    assert found.metadata == {"lang": "fr"}
    assert [(one.place, one.what, one.is_loss) for one in found.repairs] == [
        ("the file", "lang is given twice; that in the metadata ('it') is not kept", True),
        ("query q", "lang is given twice; that in the metadata ('en') is not kept", True),
    ]


# --- jsonl -----------------------------------------------------------------------------------------------------------


def test_the_sample_of_jsonl_also_as_parquet(tmp_path):
    dataset = load_dataset(SAMPLES / "jsonl")
    assert (dataset.name, dataset.version, dataset.metadata) == ("Cats", "1.2", {"licence": "CC0"})
    asked = {"language": "en", "asked": [2024, 5]}
    assert list(dataset.queries.values()) == [
        Query("q1", "How long do cats sleep?", "factual", "easy", "animals", asked, "12 to 16 hours"),
        Query("q2", "Schlafen Löwen länger?\nUnd warum?", metadata={"language": "de"}, evidence=["d2"], scope="lions"),
        Query("q3", "Do stones sleep?"),
    ]
    assert list(dataset.documents.values()) == [
        Document("d1", "Cats sleep 12 to 16 hours a day.", "cats.md", 3, "Sleep", title="Cats"),
        Document("d2", "Lions sleep up to 20 hours a day.", group="lions", metadata={"words": 8}),
    ]
    assert dataset.qrels == {"q1": {"d1": 3, "d2": 0}, "q2": {"d2": 0.5}, "q3": {}}
    assert dataset.judgments == {("q1", "d1"): RelevanceJudgment("q1", "d1", 3, "Ada", "2024-05-01")}
    assert (dataset.spans, dataset.repairs) == ({"q1": [Span("d1", 0, 4)]}, [])
    path = tmp_path / "it's [1]*?"
    find_format("parquet").save(dataset, path)
    assert claims(path) == ["parquet"]
    assert_same(load_dataset(path), dataset)


def test_a_folder_of_bare_tables_will_do(tmp_path):
    dataset = load_jsonl(tmp_path, queries=[{"id": 7, "question": "Why?", "relevant_ids": ["d1"]}])
    assert (dataset.name, dataset.queries, dataset.qrels) == ("mine", {"7": Query("7", "Why?")}, {"7": {"d1": 1}})
    dataset = load_dataset(put_all(tmp_path / "judged", {"judgments.jsonl": [{"qid": 1, "docno": 2, "rel": 1}]}))
    assert (dataset.queries, dataset.qrels) == ({"1": Query("1")}, {"1": {"2": 1}})
    path = write(tmp_path / "set.jsonl", '{"query": "Why?", "relevant": ["d1"]}\n')  # a golden set
    assert load_dataset(path, "jsonl").qrels == load_dataset(path).qrels == {"1": {"d1": 1}}


def test_odd_but_legal_lines(tmp_path):
    first = '{"query_id": "é日", "text": "Ünïcode \u2028 and tab\\t", "extra": 1}\r\n\r\n{"query_id": "#2"}\r\n'
    documents = BOM + b'{"docno": 1, "contents": "one"}\r\n\r\n{"docno": 2, "body": "two"}'
    dataset = load_jsonl(tmp_path, queries=BOM + first.encode(), documents=documents)
    assert dataset.queries == {"é日": Query("é日", "Ünïcode \u2028 and tab\t", metadata={"extra": 1}), "#2": Query("#2")}
    assert dict(dataset.documents.items()) == {"1": Document("1", "one"), "2": Document("2", "two")}
    assert dataset.documents["2"].text == "two"


def test_fields_of_judgments_that_have_no_use_are_noted(tmp_path):
    rows = [{"query_id": "q", "doc_id": doc, "grade": 1, "comment": "why"} for doc in ("a", "b")]
    noted = Repair(f"{tmp_path}/mine/judgments.jsonl:1", "the field 'comment' has no use", is_loss=True)
    assert load_jsonl(tmp_path, judgments=rows).repairs == [noted]


def test_a_list_of_ids_and_the_documents_agree(tmp_path):
    for record, doc_id in [
        ({"doc_id": "d1", "id": 7, "text": "x"}, "d1"),
        ({"id": 7, "doc_id": "d1"}, "d1"),
        ({"docId": "d1"}, "d1"),
        ({"_id": "a", "id": "b", "docno": "c"}, "a"),
        ({"id": "b", "_id": "a"}, "b"),
        ({"doc_id": None, "DocID": 5}, "5"),
        ({"document-id": "d", "metadata": {"id": 3}}, "d"),
    ]:
        documents = load_jsonl(tmp_path, documents=[record]).documents
        assert list(documents) == [key for key, _ in documents.items()] == [doc_id], record
        assert documents[doc_id].doc_id == doc_id


# --- parquet ---------------------------------------------------------------------------------------------------------


def test_columns_are_the_fields_of_the_records(tmp_path):
    find_format("parquet").save(load_dataset(SAMPLES / "jsonl"), tmp_path)
    judgments = pq.read_schema(tmp_path / "judgments.parquet").names
    assert judgments == ["query_id", "doc_id", "relevance_grade", "judge", "timestamp"]
    row = pq.read_table(tmp_path / "queries.parquet").to_pylist()[1]
    assert (row["evidence"], row["metadata"], row["expected"]) == (["d2"], '{"language":"de"}', None)
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".json", ".parquet", ".parquet", ".parquet"]


def test_tables_of_other_writers_are_read(tmp_path):
    dates, scores = [dt.date(2024, 5, 1), None], [0.5, float("nan")]
    queries = {"query_id": [1, 2], "question": ["Why?", "Who?"], "when": dates, "score": scores}
    documents = {"id": ["a", "b"], "contents": ["x", "y"], "page_number": [3, None]}
    pd.DataFrame(queries).to_parquet(tmp_path / "queries.parquet")
    pd.DataFrame(documents).to_parquet(tmp_path / "documents.parquet")
    row = {"query_id": 1, "doc_id": "a", "rel": 2, "timestamp": dt.datetime(2024, 5, 1)}
    put(tmp_path / "judgments.parquet", [row])
    dataset = load_dataset(tmp_path)
    first = Query("1", "Why?", metadata={"when": "2024-05-01", "score": 0.5})
    assert dataset.queries == {"1": first, "2": Query("2", "Who?")}
    assert dataset.documents == {"a": Document("a", "x", page_number=3), "b": Document("b", "y")}
    assert dataset.judgments == {("1", "a"): RelevanceJudgment("1", "a", 2, timestamp="2024-05-01T00:00:00")}


def test_ground_truth_may_stand_in_the_queries(tmp_path):
    rows = [{"query": "Why?", "relevant_ids": ["a", "b"]}, {"query": "Who?", "relevant_ids": []}]
    assert load_dataset(put_all(tmp_path, {"queries.parquet": rows})).qrels == {"1": {"a": 1, "b": 1}, "2": {}}
