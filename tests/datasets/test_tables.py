"""json, jsonl and parquet: the records of a benchmark in one file, or a table for each kind."""

import datetime as dt
import json

import pandas as pd
import pyarrow.parquet as pq

from assay import BenchmarkDataset, Document, Query, RelevanceJudgment
from assay.datasets import find_format, load_dataset

from ._benchmarks import SAMPLES
from ._files import put


def test_columns_are_the_fields_of_the_records_and_json_leaves_out_what_has_no_value(tmp_path):
    BenchmarkDataset("Plain", queries={"q": Query("q", "x")}).save_json(tmp_path / "plain.json")
    wanted = {"metadata": {"dataset_name": "Plain", "version": "1.0"}, "queries": {"q": {"query_id": "q", "text": "x"}}}
    assert json.loads((tmp_path / "plain.json").read_text()) == wanted | {"documents": {}, "qrels": {}}
    (tmp_path / "plain.json").unlink()
    find_format("parquet").save(load_dataset(SAMPLES / "jsonl"), tmp_path)
    judgments = pq.read_schema(tmp_path / "judgments.parquet").names
    assert judgments == ["query_id", "doc_id", "relevance_grade", "judge", "timestamp", "valid_from", "valid_to"]
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
    lines = put(tmp_path / "set.jsonl", [{"query": "Why?", "relevant": ["d1"]}])  # a golden set is a table as well
    assert load_dataset(lines, "jsonl").qrels == load_dataset(lines).qrels == {"1": {"d1": 1}}
