"""Answers read from files, frames, records and mappings; and everything that can be wrong with them."""

import json

import pytest

from assay.errors import DataError
from assay.files.answers_and_routes import read_answers
from assay.views.answers import Answer, ExpectedAnswer

ROWS = [
    {"query_id": "1", "answer": "Paris", "confidence": 0.5, "references": ["Paris", "paris, France"], "language": "en"},
    {"query_id": "2", "answer": None, "references": None, "language": "de"},
]
REPLIES = {"1": Answer("Paris", 0.5), "2": Answer(None)}


def lines(rows):
    return "\n".join(map(json.dumps, rows)) + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", lines(ROWS)),
        ("a.json", json.dumps(ROWS)),
        ("a.json", json.dumps(ROWS, indent=1)),
        ("a.json", json.dumps({"answers": ROWS})),
        ("a.json", json.dumps({"1": {"answer": "Paris", "confidence": 0.5}, "2": None})),
        ("a.csv", "query_id,answer,confidence\n1,Paris,0.5\n2,,\n"),
        ("a.tsv", "query_id\tanswer\tconfidence\n1\tParis\t0.5\n2\t\t\n"),
    ],
    ids=["jsonl", "list", "pretty", "under answers", "mapping", "csv", "tsv"],
)
def test_files(tmp_path, name, content):
    file = tmp_path / name
    file.write_text(content)
    found = read_answers(file)
    assert found.replies == REPLIES
    assert found.name == "a"


def test_one_record_by_itself(tmp_path):
    file = tmp_path / "one.json"
    file.write_text(json.dumps(ROWS[0], indent=2))
    assert read_answers(file).replies == {"1": REPLIES["1"]}
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(ROWS[0]))
    assert read_answers(str(file)).replies == {"1": REPLIES["1"]}


def test_what_is_right_and_what_was_asked_come_along():
    found = read_answers([{**ROWS[0], "question": "Capital?", "difficulty": "easy"}, ROWS[1]])
    assert found.expected == {"1": ExpectedAnswer(("Paris", "paris, France"))}
    assert found.queries["1"].text == "Capital?"
    assert found.queries["1"].tags == {"language": "en", "difficulty": "easy"}


def test_frames_and_mappings():
    import pandas as pd
    import polars as pl

    rows = [{"query_id": 1, "answer": "Paris", "confidence": 0.5}, {"query_id": 2, "answer": None, "confidence": None}]
    assert read_answers(pd.DataFrame(rows)).replies == REPLIES
    assert read_answers(pl.DataFrame(rows)).replies == REPLIES
    assert read_answers({1: {"answer": "Paris", "confidence": 0.5}, "2": None}).replies == REPLIES


def test_parquet(tmp_path):
    import polars as pl

    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    assert read_answers(tmp_path / "a.parquet").replies == REPLIES


def test_all_faults_are_told_with_their_lines(tmp_path):
    file = tmp_path / "bad.jsonl"
    bad = [
        {"query_id": "1", "answer": "a"},
        {"answer": "no id"},
        {"query_id": "1", "answer": "again"},
        {"query_id": "2"},
        {"query_id": "3", "answer": {"text": "x"}},
        {"query_id": "", "answer": "x"},
        {"query_id": "4", "answer": "x", "confidence": "high"},
    ]
    file.write_text(lines(bad) + "{not json\n[1]\n")
    with pytest.raises(DataError) as caught:
        read_answers(file)
    told = "\n".join(caught.value.faults)
    for number, words in {
        2: "expected the query's id under query_id or question_id or qid, found answer",
        3: "query 1 appears twice",
        4: "query 2 has no answer; expected one under answer, or null, found query_id",
        5: "an answer is text",
        6: "empty",
        7: "a confidence is a number, not 'high'",
        8: "not JSON",
        9: "expected an object",
    }.items():
        assert any(fault.startswith(f"{file}:{number}:") and words in fault for fault in caught.value.faults), (words, told)


@pytest.mark.parametrize("nothing", [[], {}])
def test_nothing_at_all(nothing):
    with pytest.raises(DataError, match="no answer in it"):
        read_answers(nothing)


@pytest.mark.parametrize("wrong", [5, ["text"], [["q", "a"]]])
def test_what_is_no_answers(wrong):
    with pytest.raises(DataError):
        read_answers(wrong)


def test_missing_and_empty_files(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_answers(tmp_path / "nowhere.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError, match="no answer in it"):
        read_answers(tmp_path / "empty.jsonl")


def test_frames_of_every_kind_say_the_same():
    """Lists as pandas reads them from Parquet are arrays; heads may be written in any case; nan is no value."""
    import numpy as np
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    columns = {"Query_ID": ["1", "2"], "Answer": ["Paris", None], "References": [["Paris", "Lutetia"], []]}
    arrays = pd.DataFrame({**columns, "References": [np.array(one, dtype=object) for one in columns["References"]]})
    tuples = [
        dict(zip(columns, row, strict=True))
        for row in zip("12", ("Paris", float("nan")), (("Paris", "Lutetia"), ()), strict=True)
    ]
    for source in (columns, arrays, pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), tuples):
        found = read_answers(source)
        assert found.replies == {"1": Answer("Paris"), "2": Answer(None)}
        assert found.expected == {"1": ExpectedAnswer(("Paris", "Lutetia")), "2": ExpectedAnswer()}


@pytest.mark.parametrize(
    "row",
    [
        {"user_input": "Capital?", "response": "Paris", "reference": "Paris", "retrieved_contexts": ["It is Paris."]},
        {"question": "Capital?", "answer": "Paris", "contexts": ["It is Paris."], "ground_truth": "Paris"},
        {"input": "Capital?", "actual_output": "Paris", "expected_output": "Paris", "retrieval_context": ["It is Paris."]},
    ],
    ids=["ragas", "older ragas", "deepeval"],
)
def test_without_an_id_the_question_is_the_id(row):
    found = read_answers([row])
    assert found.replies == {"Capital?": Answer("Paris")}
    assert found.expected == {"Capital?": ExpectedAnswer(("Paris",))}
    assert found.hits == {"Capital?": [{"content": "It is Paris."}]}
    assert found.asked == {"Capital?"}
    assert found.under({"Capital?": "q1"}).replies == {"q1": Answer("Paris")}
    assert found.under({"Capital?": "q1"}).asked == set()
    assert found.under({"Other?": "q1"}) is found


def test_what_was_retrieved_comes_along():
    rows = [{"query_id": "1", "answer": "a", "retrieved_ids": ["d1", "d2"]}, {"query_id": "2", "answer": "a"}]
    found = read_answers(rows)
    assert found.hits == {"1": ["d1", "d2"]}
    assert "retrieved_ids" not in found.queries["1"].tags


@pytest.mark.parametrize("content", [b"q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n", b"\x89PNG\xff\xfe\n\x00"])
def test_a_file_of_something_else_is_told_once(tmp_path, content):
    file = tmp_path / "something.run"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"something.run: expected records such as \{.*one a line, found") as caught:
        read_answers(file)
    assert "\n" not in str(caught.value)


def test_faults_of_one_document_are_counted_under_its_name(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"answers": [{"query_id": "1"}, {"answer": "x"}]}))
    with pytest.raises(DataError) as caught:
        read_answers(file)
    assert caught.value.message == f"{file}: 2 faults"
