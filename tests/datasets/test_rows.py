"""Rows: every source as (place, query, document, value, subtopic), the place being a line or a row that can be found."""

import json

import numpy as np
import polars as pl
import pytest

from assay import DataError
from assay.errors import Faults
from assay.files import FileSource
from assay.files.rows import (
    Roles,
    file_rows,
    frame_rows,
    jsonl_rows,
    memory_rows,
    parquet_rows,
    record_rows,
    table_rows,
)

from ._cases import parquet, write

RUN = Roles("run")
JUDGMENTS = Roles("judgments")


def source(folder, name, content):
    return FileSource(write(folder / name, content))


def test_the_places_of_a_table_are_lines_of_the_file(tmp_path):
    faults = Faults("f")
    content = "# c\nqid,docid,score\n\nq1,d1,0.5\nq1,d2\n# c\nq1,d3,0.3\n"
    rows = list(table_rows(source(tmp_path, "f.csv", content), RUN, faults))
    assert rows == [(4, "q1", "d1", "0.5", None), (7, "q1", "d3", "0.3", None)]
    assert faults.found == ["f:5: expected 3 columns (qid, docid, score), found 2"]


def test_a_quoted_field_may_hold_the_delimiter_and_the_quote(tmp_path):
    content = 'qid,docid,score\nq1,"d,1",0.5\nq1,"d""2",0.4\n'
    rows = list(table_rows(source(tmp_path, "f.csv", content), RUN, Faults("f")))
    assert [row[2] for row in rows] == ["d,1", 'd"2']


def test_quoted_text_may_hold_blank_lines_and_lines_that_look_like_comments(tmp_path):
    content = 'qid,docid,text,score\nq1,d1,"Intro\n\n# Heading",0.5\nq1,d2,"# x\n#",0.4\nq1,d3,x,0.3\n'
    faults = Faults("f")
    rows = list(table_rows(source(tmp_path, "f.csv", content), RUN, faults))
    assert faults.found == []
    assert [row[1:4] for row in rows] == [("q1", "d1", "0.5"), ("q1", "d2", "0.4"), ("q1", "d3", "0.3")]
    assert rows[2][0] == 7


def test_fields_of_a_table_are_stripped(tmp_path):
    rows = list(table_rows(source(tmp_path, "f.csv", "qid, docid ,score\n q1 ,\td1, 0.5 \n"), RUN, Faults("f")))
    assert rows == [(2, "q1", "d1", "0.5", None)]


@pytest.mark.parametrize("mark", ["\t", ",", ";", " "])
def test_the_delimiter_is_that_of_the_header(tmp_path, mark):
    content = "qid,docid,rel,subtopic\nq1,d1,2,x\n".replace(",", mark)
    assert list(table_rows(source(tmp_path, "f.tsv", content), JUDGMENTS, Faults("f"))) == [(2, "q1", "d1", "2", "x")]


def test_ranks_become_scores(tmp_path):
    rows = table_rows(source(tmp_path, "f.csv", "qid,docid,rank\nq1,d1,2\nq1,d2,x\n"), RUN, Faults("f"))
    assert [row[3] for row in rows] == [-2.0, "x"]  # what is no number is left for the reader to report


def test_lines_of_json(tmp_path):
    faults = Faults("f")
    lines = [
        '{"qid": 1, "docid": "d1", "score": 2}',
        "",
        "[1]",
        "{",
        '{"score": 1}',
        '{"docno": "d2", "topic": "t", "sim": "3"}',
    ]
    rows = list(jsonl_rows(source(tmp_path, "f.jsonl", "\n".join(lines)), RUN, faults))
    assert rows == [(1, 1, "d1", 2, None), (6, "t", "d2", "3", None)]
    assert [fault.split(": ")[0] for fault in faults.found] == ["f:3", "f:4", "f:5"]


def test_records_of_all_kinds():
    faults = Faults("run, row")
    given = [
        ("q1", "d1", 1),
        ["q1", "d2", 2, "x"],
        {"qid": "q1", "docid": "d3", "score": 3},
        np.array(["q1", "d4", "4"]),
        "q1",
    ]
    rows = list(record_rows(given, RUN, faults))
    assert [row[:4] for row in rows] == [(1, "q1", "d1", 1), (2, "q1", "d2", 2), (3, "q1", "d3", 3), (4, "q1", "d4", "4")]
    assert faults.found == ["run, row:5: expected (query, document, value), found 'q1'"]


def test_a_long_record_is_shown_short():
    faults = Faults("run, row")
    list(record_rows(["x" * 1000], RUN, faults))
    assert len(faults.found[0]) < 120


def test_frames_are_read_by_column():
    frame = {"extra": [0, 0], "rel": [1, 2], "Doc ID": ["a", "b"], "QID": ["q1", "q2"], "intent": ["x", None]}
    wanted = [(1, "q1", "a", 1, "x"), (2, "q2", "b", 2, None)]
    assert list(frame_rows(frame, JUDGMENTS, "judgments")) == wanted
    assert list(frame_rows(pl.DataFrame(frame), JUDGMENTS, "judgments")) == wanted


def test_parquet_rows_are_numbered(tmp_path):
    rows = [(f"q{number}", "d", float(number)) for number in range(25_000)]
    path = parquet(tmp_path / "f.parquet", rows, ("qid", "docid", "score"))
    found = list(parquet_rows(FileSource(path), RUN))
    assert found == [(number, *row, None) for number, row in enumerate(rows, 1)]


@pytest.mark.parametrize("name", ["run[1].parquet", "run*.parquet", "it's.parquet", "r?n.parquet"])
def test_a_path_is_a_path_and_no_pattern(tmp_path, name):
    parquet(tmp_path / "run1.parquet", [("other", "d", 1.0)], ("qid", "docid", "score"))
    parquet(tmp_path / "run2.parquet", [("other", "d", 1.0)], ("qid", "docid", "score"))
    path = parquet(tmp_path / name, [("mine", "d", 1.0)], ("qid", "docid", "score"))
    assert list(parquet_rows(FileSource(path), RUN)) == [(1, "mine", "d", 1.0, None)]


def test_a_folder_is_no_column(tmp_path):
    folder = tmp_path / "query_id=5"
    folder.mkdir()
    path = parquet(folder / "run.parquet", [("q1", "d1", 1.0)], ("qid", "docid", "score"))
    assert list(parquet_rows(FileSource(path), RUN)) == [(1, "q1", "d1", 1.0, None)]


def test_file_rows_and_memory_rows_choose_the_reader(tmp_path):
    wanted = [(1, "q1", "d1", 0.5, None)]
    record = {"qid": "q1", "docid": "d1", "score": 0.5}
    path = parquet(tmp_path / "f.parquet", [("q1", "d1", 0.5)], ("qid", "docid", "score"))
    assert list(file_rows(FileSource(path), RUN, Faults("f"))) == wanted
    assert list(file_rows(source(tmp_path, "f.jsonl", json.dumps(record)), RUN, Faults("f"))) == wanted
    assert list(memory_rows([record], RUN, Faults("f"))) == wanted
    assert list(memory_rows(pl.DataFrame([record]), RUN, Faults("f"))) == wanted
    with pytest.raises(DataError):
        memory_rows(5, RUN, Faults("f"))
