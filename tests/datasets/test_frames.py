"""Benchmarks from data frames and lists of records, in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay import BenchmarkDataset, DataError, load_dataset

QUERIES = {"query_id": [1, 2], "question": ["How long do cats sleep?", "Who roars?"]}
DOCUMENTS = {"doc_id": ["d1", "d2"], "text": ["Cats sleep 12 to 16 hours a day.", "Lions roar."]}
QRELS = {"query_id": [1, 2, 2], "doc_id": ["d1", "d2", "d1"], "relevance": [2, 1, 0]}
GOLDEN = {"question": QUERIES["question"], "doc_id": ["d1", "d2"], "topic": ["cats", None]}


def records(columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


KINDS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": pa.table,
    "records": records,
    "columns": dict,
}


@pytest.mark.parametrize("kind", KINDS)
def test_three_frames_are_a_benchmark(kind: str) -> None:
    """Ids may be numbers."""
    make = KINDS[kind]
    dataset = BenchmarkDataset.from_frames(queries=make(QUERIES), documents=make(DOCUMENTS), qrels=make(QRELS), name="cats")
    assert dataset.name == "cats"
    assert {query.query_id: query.text for query in dataset.queries.values()} == {
        "1": QUERIES["question"][0],
        "2": "Who roars?",
    }
    assert dataset.qrels == {"1": {"d1": 2}, "2": {"d2": 1, "d1": 0}}
    assert assay.run(dataset, "bm25", "mrr").summary == {"mrr": 1.0}


@pytest.mark.parametrize("kind", KINDS)
def test_one_frame_is_a_golden_list(kind: str) -> None:
    """Other columns are tags; a missing value is none."""
    make = KINDS[kind]
    dataset = load_dataset(make(GOLDEN), documents=make(DOCUMENTS))
    assert dataset.qrels == {"1": {"d1": 1}, "2": {"d2": 1}}
    assert [query.tags for query in dataset.queries.values()] == [{"topic": "cats"}, {}]
    assert assay.run(make(GOLDEN), "bm25", "mrr", documents=make(DOCUMENTS)).summary == {"mrr": 1.0}


def test_lists_in_cells() -> None:
    """Arrays and lists of relevant ids."""
    frame = pd.DataFrame({"question": ["Who?", "What?"], "relevant_ids": [np.array(["d1", "d2"]), ["d2"]]})
    assert load_dataset(frame).qrels == {"1": {"d1": 1, "d2": 1}, "2": {"d2": 1}}


def test_plain_mappings_are_frames_too() -> None:
    """Texts alone, id → text, and query → document → grade."""
    dataset = BenchmarkDataset.from_frames(["Who roars?"], {"d1": "Cats.", "d2": "Lions roar."}, {"1": {"d2": 1}})
    assert dataset.queries["1"].text == "Who roars?"
    assert dataset.qrels == {"1": {"d2": 1}}
    named = BenchmarkDataset.from_frames({"q": "Who roars?"}, columns=None)
    assert list(named.queries) == ["q"]


def test_columns_are_named_for_frames() -> None:
    """As for files."""
    frame = pd.DataFrame({"frage": ["Wer brüllt?"], "beleg": ["d2"]})
    dataset = load_dataset(frame, columns={"query": "frage", "relevant": "beleg"})
    assert dataset.queries["1"].text == "Wer brüllt?"
    assert dataset.qrels == {"1": {"d2": 1}}


WRONG: dict[str, Callable[[], object]] = {
    "a number": lambda: load_dataset(42),  # type: ignore[arg-type]
    "nothing": lambda: load_dataset([]),
    "an array": lambda: load_dataset(np.zeros(3)),
    "an unknown frame": lambda: load_dataset(pd.DataFrame({"frage": ["Wer?"], "beleg": ["d2"]})),
    "queries of a wrong type": lambda: BenchmarkDataset.from_frames(queries=42),
    "documents of a wrong type": lambda: BenchmarkDataset.from_frames(["Who?"], documents=3),
    "documents without text or id": lambda: BenchmarkDataset.from_frames(["Who?"], documents=[{"name": "d1"}]),
    "judgments of a wrong type": lambda: BenchmarkDataset.from_frames(["Who?"], qrels=[1, 2]),
    "judgments without grade": lambda: BenchmarkDataset.from_frames(["Who?"], qrels=[{"query_id": 1, "doc_id": 2}]),
    "a bad record": lambda: load_dataset([{"question": "Who?", "relevant_ids": {"d1": "x"}}]),
}


def test_wrong_types_say_what_is_accepted(snapshots: Any) -> None:
    """Every one is an error of assay."""
    snapshots.check_errors("datasets/faults_of_frames", WRONG)
    for wrong in WRONG.values():
        with pytest.raises(DataError):
            wrong()


def test_cells_of_frames() -> None:
    """Dates are text, and whole numbers with missing values among them are ids."""
    frame = pd.DataFrame({"question": ["Who?", "What?"], "doc_id": [1, None], "when": [pd.Timestamp("2026-01-02"), pd.NaT]})
    dataset = load_dataset(frame, documents=pd.DataFrame({"doc_id": [1, 2], "text": ["Cats.", "Dogs."]}))
    assert dataset.qrels == {"1": {"1": 1}}
    assert dataset.queries["1"].metadata == {"when": "2026-01-02T00:00:00"}
    twice = pd.DataFrame([["Who?", "d1", "d2"]], columns=["question", "doc_id", "doc_id"])
    with pytest.raises(DataError, match="'doc_id' appears twice"):
        load_dataset(twice)


def test_the_second_argument_is_the_format() -> None:
    """Two frames side by side are a slip."""
    with pytest.raises(assay.BadParameter, match="documents="):
        load_dataset(pd.DataFrame(GOLDEN), pd.DataFrame(DOCUMENTS))  # type: ignore[arg-type]
