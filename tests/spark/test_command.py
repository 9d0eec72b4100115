"""`assay score --engine spark`: the output of `assay score`, from folders and addresses of Parquet files."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay
from assay.cli import main

JUDGMENTS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}, "q3": {"a": 1}}
RUNS = {
    "bm25": {"q1": {"a": 3.0, "x": 2.0, "c": 2.0}, "q2": {"e": 1.0, "d": 0.5}, "q9": {"d": 0.5}},
    "dense": {"q1": {"c": 9.0}, "q2": {"d": 8.0}, "q3": {"y": 1.0, "a": 1.0}},
}
METRICS = ["-m", "ndcg@10", "map"]


def write_parquet(path, rows, names):
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))), path)


def rows_of(runs):
    return [(name, q, d, s) for name, run in runs.items() for q, ranking in run.items() for d, s in ranking.items()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Judgments and runs as files and folders."""
    folder = tmp_path_factory.mktemp("tables")
    judged = [(q, d, g) for q, grades in JUDGMENTS.items() for d, g in grades.items()]
    write_parquet(folder / "qrels.parquet", judged, ("query_id", "doc_id", "relevance"))
    write_parquet(folder / "qrels" / "part.parquet", judged, ("query_id", "doc_id", "relevance"))
    names = ("query_id", "doc_id", "score")
    (folder / "qrels.txt").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in judged))
    for name, run in RUNS.items():
        rows = [row[1:] for row in rows_of({name: run})]
        write_parquet(folder / f"{name}.parquet", rows, names)
        write_parquet(folder / name / "one.parquet", rows[:2], names)
        write_parquet(folder / name / "two.parquet", rows[2:], names)
        (folder / f"{name}.run").write_text("".join(f"{q} Q0 {d} 1 {s} {name}\n" for q, d, s in rows))
    write_parquet(folder / "sweep" / "all.parquet", rows_of(RUNS), ("system", *names))
    return folder


def output(capsys, *arguments):
    code = main(["score", *map(str, arguments)])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    return captured.out


def test_tables_files_and_addresses_print_what_assay_score_prints(spark, capsys, folder):
    expected = output(capsys, folder / "qrels.txt", folder / "bm25.run", folder / "dense.run", *METRICS)
    expected = expected.partition("Is the difference real?")[0].rstrip()
    on_spark = ("--engine", "spark")
    for qrels, first, second in (
        ("qrels.txt", "bm25.run", "dense.parquet"),
        ("qrels.parquet", "bm25.parquet", "dense"),
        ("qrels", "bm25", "dense"),
    ):
        printed = output(capsys, *on_spark, folder / qrels, folder / first, folder / second, *METRICS)
        assert printed.rstrip() == expected
    address = folder.as_uri()
    assert (
        output(capsys, *on_spark, f"{address}/qrels", f"{address}/bm25", f"dense={address}/dense", *METRICS).rstrip()
        == expected
    )


@pytest.mark.parametrize("form", ["grouped", "counting"])
def test_runs_that_a_column_names(spark, capsys, folder, form):
    how = ("--engine", "spark", "--run-col", "system", "--form", form, "--format", "json")
    results = json.loads(output(capsys, folder / "qrels", folder / "sweep", *how, *METRICS))["results"]
    assert [result["name"] for result in results] == ["bm25", "dense"]
    for result in results:
        expected = assay.evaluate(JUDGMENTS, RUNS[result["name"]], ["ndcg@10", "map"])
        assert result["summary"] == expected.summary
        assert result["fingerprints"] == expected.fingerprints


def test_policies_bands_and_columns(spark, capsys, folder):
    how = ("--ties", "docid_asc", "--missing", "skip", "--tie-band", "--residuals", *METRICS)
    expected = output(capsys, folder / "qrels.txt", folder / "dense.run", *how)
    assert output(capsys, folder / "qrels.txt", folder / "dense", "--engine", "spark", *how) == expected
    write_parquet(folder / "other" / "names.parquet", [row[1:] for row in rows_of({"": RUNS["dense"]})], ("q", "d", "s"))
    named = ("--engine", "spark", "--columns", "query_id=q,doc_id=d,score=s")
    assert "0.6667" in output(capsys, folder / "qrels.txt", folder / "other", *named, "-m", "hit@1")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["nowhere"], "nowhere: no such file"),
        (["file:///nowhere/at/all"], "file:///nowhere/at/all: Spark cannot read it: [PATH_NOT_FOUND]"),
        (["s3a://bucket/run"], "s3a://bucket/run: Spark "),
        (["bm25", "--ties", "input_order"], "ties=input_order needs the order of rows"),
        (["bm25", "--run-col", "system"], "found no column 'system'"),
        (["twice"], "run, query q1: document a appears twice"),
    ],
)
def test_errors_are_one_line(spark, capsys, folder, monkeypatch, arguments, text):
    monkeypatch.chdir(folder)
    write_parquet(folder / "twice" / "a.parquet", [("q1", "a", 1.0), ("q1", "a", 2.0)], ("query_id", "doc_id", "score"))
    assert main(["score", "--engine", "spark", "qrels.txt", *arguments, *METRICS]) in (2, 3, 4)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert text in captured.err
    assert captured.err.count("\n") == 1
