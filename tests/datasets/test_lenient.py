"""Lenient reading: bad records are left out, counted and listed, up to a share; otherwise faults are errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import DataError, load_dataset
from assay.cli import main
from assay.datasets import check_dataset, load_systems

from ._cases import delimited
from ._files import put, put_all

N = 200


def squad(n: int, n_bad: int) -> dict[str, Any]:
    """A SQuAD file in which some questions have an empty answer."""
    questions = [
        {"id": f"q{i}", "question": f"Who is {i}?", "answers": [{"text": "Cats" if i >= n_bad else "", "answer_start": 0}]}
        for i in range(n)
    ]
    return {"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": "Cats sleep.", "qas": questions}]}]}


def folders() -> dict[str, dict[str, Any]]:
    """Benchmarks of many kinds; each has one bad record among many."""
    docs = [{"_id": f"d{i}", "text": f"text {i}"} for i in range(N)]
    queries = [{"_id": f"q{i}", "text": f"query {i}"} for i in range(N)]
    good = {
        "corpus.jsonl": docs,
        "queries.jsonl": queries,
        "qrels.tsv": delimited([(f"q{i}", f"d{i}", 1) for i in range(N)], ("query-id", "corpus-id", "score"), "\t"),
    }
    csv_rows = [(f"q{i}", f"query {i}", f"d{i}") for i in range(N)]
    golden = delimited(csv_rows, ("id", "question", "doc_id"))
    lines = "".join(json.dumps(doc) + "\n" for doc in docs)
    return {
        "a query that is no object": {**good, "queries.jsonl": [*queries, 7]},
        "a document that is no JSON": {**good, "corpus.jsonl": f"{lines}{{broken\n"},
        "a document without id": {**good, "corpus.jsonl": [*docs, {"text": "lost"}]},
        "a document with a list as text": {**good, "corpus.jsonl": [*docs, {"_id": "x", "text": ["lost"]}]},
        "a document twice": {**good, "corpus.jsonl": [*docs, {"_id": "d1", "text": "again"}]},
        "a judgment with a bad grade": {**good, "qrels.tsv": f"{good['qrels.tsv']}q1\td3\thigh\n"},
        "a document with broken metadata": {
            "golden.csv": golden,
            "chunks.jsonl": [
                *({"doc_id": doc["_id"], "text": doc["text"]} for doc in docs),
                {"doc_id": "x", "metadata": "{x"},
            ],
        },
        "a row with too few cells": {"corpus.jsonl": docs, "golden.csv": f"{golden}q,x\n"},
        "a golden record twice": {"corpus.jsonl": docs, "golden.csv": f"{golden}q1,another,d1\n"},
    }


@pytest.mark.parametrize("name", folders())
def test_a_bad_record_is_left_out(tmp_path: Path, name: str) -> None:
    """Strictly it is an error with its place; leniently everything else is read, and the place is in the repairs."""
    folder = put_all(tmp_path / "data", folders()[name])
    with pytest.raises(DataError) as error:
        list(load_dataset(folder).documents.values())
    assert len(error.value.faults) <= 20
    dataset = load_dataset(folder, lenient=True)
    assert len(list(dataset.documents.values())) == N == len(dataset.documents) == len(dataset.queries)
    assert dataset.documents["d1"].text == "text 1"
    assert all(dataset.qrels[f"q{i}"] == {f"d{i}": 1} for i in range(N))
    (repair,) = [repair for repair in dataset.repairs if repair.code == "left-out"]
    assert str(tmp_path) in repair.place
    assert [finding.count for finding in check_dataset(dataset) if finding.code == "bad-record-left-out"] == [1]
    notes = assay.run(dataset, "bm25", "mrr").notes
    assert any(note.startswith("1 bad record left out: ") and repair.place in note for note in notes)


def test_a_whole_file_is_not_refused_for_some_questions(tmp_path: Path) -> None:
    """113 of 11,873 questions with an empty answer are under one per cent."""
    path = put(tmp_path / "squad.json", squad(11_873, 113))
    with pytest.raises(DataError, match="--lenient") as error:
        load_dataset(path)
    assert len(error.value.faults) == 20
    dataset = load_dataset(path, lenient=True)
    assert len(dataset.queries) == 11_873 - 113
    assert sum(repair.code == "left-out" for repair in dataset.repairs) == 113


def test_too_many_bad_records_are_an_error(tmp_path: Path) -> None:
    """Two per cent are more than one; the user may allow five."""
    path = put(tmp_path / "squad.json", squad(100, 2))
    with pytest.raises(DataError, match="at most 1") as error:
        load_dataset(path, lenient=True)
    assert len(error.value.faults) == 2
    assert len(load_dataset(path, lenient=0.05).queries) == 98


def test_runs_and_judgments_are_read_leniently_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The notes of the result have the places."""
    qrels = put(tmp_path / "qrels.txt", "".join(f"q{i} 0 d{i} 1\n" for i in range(N)) + "broken\n")
    run = put(
        tmp_path / "run.txt", "".join(f"q{i} Q0 d{i} 1 {i} t\n" for i in range(N)) + "q1 Q0 d9 2 high t\nq2 Q0 d2 9 1 t\n"
    )
    assert main(["score", str(qrels), str(run), "-m", "mrr"]) == 3
    assert "--lenient" in capsys.readouterr().err
    assert main(["score", str(qrels), str(run), "-m", "mrr", "--lenient", "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    (system,) = result if isinstance(result, list) else [result]
    text = json.dumps(system)
    assert "qrels.txt:201" in text
    assert "run.txt:201" in text
    assert "run.txt:202" in text
    with assay.lenient_reading() as leniency:
        scored = assay.evaluate(str(qrels), str(run), "mrr")
    assert scored.summary == {"mrr": 1.0}
    assert [fault.line for fault in leniency.left_out] == [N + 1, N + 1, N + 2]
    with pytest.raises(DataError):
        assay.evaluate(str(qrels), str(run), "mrr")


def test_several_files_of_systems_are_read_as_one_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bad records, notes on columns and the documents that the user names are the same for one file and for several."""
    rows = [
        {"user_input": f"Who is {i}?", "retrieved_contexts": ["Cats", f"text {i}"], "reference": "Cats"} for i in range(N)
    ]
    good = put(tmp_path / "good.jsonl", rows)
    bad = put(tmp_path / "bad.jsonl", [*rows, {**rows[0], "user_input": ""}])
    documents = put(tmp_path / "docs.jsonl", [{"_id": "c1", "text": "Dogs"}])
    assert main(["score", str(bad), str(good), "-m", "mrr"]) == 3
    capsys.readouterr()
    for command in ("score", "compare"):
        given = [command, str(bad), str(good), "-m", "mrr", "--lenient", "--documents", str(documents)]
        assert main(given) == 0
        told = capsys.readouterr().out
        assert "bad.jsonl:201" in told
        assert "documents of the benchmark are replaced" in told
    with assay.lenient_reading():
        both, retrieved = load_systems([bad, good])
        one = load_dataset(bad)
    assert [repair.place for repair in both.repairs if repair.code == "left-out"] == [f"{bad}:{N + 1}"]
    assert retrieved == [one.retrieved, one.retrieved]


BAD_JUDGMENTS = {
    "no number": ("q9 0 d9 high\n", ""),
    "not finite": ("q9 0 d9 nan\n", ""),
    "too few columns": ("q9 0 d9\n", ""),
    "twice": ("q9 0 d9 3\n", "q9 0 d9 1\n"),
    "twice, in a file with iterations": ("q9 1 d9 3\n", "q9 1 d9 1\nq9 2 d9 0\n"),
}
"""A bad row, and good rows of the same query before it."""


@pytest.mark.parametrize("name", BAD_JUDGMENTS)
def test_a_judgment_that_is_left_out_does_not_count(tmp_path: Path, name: str) -> None:
    """The judgments are those of the file without the bad row; a query that has only this row is not judged."""
    bad, good = BAD_JUDGMENTS[name]
    rest = "".join(f"q{i} 0 d{i} 1\n" for i in range(100, 100 + N)) + good
    with assay.lenient_reading():
        found = assay.Qrels(str(put(tmp_path / "bad.txt", rest + bad))).judgments()
    assert found._replace(notes=()) == assay.Qrels(str(put(tmp_path / "good.txt", rest))).judgments()._replace(notes=())


def test_a_row_of_a_run_that_is_left_out_does_not_count(tmp_path: Path) -> None:
    """A query with only bad rows is missing from the run; a query with an empty list is an empty ranking."""
    good = [{"query_id": f"q{i}", "doc_id": "d", "score": 1} for i in range(N)]
    empty, bad = {"query_id": "none", "results": []}, {"query_id": "bad", "doc_id": "d", "score": "high"}
    with assay.lenient_reading():
        run = assay.Run(str(put(tmp_path / "run.jsonl", [*good, empty, bad])))
    assert "bad" not in run
    assert len(run) == N + 1


def test_the_share_is_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--lenient-share allows more than one per cent, and a wrong share is an error."""
    path = put(tmp_path / "squad.json", squad(100, 2))
    assert main(["datasets", "show", str(path), "--lenient"]) == 3
    assert main(["datasets", "show", str(path), "--lenient-share", "5%"]) == 0
    assert main(["datasets", "show", str(path), "--lenient-share", "0.05"]) == 0
    assert main(["datasets", "check", str(path), "--lenient-share", "5%", "-f", "json"]) == 0
    for wrong in ("0", "200%", "many"):
        assert main(["datasets", "show", str(path), "--lenient-share", wrong]) == 2
    capsys.readouterr()
