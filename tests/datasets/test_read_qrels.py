"""Reading judgments: every form reads the same, subtopics are kept, and every fault says where."""

import io
import json
import sys
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given

import assay
from assay import DataError, Qrels

from ._cases import (
    BEIR_NAMES,
    QRELS,
    QRELS_FILES,
    QRELS_NAMES,
    QRELS_OBJECTS,
    QRELS_ROWS,
    RUN,
    columns,
    delimited,
    faults_of,
    jsonl,
    packed,
    parquet,
    plain,
    trec_qrels,
    trec_run,
    write,
)
from ._damage import mutated

# --- every form ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "content"), QRELS_FILES.values(), ids=QRELS_FILES)
def test_every_file_reads_the_same(tmp_path, name, content):
    path = write(tmp_path / name, content)
    qrels = Qrels(path)
    assert plain(qrels) == QRELS
    assert qrels.query_ids == tuple(QRELS)
    assert qrels.subtopics is None
    assert plain(Qrels(str(path))) == QRELS


@pytest.mark.parametrize("make", QRELS_OBJECTS.values(), ids=QRELS_OBJECTS)
def test_every_object_reads_the_same(make):
    qrels = Qrels(make())
    assert plain(qrels) == QRELS
    assert qrels.subtopics is None


def test_parquet_reads_the_same(tmp_path):
    assert plain(Qrels(parquet(tmp_path / "qrels.parquet", QRELS_ROWS, QRELS_NAMES))) == QRELS
    assert plain(Qrels(parquet(tmp_path / "beir.parquet", QRELS_ROWS, BEIR_NAMES))) == QRELS


@pytest.mark.parametrize("form", ["dict", "pandas", "polars", "pyarrow", "array", "tuples", "jsonl", "parquet"])
def test_whole_number_ids_are_written_out(tmp_path, form):
    rows = [(1, 10, 1), (1, 20, 0), (2, 10, 2)]
    by_column = columns(rows, QRELS_NAMES)
    source = {
        "dict": lambda: {1: {10: 1, 20: 0}, 2: {10: 2}},
        "pandas": lambda: pd.DataFrame(by_column),
        "polars": lambda: pl.DataFrame(by_column),
        "pyarrow": lambda: pa.table(by_column),
        "array": lambda: np.array(rows, dtype=[("query_id", "i4"), ("doc_id", "u8"), ("relevance", "i1")]),
        "tuples": lambda: [(np.int64(query), np.int32(doc), np.float32(grade)) for query, doc, grade in rows],
        "jsonl": lambda: write(tmp_path / "qrels.jsonl", jsonl(rows, QRELS_NAMES)),
        "parquet": lambda: parquet(tmp_path / "qrels.parquet", rows, QRELS_NAMES),
    }[form]()
    assert plain(Qrels(source)) == {"1": {"10": 1, "20": 0}, "2": {"10": 2}}


def test_json_lists_of_ids_mean_grade_1(tmp_path):
    assert plain(Qrels(write(tmp_path / "qrels.json", '{"q1": ["a", 7], "q2": []}'))) == {"q1": {"a": 1, "7": 1}, "q2": {}}


def test_relevance_counts_where_there_is_a_score_too(tmp_path):
    path = write(tmp_path / "qrels.csv", "qid,docid,score,relevance\nq1,a,0.7,2\n")
    assert plain(Qrels(path)) == {"q1": {"a": 2}}


def test_grades_may_be_any_finite_number(tmp_path):
    path = write(tmp_path / "qrels.txt", "q1 0 a -2\nq1 0 b 0.25\nq1 0 c 1e3\nq1 0 d +3\n")
    assert plain(Qrels(path)) == {"q1": {"a": -2, "b": 0.25, "c": 1000, "d": 3}}


@pytest.mark.parametrize("mode", ["r", "rb"])
@pytest.mark.parametrize("form", ["blanks", "JSON", "JSONL", "CSV", "BEIR"])
def test_open_files(tmp_path, mode, form):
    path = write(tmp_path / QRELS_FILES[form][0], QRELS_FILES[form][1])
    with path.open(mode, encoding="utf-8" if mode == "r" else None) as file:
        assert plain(Qrels(file)) == QRELS


