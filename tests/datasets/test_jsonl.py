"""jsonl: tables as JSON lines."""

import gzip
import json

import pytest
from hypothesis import given, settings

from assay import UsageError
from assay.datasets.dataset import Repair
from assay.datasets.format import load_dataset
from assay.datasets.formats.tables import read_jsonl, write_jsonl
from assay.files.columns import COLUMN_NAMES
from assay.model.records import Document, Query, RelevanceJudgment, Span

from ._benchmarks import SAMPLES, assert_same, benchmarks, claims, faults
from ._cases import BOM, write

SAMPLE = SAMPLES / "jsonl"


def folder(path, **tables):
    """A folder with these tables."""
    path.mkdir(exist_ok=True)
    for name, rows in tables.items():
        write(
            path / f"{name}.jsonl",
            rows if isinstance(rows, str | bytes) else "".join(f"{json.dumps(row)}\n" for row in rows),
        )
    return path


def test_the_sample_reads_as_it_says():
    dataset = load_dataset(SAMPLE)
    assert (dataset.format, dataset.name, dataset.version, dataset.metadata) == ("jsonl", "Cats", "1.2", {"licence": "CC0"})
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
    assert dataset.spans == {"q1": [Span("d1", 0, 4)]}
    assert dataset.repairs == []


def test_nobody_else_claims_it():
    assert claims(SAMPLE) == ["jsonl"]


