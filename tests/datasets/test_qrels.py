"""Judgments: every form reads the same, subtopics are kept, and every fault says where."""

import io
import json
import sys
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
import zstandard
from hypothesis import given

from assay import DataError, Qrels

from ._cases import (
    BEIR_NAMES,
    QRELS,
    QRELS_FILES,
    QRELS_NAMES,
    QRELS_OBJECTS,
    QRELS_ROWS,
    delimited,
    frames,
    jsonl,
    packed,
    parquet,
    plain,
    sources,
    trec_qrels,
    write,
)
from ._damage import mutated

# --- every form ------------------------------------------------------------------------------------------------------


def test_every_form_reads_the_same(tmp_path):
    for form, (name, content) in QRELS_FILES.items():
        path = write(tmp_path / name, content)
        qrels = Qrels(path)
        assert plain(qrels) == plain(Qrels(str(path))) == QRELS, form
        assert (qrels.query_ids, qrels.subtopics) == (tuple(QRELS), None), form
    for form, make in QRELS_OBJECTS.items():
        qrels = Qrels(make())
        assert (plain(qrels), qrels.subtopics) == (QRELS, None), form
    for names in (QRELS_NAMES, BEIR_NAMES):
        assert plain(Qrels(parquet(tmp_path / "qrels.parquet", QRELS_ROWS, names))) == QRELS


def test_whole_number_ids_are_written_out(tmp_path):
    rows = [(1, 10, 1), (1, 20, 0), (2, 10, 2)]
    dtype = [("query_id", "i4"), ("doc_id", "u8"), ("relevance", "i1")]
    others = {
        "nested": {1: {10: 1, 20: 0}, 2: {10: 2}},
        "array": np.array(rows, dtype=dtype),
        "NumPy": [(np.int64(query), np.int32(doc), np.float32(grade)) for query, doc, grade in rows],
    }
    for form, source in {**sources(tmp_path, rows, QRELS_NAMES), **others}.items():
        assert plain(Qrels(source)) == {"1": {"10": 1, "20": 0}, "2": {"10": 2}}, form


def test_what_judgments_may_say(tmp_path):
    def read(name, content):
        return plain(Qrels(write(tmp_path / name, content)))

    assert read("qrels.json", '{"q1": ["a", 7], "q2": []}') == {"q1": {"a": 1, "7": 1}, "q2": {}}
    assert read("qrels.csv", "qid,docid,score,relevance\nq1,a,0.7,2\n") == {"q1": {"a": 2}}
    grades = "q1 0 a -2\nq1 0 b 0.25\nq1 0 c 1e3\nq1 0 d +3\n"
    assert read("qrels.txt", grades) == {"q1": {"a": -2, "b": 0.25, "c": 1000, "d": 3}}
    assert read("qrels", "q1\t0\tUser Guide.md\t1\nq1 0 faq.md 2\n") == {"q1": {"User Guide.md": 1, "faq.md": 2}}


def test_three_columns_of_judgments_are_query_document_and_grade(tmp_path):
    path = write(tmp_path / "qrels.tsv", "q1\ta\t2\nq1\tUser Guide.md\t0\n")
    qrels = Qrels(path)
    assert plain(qrels) == {"q1": {"a": 2.0, "User Guide.md": 0.0}}
    assert qrels.notes == (f"{path}: three columns without a header, read as query, document and grade.",)
    assert Qrels(qrels).notes == qrels.notes


def test_streams_read_the_same(tmp_path, monkeypatch):
    for form in ("blanks", "JSON", "JSONL", "CSV", "BEIR"):
        path = write(tmp_path / QRELS_FILES[form][0], QRELS_FILES[form][1])
        for mode in ("r", "rb"):
            with path.open(mode, encoding="utf-8" if mode == "r" else None) as file:
                assert plain(Qrels(file)) == QRELS, (form, mode)
    for form in ("blanks", "gzip", "zstd", "JSON", "JSONL", "BEIR"):
        content = QRELS_FILES[form][1]
        content = content.encode() if isinstance(content, str) else content
        assert plain(Qrels(io.BytesIO(content))) == QRELS, form
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert plain(Qrels("-")) == QRELS, form
    assert plain(Qrels(io.StringIO(trec_qrels()))) == QRELS