@pytest.mark.parametrize("form", ["blanks", "gzip", "zstd", "JSON", "JSONL", "BEIR"])
def test_bytes_in_memory_and_standard_input(monkeypatch, form):
    content = QRELS_FILES[form][1]
    content = content.encode() if isinstance(content, str) else content
    assert plain(Qrels(io.BytesIO(content))) == QRELS
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert plain(Qrels("-")) == QRELS


def test_text_in_memory():
    assert plain(Qrels(io.StringIO(trec_qrels()))) == QRELS


# --- subtopics -----------------------------------------------------------------------------------------------------

BY_SUBTOPIC = [("q1", "a", 1, "x"), ("q1", "a", 3, "y"), ("q1", "b", 0, "x"), ("q2", "a", 2, "x")]
SUBTOPIC_NAMES = ("query_id", "doc_id", "relevance", "subtopic")


@pytest.mark.parametrize("form", ["tuples", "dicts", "csv", "jsonl", "pandas", "polars", "parquet", "columns"])
def test_a_document_has_the_best_grade_of_its_subtopics(tmp_path, form):
    source = {
        "tuples": lambda: BY_SUBTOPIC,
        "dicts": lambda: [dict(zip(SUBTOPIC_NAMES, row, strict=True)) for row in BY_SUBTOPIC],
        "csv": lambda: write(tmp_path / "qrels.csv", delimited(BY_SUBTOPIC, ("qid", "docid", "rel", "Intent"))),
        "jsonl": lambda: write(tmp_path / "qrels.jsonl", jsonl(BY_SUBTOPIC, SUBTOPIC_NAMES)),
        "pandas": lambda: pd.DataFrame(BY_SUBTOPIC, columns=list(SUBTOPIC_NAMES)),
        "polars": lambda: pl.DataFrame(columns(BY_SUBTOPIC, SUBTOPIC_NAMES)),
        "parquet": lambda: parquet(tmp_path / "qrels.parquet", BY_SUBTOPIC, SUBTOPIC_NAMES),
        "columns": lambda: columns(BY_SUBTOPIC, SUBTOPIC_NAMES),
    }[form]()
    qrels = Qrels(source)
    assert plain(qrels) == {"q1": {"a": 3, "b": 0}, "q2": {"a": 2}}
    subtopics = qrels.subtopics
    assert subtopics is not None
    found = [
        (qrels.query_ids[qrels.query_of[number]], qrels.docs[number], grade, subtopic)
        for number, subtopic, grade in zip(subtopics.judgment, subtopics.subtopic, subtopics.grade, strict=True)
    ]
    assert sorted(found) == sorted(BY_SUBTOPIC)


def test_whole_number_subtopics_are_written_out():
    assert Qrels([("q1", "a", 1, 1), ("q1", "a", 2, 2)]).subtopics.subtopic == ("1", "2")


def test_one_subtopic_judged_twice_is_a_fault():
    (fault,) = faults_of(Qrels, [*BY_SUBTOPIC, ("q1", "a", 2, "y")])
    assert ":5: " in fault
    assert "y" in fault


def test_a_grade_without_subtopic_is_not_forgotten():
    """Judged as a whole (3) and for one subtopic (1): the best counts, or the two together are refused."""
    for rows in ([("q1", "a", 3, None), ("q1", "a", 1, "x")], [("q1", "a", 1, "x"), ("q1", "a", 3, None)]):
        try:
            found = plain(Qrels(rows))
        except DataError:
            continue
        assert found == {"q1": {"a": 3}}


