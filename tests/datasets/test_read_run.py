"""Reading runs: every form of one run reads the same."""

import gc
import gzip
import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard

from assay import Qrels, Run

from ._cases import (
    NUMBERED_ROWS,
    NUMBERED_RUN,
    RUN,
    RUN_FILES,
    RUN_NAMES,
    RUN_OBJECTS,
    RUN_ROWS,
    columns,
    delimited,
    faults_of,
    jsonl,
    packed,
    parquet,
    plain,
    trec_run,
    turned,
    write,
)

# --- every form ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "content"), RUN_FILES.values(), ids=RUN_FILES)
def test_every_file_reads_the_same(tmp_path, name, content):
    path = write(tmp_path / name, content)
    run = Run(path)
    assert plain(run) == RUN
    assert run.query_ids == tuple(RUN)
    assert plain(Run(str(path))) == RUN


@pytest.mark.parametrize("make", RUN_OBJECTS.values(), ids=RUN_OBJECTS)
def test_every_object_reads_the_same(make):
    assert plain(Run(make())) == RUN


def test_parquet_reads_the_same(tmp_path):
    assert plain(Run(parquet(tmp_path / "run.parquet", RUN_ROWS, RUN_NAMES))) == RUN
    assert plain(Run(parquet(tmp_path / "turned.parquet", turned(RUN_ROWS), ("score", "docno", "qid")))) == RUN


@pytest.mark.parametrize(
    "form", ["dict", "pandas", "polars", "pyarrow", "columns", "array", "tuples", "jsonl", "json", "parquet"]
)
def test_whole_number_ids_are_written_out(tmp_path, form):
    by_column = columns(NUMBERED_ROWS, RUN_NAMES)
    source = {
        "dict": lambda: {1: {10: 0.5, 20: 1.5}, 2: {10: 2.0}},
        "pandas": lambda: pd.DataFrame(by_column),
        "polars": lambda: pl.DataFrame(by_column),
        "pyarrow": lambda: pa.table(by_column),
        "columns": lambda: {name: np.array(values) for name, values in by_column.items()},
        "array": lambda: np.array(NUMBERED_ROWS, dtype=[("query_id", "i4"), ("doc_id", "u8"), ("score", "f4")]),
        "tuples": lambda: [(np.int64(query), np.int32(doc), np.float32(score)) for query, doc, score in NUMBERED_ROWS],
        "jsonl": lambda: write(tmp_path / "run.jsonl", jsonl(NUMBERED_ROWS, RUN_NAMES)),
        "json": lambda: write(tmp_path / "run.json", json.dumps(NUMBERED_ROWS)),
        "parquet": lambda: parquet(tmp_path / "run.parquet", NUMBERED_ROWS, RUN_NAMES),
    }[form]()
    assert plain(Run(source)) == NUMBERED_RUN


@pytest.mark.parametrize("name", ["run.csv", "run.jsonl", "run.parquet", "pandas", "polars", "dicts"])
def test_a_rank_serves_where_there_is_no_score(tmp_path, name):
    rows, names = [("q1", "a", 2), ("q1", "b", 1), ("q2", "a", 1)], ("qid", "docid", "rank")
    source = {
        "run.csv": lambda: write(tmp_path / name, delimited(rows, names)),
        "run.jsonl": lambda: write(tmp_path / name, jsonl(rows, names)),
        "run.parquet": lambda: parquet(tmp_path / name, rows, names),
        "pandas": lambda: pd.DataFrame(rows, columns=list(names)),
        "polars": lambda: pl.DataFrame(columns(rows, names)),
        "dicts": lambda: [dict(zip(names, row, strict=True)) for row in rows],
    }[name]()
    assert plain(Run(source)) == {"q1": {"a": -2, "b": -1}, "q2": {"a": -1}}


def test_the_score_counts_where_there_is_a_rank_too(tmp_path):
    path = write(tmp_path / "run.csv", "qid,docid,rank,score\nq1,a,1,0.1\nq1,b,2,0.9\n")
    assert Run(path).ranked(0) == ["b", "a"]
    assert Run(write(tmp_path / "run.txt", "q1 Q0 a 1 0.1 t\nq1 Q0 b 2 0.9 t\n")).ranked(0) == ["b", "a"]


def test_json_lists_of_ids_are_ranked_best_first(tmp_path):
    run = Run(write(tmp_path / "run.json", '{"q1": ["b", "a"], "q2": [], "q3": [7]}'))
    assert run.ranked(0) == ["b", "a"]
    assert run.n_retrieved.tolist() == [2, 0, 1]
    assert run.ranked(2) == ["7"]


def test_the_tag_is_that_of_the_first_line(tmp_path):
    assert Run(write(tmp_path / "run", "#c\nq1 Q0 a 1 0.1 bm25\nq1 Q0 b 2 0.0 other\n")).tag == "bm25"
    assert Run(write(tmp_path / "run", "q1 Q0 a 1 0.1 my own  tag\n")).tag == "my own tag"
    assert Run(write(tmp_path / "run.json", '{"q1": {"a": 1}}')).tag == ""
    assert plain(Run(write(tmp_path / "run", "q1 Q0 a 1 0.1 my own  tag\n"))) == {"q1": {"a": 0.1}}