# --- subtopics -------------------------------------------------------------------------------------------------------

BY_SUBTOPIC = [("q1", "a", 1, "x"), ("q1", "a", 3, "y"), ("q1", "b", 0, "x"), ("q2", "a", 2, "x")]
SUBTOPIC_NAMES = ("query_id", "doc_id", "relevance", "subtopic")


def subtopics_of(qrels):
    return sorted(
        (qrels.query_ids[qrels.query_of[number]], qrels.docs[number], grade, subtopic)
        for number, subtopic, grade in zip(*qrels.subtopics, strict=True)
    )


def test_a_document_has_the_best_grade_of_its_subtopics(tmp_path):
    given_forms = sources(tmp_path, BY_SUBTOPIC, SUBTOPIC_NAMES)
    given_forms["Intent"] = write(tmp_path / "qrels.csv", delimited(BY_SUBTOPIC, ("qid", "docid", "rel", "Intent")))
    lines = "".join(f"{query} {subtopic} {doc} {grade}\n" for query, doc, grade, subtopic in BY_SUBTOPIC)
    given_forms["TREC"] = write(tmp_path / "diversity.qrels", lines)
    for form, source in given_forms.items():
        qrels = Qrels(source)
        assert plain(qrels) == {"q1": {"a": 3, "b": 0}, "q2": {"a": 2}}, form
        assert subtopics_of(qrels) == sorted(BY_SUBTOPIC), form
    assert Qrels([("q1", "a", 1, 1), ("q1", "a", 2, 2)]).subtopics.subtopic == ("1", "2")


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


ROUNDS = [("q1", "a", 1, "0.5"), ("q1", "b", 2, "1"), ("q2", "a", 0, "1")]
"""Judged once each, in rounds or for one subtopic: nobody can tell."""
ITERATIONS = {"q1": {"a": "0.5", "b": "1"}, "q2": {"a": "1"}}
ITERATION_NAMES = ("query_id", "doc_id", "relevance", "iteration")


def test_a_second_column_that_differs_is_kept_and_changes_nothing_else(tmp_path):
    lines = [f"{query} {iteration} {doc} {grade}" for query, doc, grade, iteration in ROUNDS]
    given_forms = {form: source for form, source in sources(tmp_path, ROUNDS, ITERATION_NAMES).items() if form != "tuples"}
    given_forms |= {
        "namedtuples": [TrecQrel(*row) for row in ROUNDS],
        "TREC": write(tmp_path / "qrels", "\n".join([*lines, ""])),
        "TREC with \\r": write(tmp_path / "qrels.crlf", "\r\n".join([*lines, ""])),
    }
    for form, source in given_forms.items():
        qrels = Qrels(source)
        assert plain(qrels) == {"q1": {"a": 1, "b": 2}, "q2": {"a": 0}}, form
        assert (qrels.subtopics, qrels.iterations, Qrels(qrels).iterations) == (None, ITERATIONS, ITERATIONS), form
        assert qrels.fingerprint == Qrels(plain(qrels)).fingerprint, form
    plainly = Qrels([TrecQrel("q1", "a", 1), TrecQrel("q1", "b", 2)])
    assert (plain(plainly), plainly.subtopics, plainly.iterations) == ({"q1": {"a": 1, "b": 2}}, None, {})


def test_an_iteration_that_tells_judgments_apart_is_the_subtopic():
    qrels = Qrels([TrecQrel("q1", "a", 1, "1"), TrecQrel("q1", "a", 2, "2"), TrecQrel("q1", "b", 0, "1")])
    assert plain(qrels) == {"q1": {"a": 2, "b": 0}}
    assert (qrels.iterations, qrels.subtopics.subtopic) == ({}, ("1", "2", "1"))
    assert qrels.fingerprint != Qrels(plain(qrels)).fingerprint
    row = {"query_id": "q1", "doc_id": "a", "relevance": 1, "iteration": "0", "subtopic": "x"}
    assert Qrels([row, {**row, "subtopic": "y"}]).subtopics.subtopic == ("x", "y")