class TrecQrel(NamedTuple):
    """ir_datasets' and ir_measures' judgment: its fourth field is no subtopic."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


def test_a_namedtuple_is_read_by_its_names():
    qrels = Qrels([TrecQrel("q1", "a", 1), TrecQrel("q1", "b", 2)])
    assert plain(qrels) == {"q1": {"a": 1, "b": 2}}
    assert qrels.subtopics is None
    assert qrels.iterations == {}


ROUNDS = [("q1", "a", 1, "0.5"), ("q1", "b", 2, "1"), ("q2", "a", 0, "1")]
"""Judged once each, in rounds or for one subtopic: nobody can tell."""
ITERATIONS = {"q1": {"a": "0.5", "b": "1"}, "q2": {"a": "1"}}
ITERATION_NAMES = ("query_id", "doc_id", "relevance", "iteration")


@pytest.mark.parametrize("form", ["trec", "trec with \\r", "namedtuples", "dicts", "csv", "jsonl", "pandas", "parquet"])
def test_a_second_column_that_differs_is_kept_and_changes_nothing_else(tmp_path, form):
    lines = [f"{query} {iteration} {doc} {grade}" for query, doc, grade, iteration in ROUNDS]
    source = {
        "trec": lambda: write(tmp_path / "qrels", "\n".join([*lines, ""])),
        "trec with \\r": lambda: write(tmp_path / "qrels", "\r\n".join([*lines, ""])),
        "namedtuples": lambda: [TrecQrel(*row) for row in ROUNDS],
        "dicts": lambda: [dict(zip(ITERATION_NAMES, row, strict=True)) for row in ROUNDS],
        "csv": lambda: write(tmp_path / "qrels.csv", delimited(ROUNDS, ITERATION_NAMES)),
        "jsonl": lambda: write(tmp_path / "qrels.jsonl", jsonl(ROUNDS, ITERATION_NAMES)),
        "pandas": lambda: pd.DataFrame(ROUNDS, columns=list(ITERATION_NAMES)),
        "parquet": lambda: parquet(tmp_path / "qrels.parquet", ROUNDS, ITERATION_NAMES),
    }[form]()
    qrels = Qrels(source)
    assert plain(qrels) == {"q1": {"a": 1, "b": 2}, "q2": {"a": 0}}
    assert qrels.subtopics is None
    assert qrels.iterations == ITERATIONS
    assert Qrels(qrels).iterations == ITERATIONS
    assert qrels.fingerprint == Qrels(plain(qrels)).fingerprint


def test_an_iteration_that_tells_judgments_apart_is_the_subtopic():
    qrels = Qrels([TrecQrel("q1", "a", 1, "1"), TrecQrel("q1", "a", 2, "2"), TrecQrel("q1", "b", 0, "1")])
    assert plain(qrels) == {"q1": {"a": 2, "b": 0}}
    assert qrels.iterations == {}
    assert qrels.subtopics.subtopic == ("1", "2", "1")
    assert qrels.fingerprint != Qrels(plain(qrels)).fingerprint


def test_a_column_called_subtopic_goes_before_one_called_iteration():
    row = {"query_id": "q1", "doc_id": "a", "relevance": 1, "iteration": "0", "subtopic": "x"}
    assert Qrels([row, {**row, "subtopic": "y"}]).subtopics.subtopic == ("x", "y")


def test_one_iteration_judged_twice_is_a_fault():
    (fault,) = faults_of(Qrels, [TrecQrel("q1", "a", 1), TrecQrel("q1", "a", 2)])
    assert ":2: document a is judged twice for query q1" in fault


# --- faults --------------------------------------------------------------------------------------------------------

GOOD = "q1 0 d1 1\n"
LONG = "".join(f"q1 0 d{number} 1\n" for number in range(99)).encode()
GOOD_CSV = "qid,docid,rel\nq1,d1,1\n"
GOOD_JSONL = '{"qid": "q1", "docid": "d1", "rel": 1}\n'


@pytest.mark.parametrize(
    ("name", "content", "line", "says"),
    [
        ("qrels", GOOD + "q1 0 d2\n", 2, "4 columns.*found 3"),
        ("qrels", GOOD + "\n#c\nq1 0 d2 1 x\n", 4, "4 columns.*found 5"),
        ("qrels", GOOD + "q1 0 d2 high\n", 2, "'high'"),
        ("qrels", GOOD + "q1 0 d2 nan\n", 2, "'nan'"),
        ("qrels", GOOD + "q1 0 d2 inf\n", 2, "'inf'"),
        ("qrels", GOOD + "q1 0 d1 1\n", 2, "d1 is judged twice for query q1"),
        ("qrels", GOOD + "q1 0 d1 0\n", 2, "twice"),
        ("qrels", GOOD.encode() + b"q1 0 d\xff 1\n", 2, "UTF-8"),
        ("qrels.gz", packed((GOOD + "q1\n").encode()), 2, "found 1"),
        ("qrels.zst", zstandard.compress((GOOD + "q1\n").encode()), 2, "found 1"),
        ("test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\n", 3, "3 columns.*found 2"),
        ("test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t1\n", 3, "twice"),
        ("qrels.csv", GOOD_CSV + "q1,d2,\n", 3, "''"),
        ("qrels.csv", GOOD_CSV + "q1,d2,x\n", 3, "'x'"),
        ("qrels.csv", GOOD_CSV + "q1,d2,inf\n", 3, "'inf'"),
        ("qrels.csv", GOOD_CSV.encode() + b"q1,d\xff,1\n", 3, "UTF-8"),
        ("qrels.jsonl", GOOD_JSONL + "{oops\n", 2, "JSON"),
        ("qrels.jsonl", GOOD_JSONL + "[1]\n", 2, "object"),
        ("qrels.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2"}\n', 2, "grade"),
        ("qrels.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "rel": null}\n', 2, "None"),
        ("qrels.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "rel": Infinity}\n', 2, "inf"),
        ("qrels.jsonl", GOOD_JSONL + '{"qid": null, "docid": "d2", "rel": 1}\n', 2, "None"),
        ("qrels.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "rel": 1' + "0" * 400 + "}\n", 2, "1000"),
        ("qrels.json", '{"q1": {\n"d1": 1,\n"d2" 0}}', 3, "JSON"),
    ],
)
def test_a_fault_names_its_line(tmp_path, name, content, line, says):
    path = write(tmp_path / name, content)
    (fault,) = faults_of(Qrels, path)
    assert fault.startswith(f"{path}:{line}: ")
    with pytest.raises(DataError, match=says):
        Qrels(path)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("qrels", "", "no judgments"),
        ("qrels", "# only\n\n#comments\n", "no judgments"),
        ("qrels.json", "", "JSON"),
        ("qrels.json", "{}", "no judgments"),
        ("qrels.json", "[]", "no judgments"),
        ("qrels.json", '{"qrels": {}}', "no judgments"),
        ("qrels.jsonl", "", "no judgments"),
        ("test.tsv", "query-id\tcorpus-id\tscore\n", "no judgments"),
        ("qrels.gz", packed(b""), "no judgments"),
        ("qrels.json", "5", ""),
        ("qrels.json", "null", ""),
        ("qrels.json", '"qrels.txt"', ""),
        ("qrels.json", '{"q1": "d1"}', "q1"),
        ("qrels.json", '{"q1": 5}', "q1"),
        ("qrels.json", '{"q1": {"d1": null}}', "(d1.*q1|q1.*d1)"),
        ("qrels.json", '{"q1": {"d1": "high"}}', "(d1.*q1|q1.*d1)"),
        ("qrels.json", '{"q1": {"d1": Infinity}}', "(d1.*q1|q1.*d1)"),
        ("qrels.json", '{"q1": {"d1": 1, "d1": 2}}', "d1"),
        ("qrels.json", '{"q1": [1.5]}', "1.5"),
        ("qrels.json", b'{"q1": {"d\xff": 1}}', "UTF-8"),
        ("qrels.csv", "a,b,c\nq1,d1,1\n", "column for the query.*'a', 'b', 'c'"),
        ("qrels.csv", "qid,docid,x\nq1,d1,1\n", "column for the grade"),
        ("qrels.parquet", "not a Parquet file", "Parquet"),
        ("qrels.gz", packed(LONG)[:-9], "damaged"),
        ("qrels.zst", zstandard.compress(LONG)[:-9], "damaged"),
    ],
)
def test_a_file_that_holds_no_judgments_is_named(tmp_path, name, content, says):
    path = write(tmp_path / name, content)
    with pytest.raises(DataError, match=f"(?s){says}") as caught:
        Qrels(path)
    assert str(path) in str(caught.value)


def test_run_and_judgments_swapped_is_said_so(tmp_path):
    run, qrels = write(tmp_path / "run.txt", trec_run()), write(tmp_path / "qrels.txt", trec_qrels())
    with pytest.raises(DataError, match=r"run\.txt.*looks like a run"):
        Qrels(run)
    with pytest.raises(DataError, match="looks like"):
        assay.evaluate(run, qrels, ["map"])
    assert assay.evaluate(qrels, run, ["num_ret"])["num_ret"] == sum(map(len, RUN.values()))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match=r"[Nn]o such file"):
        Qrels(tmp_path / "none.txt")
    with pytest.raises(DataError, match="folder"):
        Qrels(tmp_path)


def test_at_most_twenty_faults_are_collected(tmp_path):
    for name, content in {
        "short": "q1 0 d1\n" * 500,
        "long": "q1 0 d1 1 1\n" * 500,
        "grade": "q1 0 d1 high\n" * 500,
        "twice": "q1 0 d1 1\n" * 500,
        "utf8": b"q1 0 d\xff 1\n" * 500,
        "rel.csv": "qid,docid,rel\n" + "q1,d1,high\n" * 500,
    }.items():
        with pytest.raises(DataError) as caught:
            Qrels(write(tmp_path / name, content))
        assert len(caught.value.faults) == 20
        assert "20 or more" in str(caught.value)


@pytest.mark.parametrize(
    ("query", "doc", "grade", "row"),
    [
        (["q1", None], ["a", "b"], [1, 2], 2),
        ([None, "q1"], ["a", "b"], [1, 2], 1),
        (["q1", "q1"], ["a", None], [1, 2], 2),
        (["q1", "q1"], ["a", "b"], [1, None], 2),
        (["q1", "q1"], ["a", "b"], [1.0, float("inf")], 2),
        (["q1", "q1"], ["a", "a"], [1, 1], 2),
        ([1.5, 1.5], ["a", "b"], [1, 1], 1),
    ],
)
def test_a_frame_with_a_hole_names_the_row(query, doc, grade, row):
    by_column = {"qid": query, "docid": doc, "rel": grade}
    for frame in (pd.DataFrame(by_column), pl.DataFrame(by_column, strict=False), pa.table(by_column), by_column):
        assert f":{row}: " in faults_of(Qrels, frame)[0], type(frame)


@pytest.mark.parametrize(
    "bad",
    [
        ("q1", "d2"),
        "q1 d2 1",
        5,
        None,
        {"qid": "q1"},
        ("q1", "d2", "high"),
        ("q1", "d2", None),
        (None, "d2", 1),
        ("q1", 1.5, 1),
    ],
    ids=repr,
)
def test_a_bad_record_is_named_wherever_it_stands(bad):
    good = [("q1", "d0", 2), ("q1", "d1", 1)]
    assert ":1: " in faults_of(Qrels, [bad, *good])[0]
    assert ":3: " in faults_of(Qrels, [*good, bad])[0]


# --- anything else must not happen ---------------------------------------------------------------------------------

SEEDS = [
    ("qrels.txt", trec_qrels().encode()),
    ("test.tsv", delimited(QRELS_ROWS, BEIR_NAMES, "\t").encode()),
    ("qrels.jsonl", jsonl(QRELS_ROWS, QRELS_NAMES).encode()),
    ("qrels.json", json.dumps(QRELS).encode()),
]


@given(mutated(SEEDS))
def test_a_damaged_file_is_read_or_refused(folder, damaged):
    name, content = damaged
    try:
        qrels = Qrels(write(folder / name, content))
    except DataError:
        return
    assert len(qrels) > 0
    assert np.isfinite(qrels.grades).all()


def test_the_second_column_is_the_subtopic_where_it_tells_judgments_apart(tmp_path):
    path = tmp_path / "diversity.qrels"
    path.write_text("q1 1 a 0\nq1 2 a 3\nq1 1 b 1\nq2 1 a 2\n")
    qrels = Qrels(path)
    assert {query: qrels[query] for query in qrels} == {"q1": {"a": 3.0, "b": 1.0}, "q2": {"a": 2.0}}
    named = {
        (qrels.docs[number], subtopic): grade for number, subtopic, grade in zip(*qrels.subtopics, strict=True) if number < 2
    }
    assert named == {("a", "1"): 0.0, ("a", "2"): 3.0, ("b", "1"): 1.0}
    path.write_text("q1 0 a 0\nq1 0 a 3\n")
    with pytest.raises(DataError, match=":2: document a is judged twice"):
        Qrels(path)


def test_a_column_that_is_not_read_must_be_text_too(tmp_path):
    """All lines at once and one by one refuse the same file."""
    for before in (b"", b"# by line\n"):
        with pytest.raises(DataError, match="not valid UTF-8"):
            Qrels(write(tmp_path / "qrels", before + b"q1 \xff d1 1\n"))
