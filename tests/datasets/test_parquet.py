"""parquet: tables as Parquet."""

import datetime as dt

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from assay.datasets.format import load_dataset
from assay.datasets.formats.tables import read_parquet, write_parquet
from assay.model.records import Document, Query, RelevanceJudgment

from ._benchmarks import SAMPLES, assert_same, benchmarks, claims, faults
from ._cases import write


def table(path, rows):
    """A Parquet file of another writer."""
    pq.write_table(pa.Table.from_pylist(rows), path)


def test_the_sample_survives(tmp_path):
    dataset = load_dataset(SAMPLES / "jsonl")
    write_parquet(dataset, tmp_path / "tables")
    found = load_dataset(tmp_path / "tables")
    assert_same(found, dataset)
    assert found.format == "parquet"
    assert claims(tmp_path / "tables") == ["parquet"]


@settings(max_examples=25)
@given(made=benchmarks())
def test_written_is_read(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "tables"
    write_parquet(made, path)
    assert_same(read_parquet(path), made)


def test_columns_are_the_fields_of_the_records(tmp_path):
    write_parquet(load_dataset(SAMPLES / "jsonl"), tmp_path)
    assert pq.read_schema(tmp_path / "judgments.parquet").names == [
        "query_id",
        "doc_id",
        "relevance_grade",
        "judge",
        "timestamp",
    ]
    row = pq.read_table(tmp_path / "queries.parquet").to_pylist()[1]
    assert (row["evidence"], row["metadata"], row["expected"]) == (["d2"], '{"language":"de"}', None)
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".json", ".parquet", ".parquet", ".parquet"]


def test_tables_of_other_writers_are_read(tmp_path):
    queries = {
        "query_id": [1, 2],
        "question": ["Why?", "Who?"],
        "when": [dt.date(2024, 5, 1), None],
        "score": [0.5, float("nan")],
    }
    pd.DataFrame(queries).to_parquet(tmp_path / "queries.parquet")
    pd.DataFrame({"id": ["a", "b"], "contents": ["x", "y"], "page_number": [3, None]}).to_parquet(
        tmp_path / "documents.parquet"
    )
    table(
        tmp_path / "judgments.parquet",
        [{"query_id": 1, "doc_id": "a", "rel": 2, "timestamp": dt.datetime(2024, 5, 1)}],
    )
    dataset = load_dataset(tmp_path)
    assert dataset.queries == {
        "1": Query("1", "Why?", metadata={"when": "2024-05-01", "score": 0.5}),
        "2": Query("2", "Who?"),
    }
    assert dataset.documents == {"a": Document("a", "x", page_number=3), "b": Document("b", "y")}
    assert dataset.judgments == {("1", "a"): RelevanceJudgment("1", "a", 2, timestamp="2024-05-01T00:00:00")}


def test_ground_truth_may_stand_in_the_queries(tmp_path):
    table(
        tmp_path / "queries.parquet", [{"query": "Why?", "relevant_ids": ["a", "b"]}, {"query": "Who?", "relevant_ids": []}]
    )
    assert read_parquet(tmp_path).qrels == {"1": {"a": 1, "b": 1}, "2": {}}


def test_a_folder_with_odd_letters_is_read_and_written(tmp_path):
    path = tmp_path / "it's [1]*?"
    write_parquet(load_dataset(SAMPLES / "jsonl"), path)
    assert_same(read_parquet(path), load_dataset(SAMPLES / "jsonl"))


FAULTS = {
    "an id": ([{"query_id": 1.5}], "queries.parquet, record:1: an id is text or a whole number, not 1.5"),
    "metadata": ([{"query_id": 1, "metadata": "{"}], "queries.parquet, record:1: not JSON: Expecting property name"),
    "twice": ([{"query_id": 1}, {"query_id": 1}], "queries.parquet, record:2: query 1 appears twice"),
}


@pytest.mark.parametrize(("rows", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_says_where(tmp_path, rows, said):
    table(tmp_path / "queries.parquet", rows)
    assert said in faults(read_parquet, tmp_path)[0]


def test_a_document_comes_once(tmp_path):
    table(tmp_path / "queries.parquet", [{"query_id": 1}])
    table(tmp_path / "documents.parquet", [{"doc_id": 1}, {"doc_id": 1}])
    assert "documents.parquet, record:2: document 1 appears twice" in faults(read_parquet, tmp_path)[0]


def test_what_is_no_parquet_is_named(tmp_path):
    write(tmp_path / "queries.parquet", b"PAR1 and then nothing")
    assert "queries.parquet: not a Parquet file" in faults(read_parquet, tmp_path)[0]


def test_what_does_not_fit_a_column_is_refused(tmp_path):
    dataset = load_dataset(SAMPLES / "jsonl")
    dataset.add_document(Document("d3", page_number="iv"))
    assert "cannot be written as Parquet" in faults(lambda path: write_parquet(dataset, path), tmp_path)[0]
    assert not list(tmp_path.iterdir())