# --- faults ----------------------------------------------------------------------------------------------------------

GOOD = "q1 0 d1 1\n"
LONG = "".join(f"q1 0 d{number} 1\n" for number in range(99)).encode()
CSV = "qid,docid,rel\nq1,d1,1\n"
LINES = '{"qid": "q1", "docid": "d1", "rel": 1}\n'
TABLE = "query-id\tcorpus-id\tscore\nq1\td1\t1\n"


def line(**fields):
    return LINES + json.dumps({"qid": "q1", "docid": "d2", "rel": 1, **fields}) + "\n"


FAULTS = {
    "columns": ("qrels", GOOD + "q1 0 d2\n\n#c\nq1 0 d2 1 x\n"),
    "no number": ("qrels", GOOD + "q1 0 d2 high\nq1 0 d3 nan\nq1 0 d4 inf\n"),
    "twice": ("qrels", GOOD + GOOD + "q1 0 d1 0\n"),
    "not UTF-8": ("qrels", GOOD.encode() + b"q1 0 d\xff 1\n"),
    "not UTF-8 in a column that is not read": ("qrels", b"q1 \xff d1 1\n"),
    "the same behind a comment": ("qrels", b"# by line\nq1 \xff d1 1\n"),
    "an id with a blank": ("qrels", "q1 0 User Guide.md 1\n"),
    "gzip": ("qrels.gz", packed((GOOD + "q1\n").encode())),
    "zstd": ("qrels.zst", zstandard.compress((GOOD + "q1\n").encode())),
    "three columns: two": ("qrels", "q1\ta\t1\nq1\tb\n"),
    "three columns: no number": ("qrels", "q1\ta\t1\nq1\tb\tx\n"),
    "three columns: twice": ("qrels", "q1\ta\t1\nq1\ta\t0\n"),
    "three columns: four": ("qrels", "q1\ta\t1\nq1 0 b 1\n"),
    "three columns with blanks": ("qrels", "q1 a 1\n"),
    "three columns that are four": ("qrels", "q1\t0\td1\nq1\t0\td2\t1\n"),
    "nothing": ("qrels", ""),
    "comments only": ("qrels", "# only\n\n#comments\n"),
    "BEIR: columns": ("test.tsv", TABLE + "q1\td2\n"),
    "BEIR: twice": ("test.tsv", TABLE + "q1\td1\t1\n"),
    "BEIR: header only": ("test.tsv", "query-id\tcorpus-id\tscore\n"),
    "CSV: no number": ("qrels.csv", CSV + "q1,d2,\nq1,d3,x\nq1,d4,inf\n"),
    "CSV: not UTF-8": ("qrels.csv", CSV.encode() + b"q1,d\xff,1\n"),
    "CSV: no column for the query": ("qrels.csv", "a,b,c\nq1,d1,1\n"),
    "CSV: no column for the grade": ("qrels.csv", "qid,docid,x\nq1,d1,1\n"),
    "JSONL: not JSON": ("qrels.jsonl", LINES + "{oops\n[1]\n"),
    "JSONL: no grade": ("qrels.jsonl", LINES + '{"qid": "q1", "docid": "d2"}\n'),
    "JSONL: null": ("qrels.jsonl", line(rel=None)),
    "JSONL: infinity": ("qrels.jsonl", line(rel=float("inf"))),
    "JSONL: an id": ("qrels.jsonl", line(qid=None)),
    "JSON: not JSON": ("qrels.json", '{"q1": {\n"d1": 1,\n"d2" 0}}'),
    "JSON: empty": ("qrels.json", ""),
    "JSON: no query": ("qrels.json", "{}"),
    "JSON: an empty key": ("qrels.json", '{"qrels": {}}'),
    "JSON: a number": ("qrels.json", "5"),
    "JSON: a text": ("qrels.json", '{"q1": "d1"}'),
    "JSON: a grade": ("qrels.json", '{"q1": {"d1": null}}'),
    "JSON: infinity": ("qrels.json", '{"q1": {"d1": Infinity}}'),
    "JSON: a key twice": ("qrels.json", '{"q1": {"d1": 1, "d1": 2}}'),
    "JSON: an id": ("qrels.json", '{"q1": [1.5]}'),
    "JSON: not UTF-8": ("qrels.json", b'{"q1": {"d\xff": 1}}'),
}
REFUSED = [
    ("qrels.jsonl", line(rel=10**400)),
    ("qrels.json", "null"),
    ("qrels.json", '"qrels.txt"'),
    ("qrels.json", '{"q1": 5}'),
    ("qrels.json", '{"q1": {"d1": "high"}}'),
    ("qrels.json", "[]"),
    ("qrels.parquet", "not a Parquet file"),
    ("qrels.gz", packed(b"")),
    ("qrels.gz", packed(LONG)[:-9]),
    ("qrels.zst", zstandard.compress(LONG)[:-9]),
]