@settings(max_examples=50)
@given(made=benchmarks())
def test_written_is_read(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("jsonl") / "tables"
    write_jsonl(made, path)
    assert_same(read_jsonl(path), made)
    assert claims(path) == ["jsonl"]


def test_a_folder_of_bare_tables_will_do(tmp_path):
    rows = [{"id": 7, "question": "Why?", "relevant_ids": ["d1"]}]
    dataset = load_dataset(folder(tmp_path / "mine", queries=rows))
    assert (dataset.name, dataset.queries, dataset.qrels) == ("mine", {"7": Query("7", "Why?")}, {"7": {"d1": 1}})
    dataset = load_dataset(folder(tmp_path / "judged", judgments=[{"qid": 1, "docno": 2, "rel": 1}]))
    assert (dataset.queries, dataset.qrels) == ({"1": Query("1")}, {"1": {"2": 1}})


def test_odd_but_legal(tmp_path):
    rows = (
        BOM + '{"query_id": "é日", "text": "Ünïcode \u2028 and tab\\t", "extra": 1}\r\n\r\n{"query_id": "#2"}\r\n'.encode()
    )
    path = folder(
        tmp_path, queries=rows, documents=BOM + b'{"docno": 1, "contents": "one"}\r\n\r\n{"docno": 2, "body": "two"}'
    )
    write(path / "judgments.jsonl.gz", gzip.compress(b'{"query_id": "#2", "doc_id": 1, "relevance_grade": 1}\n\n'))
    dataset = load_dataset(path)
    assert dataset.queries == {"é日": Query("é日", "Ünïcode \u2028 and tab\t", metadata={"extra": 1}), "#2": Query("#2")}
    assert dict(dataset.documents.items()) == {"1": Document("1", "one"), "2": Document("2", "two")}
    assert dataset.documents["2"].text == "two"
    assert dataset.qrels == {"#2": {"1": 1}}


def test_a_single_file_is_read_as_a_golden_set(tmp_path):
    path = write(tmp_path / "set.jsonl", '{"query": "Why?", "relevant": ["d1"]}\n')
    assert read_jsonl(path).qrels == load_dataset(path).qrels == {"1": {"d1": 1}}


def test_fields_of_judgments_that_have_no_use_are_noted(tmp_path):
    rows = [{"query_id": "q", "doc_id": doc, "grade": 1, "comment": "why"} for doc in ("a", "b")]
    dataset = read_jsonl(folder(tmp_path, queries=[{"query_id": "q"}], judgments=rows))
    assert dataset.repairs == [Repair(f"{tmp_path}/judgments.jsonl:1", "the field 'comment' has no use", is_loss=True)]


QUERY = {"query_id": "q"}
GRADES = ", ".join(COLUMN_NAMES["grade"])
FAULTS = {
    "no JSON": ({"queries": '{"query_id": 1}\n{"query_id": \n'}, ["queries.jsonl:2: not JSON: Expecting value"]),
    "no object": ({"queries": '{"query_id": 1}\n7\n'}, ["queries.jsonl:2: expected an object with named fields, found 7"]),
    "not UTF-8": ({"queries": b'{"query_id": "\xff"}\n'}, ["queries.jsonl:1: not valid UTF-8"]),
    "a key twice": (
        {"queries": '{"text": "a", "text": "b"}'},
        ["queries.jsonl:1: the key 'text' comes twice in one object"],
    ),
    "no text": ({"queries": [{"text": ["a"]}]}, ["queries.jsonl:1: text is text, not ['a']"]),
    "an empty id": ({"queries": [{"query_id": ""}]}, ["queries.jsonl:1: the id of a query or document is empty"]),
    "a broken id": ({"queries": [{"query_id": 1.5}]}, ["queries.jsonl:1: an id is text or a whole number, not 1.5"]),
    "no object as metadata": ({"queries": [{"metadata": [1]}]}, ["queries.jsonl:1: metadata is an object, not [1]"]),
    "two values": (
        {"queries": [{"a": 1, "metadata": {"a": 2}}]},
        ["queries.jsonl:1: 'a' stands in the record and in its metadata"],
    ),
    "bad evidence": ({"queries": [{"evidence": {"a": 1}}]}, ["queries.jsonl:1: evidence is a list of ids, not {'a': 1}"]),
    "no query": ({"queries": "\n"}, ["queries.jsonl: there is no query in it"]),
    "no grade": (
        {"queries": [QUERY], "judgments": [{"query_id": "q", "doc_id": "d"}]},
        [
            f"judgments.jsonl:1: no column for the grade among 'query_id', 'doc_id'; call it one of {GRADES}",
        ],
    ),
    "no number": (
        {"queries": [QUERY], "judgments": [{"query_id": "q", "doc_id": "d", "grade": "high"}]},
        ["judgments.jsonl:1: the grade of document d for query q is 'high'; a grade is a finite number"],
    ),
    "judged twice": (
        {"queries": [QUERY], "judgments": [{"query_id": "q", "doc_id": "d", "grade": grade} for grade in (1, 2)]},
        ["judgments.jsonl:2: document d is judged twice for query q"],
    ),
}


@pytest.mark.parametrize(("tables", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_says_where(tmp_path, tables, said):
    assert faults(read_jsonl, folder(tmp_path, **tables)) == said


def test_a_query_comes_once(tmp_path):
    (said,) = faults(read_jsonl, folder(tmp_path, queries=[QUERY, QUERY]))
    assert "queries.jsonl:2: query q appears twice (first at" in said


def test_all_faults_come_together(tmp_path):
    found = faults(read_jsonl, folder(tmp_path, queries=[{"text": [number]} for number in range(30)]))
    assert len(found) == 20


def test_documents_are_checked_when_they_are_asked_for(tmp_path):
    path = folder(tmp_path, queries=[QUERY], documents=[{"text": "no id"}, {"doc_id": "d"}, {"doc_id": "d"}])
    found = faults(lambda path: len(read_jsonl(path).documents), path)
    assert [one.partition("documents.jsonl")[2][:2] for one in found] == [":1", ":3"]
    path = folder(tmp_path, documents=[{"doc_id": "d", "page_number": "iv"}])
    (said,) = faults(lambda path: read_jsonl(path).documents["d"], path)
    assert said.endswith("documents.jsonl:1: no document: page_number is a whole number, not 'iv'")


def test_two_tables_of_a_kind_are_refused(tmp_path):
    path = folder(tmp_path, queries=[QUERY])
    write(path / "queries.jsonl.gz", gzip.compress(b"{}"))
    (said,) = faults(read_jsonl, path)
    assert said.endswith("several files with queries: queries.jsonl, queries.jsonl.gz; keep one")


def test_tables_go_to_a_folder_without_others(tmp_path):
    dataset = load_dataset(SAMPLE)
    with pytest.raises(UsageError, match=r"jsonl is a folder of files; give a folder, such as out"):
        write_jsonl(dataset, tmp_path / "out.jsonl")
    write(tmp_path / "queries.parquet", b"")
    assert (
        "there are already queries.parquet; write to another folder"
        in faults(lambda path: write_jsonl(dataset, path), tmp_path)[0]
    )


@pytest.mark.parametrize(
    ("record", "doc_id"),
    [
        ({"doc_id": "d1", "id": 7, "text": "x"}, "d1"),
        ({"id": 7, "doc_id": "d1"}, "d1"),
        ({"docId": "d1"}, "d1"),
        ({"_id": "a", "id": "b", "docno": "c"}, "a"),
        ({"id": "b", "_id": "a"}, "b"),
        ({"doc_id": None, "DocID": 5}, "5"),
        ({"document-id": "d", "metadata": {"id": 3}}, "d"),
    ],
)
def test_a_list_of_ids_and_the_documents_agree(tmp_path, record, doc_id):
    write(tmp_path / "queries.jsonl", '{"id": "q"}')
    write(tmp_path / "documents.jsonl", json.dumps(record))
    documents = read_jsonl(tmp_path).documents
    assert list(documents) == [key for key, _ in documents.items()] == [doc_id]
    assert documents[doc_id].doc_id == doc_id