def test_numbers_as_people_write_them(tmp_path):
    texts = ["1", "-1.5", "+2", ".5", "5.", "1e3", "-1E-3", "inf", "-Infinity"]
    lines = "".join(f"q1 Q0 d{place} 1 {text} t\n" for place, text in enumerate(texts))
    wanted = [1, -1.5, 2, 0.5, 5, 1000, -0.001, float("inf"), float("-inf")]
    assert list(Run(write(tmp_path / "run", lines))["q1"].values()) == wanted


# --- streams -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["r", "rb"])
@pytest.mark.parametrize("form", ["blanks", "JSON", "JSONL", "CSV", "TSV"])
def test_open_files(tmp_path, mode, form):
    path = write(tmp_path / RUN_FILES[form][0], RUN_FILES[form][1])
    with path.open(mode, encoding="utf-8" if mode == "r" else None) as file:
        assert plain(Run(file)) == RUN


@pytest.mark.parametrize("form", ["blanks", "gzip", "zstd", "JSON", "JSONL", "CSV", "TSV"])
def test_bytes_in_memory_and_standard_input(monkeypatch, form):
    content = RUN_FILES[form][1]
    content = content.encode() if isinstance(content, str) else content
    assert plain(Run(io.BytesIO(content))) == RUN
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert plain(Run("-")) == RUN


def test_text_in_memory():
    assert plain(Run(io.StringIO(trec_run()))) == RUN
    assert plain(Run(io.StringIO(json.dumps(RUN)))) == RUN


def test_open_compressed_files(tmp_path):
    with gzip.open(write(tmp_path / "run.gz", packed(trec_run().encode()))) as file:
        assert plain(Run(file)) == RUN
    with parquet(tmp_path / "run.parquet", RUN_ROWS, RUN_NAMES).open("rb") as file:
        assert plain(Run(file)) == RUN


def test_parquet_is_known_by_its_first_bytes(tmp_path):
    path = parquet(tmp_path / "run", RUN_ROWS, RUN_NAMES)
    assert plain(Run(path)) == RUN
    assert plain(Run(io.BytesIO(path.read_bytes()))) == RUN


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
def test_a_pipe_given_by_path_is_read_whole():
    """Shells write `<(zcat run.gz)` as /dev/fd/63, which can be read only once."""
    out, into = os.pipe()
    try:
        with os.fdopen(into, "wb") as file:
            file.write(trec_run().encode())
        assert plain(Run(f"/dev/fd/{out}")) == RUN
    finally:
        os.close(out)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    Run(io.BytesIO(zstandard.compress(trec_run().encode())))
    faults_of(Run, io.BytesIO(b"1 2 3\n"))
    gc.collect()  # the traceback of the fault
    assert list(tmp_path.iterdir()) == []


# --- duplicates ----------------------------------------------------------------------------------------------------


TWICE = [("q1", "a", 0.1), ("q1", "b", 0.3), ("q2", "a", 0.2), ("q1", "a", 0.5), ("q2", "a", 0.1)]


@pytest.mark.parametrize("form", ["trec", "csv", "jsonl", "json", "tuples", "polars", "parquet"])
def test_a_document_that_comes_twice_is_a_fault_unless_the_best_is_kept(tmp_path, form):
    source = {
        "trec": lambda: write(tmp_path / "run.txt", trec_run(TWICE)),
        "csv": lambda: write(tmp_path / "run.csv", delimited(TWICE, RUN_NAMES)),
        "jsonl": lambda: write(tmp_path / "run.jsonl", jsonl(TWICE, RUN_NAMES)),
        "json": lambda: write(tmp_path / "run.json", json.dumps(TWICE)),
        "tuples": lambda: TWICE,
        "polars": lambda: pl.DataFrame(columns(TWICE, RUN_NAMES)),
        "parquet": lambda: parquet(tmp_path / "run.parquet", TWICE, RUN_NAMES),
    }[form]()
    message = "\n".join(faults_of(Run, source))
    first, second = (5, 6) if form == "csv" else (4, 5)
    assert f":{first}: document a appears twice for query q1" in message
    assert f":{second}: document a appears twice for query q2" in message
    assert plain(Run(source, duplicates="keep_best")) == {"q1": {"a": 0.5, "b": 0.3}, "q2": {"a": 0.2}}


def test_a_duplicate_names_its_first_line(tmp_path):
    path = write(tmp_path / "run.txt", "# comment\n" + trec_run(TWICE))
    first, second = faults_of(Run, path)
    assert first.startswith(f"{path}:5: ")
    assert "line 2" in first
    assert second.startswith(f"{path}:6: ")
    assert "line 4" in second


def test_a_query_may_be_called_0(tmp_path):
    assert list(Run([(0, 0, 1.0)])) == ["0"]
    assert list(
        Run(write(tmp_path / "run.jsonl", '{"qid": 0, "docid": 0, "score": 1}\n{"qid": 1, "docid": 0, "score": 1}\n'))
    ) == ["0", "1"]
    assert list(Qrels([(0, 0, 1)])) == ["0"]