def test_faults_say_where_and_what(snapshots, tmp_path):
    def reading(name, content):
        return lambda: Qrels(write(tmp_path / name, content))

    cases = {case: reading(*file) for case, file in FAULTS.items()}
    cases |= {
        "a subtopic twice": lambda: Qrels([*BY_SUBTOPIC, ("q1", "a", 2, "y")]),
        "an iteration twice": lambda: Qrels([TrecQrel("q1", "a", 1), TrecQrel("q1", "a", 2)]),
    }
    snapshots.check_errors("files/faults_of_qrels", cases)
    for name, content in REFUSED:
        path = write(tmp_path / name, content)
        with pytest.raises(DataError) as error:
            Qrels(path)
        assert str(path) in str(error.value), content


def test_at_most_twenty_faults_are_collected(tmp_path):
    for content in ("q1 0 d1\n", "q1 0 d1 1 1\n", "q1 0 d1 high\n", "q1 0 d1 1\n", b"q1 0 d\xff 1\n"):
        with pytest.raises(DataError, match="20 or more") as error:
            Qrels(write(tmp_path / "qrels", content * 100))
        assert len(error.value.faults) == 20, content
    with pytest.raises(DataError, match="20 or more"):
        Qrels(write(tmp_path / "qrels.csv", "qid,docid,rel\n" + "q1,d1,high\n" * 100))


def test_a_frame_with_a_hole_names_the_row():
    for query, doc, grade, row in [
        (["q1", None], ["a", "b"], [1, 2], 2),
        ([None, "q1"], ["a", "b"], [1, 2], 1),
        (["q1", "q1"], ["a", None], [1, 2], 2),
        (["q1", "q1"], ["a", "b"], [1, None], 2),
        (["q1", "q1"], ["a", "b"], [1.0, float("inf")], 2),
        (["q1", "q1"], ["a", "a"], [1, 1], 2),
        ([1.5, 1.5], ["a", "b"], [1, 1], 1),
    ]:
        for frame in frames(qid=query, docid=doc, rel=grade):
            with pytest.raises(DataError, match=f":{row}: "):
                Qrels(frame)


def test_a_bad_record_is_named_wherever_it_stands():
    values = [("q1", "d2", "high"), ("q1", "d2", None), (None, "d2", 1), ("q1", 1.5, 1)]
    good = [("q1", "d0", 2), ("q1", "d1", 1)]
    for bad in (("q1", "d2"), "q1 d2 1", 5, None, {"qid": "q1"}, *values):
        with pytest.raises(DataError, match=":1: "):
            Qrels([bad, *good])
        with pytest.raises(DataError, match=":3: "):
            Qrels([*good, bad])


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
