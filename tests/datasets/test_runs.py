"""Runs: every form of one run reads the same, and every fault is a DataError that says where."""

import contextlib
import gc
import gzip
import io
import json
import os
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import zstandard
from hypothesis import given

import assay
from assay import DataError, Qrels, Run
from assay.files import COLUMN_NAMES, find_columns, is_header

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
    frames,
    jsonl,
    packed,
    parquet,
    plain,
    sources,
    trec_run,
    turned,
    write,
)
from ._damage import mutated

# --- every form ------------------------------------------------------------------------------------------------------


def test_every_file_reads_the_same(tmp_path):
    for form, (name, content) in RUN_FILES.items():
        path = write(tmp_path / name, content)
        run = Run(path)
        assert plain(run) == RUN, form
        assert run.query_ids == tuple(RUN), form
        assert plain(Run(str(path))) == RUN, form


def test_every_object_reads_the_same(tmp_path):
    for form, make in RUN_OBJECTS.items():
        assert plain(Run(make())) == RUN, form
    assert plain(Run(parquet(tmp_path / "run.parquet", RUN_ROWS, RUN_NAMES))) == RUN
    assert plain(Run(parquet(tmp_path / "turned.parquet", turned(RUN_ROWS), ("score", "docno", "qid")))) == RUN


def test_whole_number_ids_are_written_out(tmp_path):
    by_column = columns(NUMBERED_ROWS, RUN_NAMES)
    dtype = [("query_id", "i4"), ("doc_id", "u8"), ("score", "f4")]
    others = {
        "nested": {1: {10: 0.5, 20: 1.5}, 2: {10: 2.0}},
        "arrays": {name: np.array(values) for name, values in by_column.items()},
        "array": np.array(NUMBERED_ROWS, dtype=dtype),
        "NumPy": [(np.int64(query), np.int32(doc), np.float32(score)) for query, doc, score in NUMBERED_ROWS],
    }
    for form, source in {**sources(tmp_path, NUMBERED_ROWS, RUN_NAMES), **others}.items():
        assert plain(Run(source)) == NUMBERED_RUN, form
    assert list(Run([(0, 0, 1.0)])) == list(Qrels([(0, 0, 1)])) == ["0"]
    lines = '{"qid": 0, "docid": 0, "score": 1}\n{"qid": 1, "docid": 0, "score": 1}\n'
    assert list(Run(write(tmp_path / "run.jsonl", lines))) == ["0", "1"]


def test_a_rank_serves_where_there_is_no_score(tmp_path):
    rows = [("q1", "a", 2), ("q1", "b", 1), ("q2", "a", 1)]
    for form, source in sources(tmp_path, rows, ("qid", "docid", "rank")).items():
        if form != "tuples":
            assert plain(Run(source)) == {"q1": {"a": -2, "b": -1}, "q2": {"a": -1}}, form
    both = write(tmp_path / "run.csv", "qid,docid,rank,score\nq1,a,1,0.1\nq1,b,2,0.9\n")
    assert Run(both).ranked(0) == Run(write(tmp_path / "run", "q1 Q0 a 1 0.1 t\nq1 Q0 b 2 0.9 t\n")).ranked(0) == ["b", "a"]


def test_json_lists_of_ids_are_ranked_best_first(tmp_path):
    run = Run(write(tmp_path / "run.json", '{"q1": ["b", "a"], "q2": [], "q3": [7]}'))
    assert [run.ranked(place) for place in range(3)] == [["b", "a"], [], ["7"]]
    assert run.n_retrieved.tolist() == [2, 0, 1]


def test_the_tag_is_that_of_the_first_line(tmp_path):
    assert Run(write(tmp_path / "run", "#c\nq1 Q0 a 1 0.1 bm25\nq1 Q0 b 2 0.0 other\n")).tag == "bm25"
    assert Run(write(tmp_path / "run", "q1 Q0 a 1 0.1 my own  tag\n")).tag == "my own tag"
    assert Run(write(tmp_path / "run.json", '{"q1": {"a": 1}}')).tag == ""


def test_numbers_as_people_write_them(tmp_path):
    texts = ["1", "-1.5", "+2", ".5", "5.", "1e3", "-1E-3", "inf", "-Infinity"]
    lines = "".join(f"q1 Q0 d{place} 1 {text} t\n" for place, text in enumerate(texts))
    wanted = [1, -1.5, 2, 0.5, 5, 1000, -0.001, float("inf"), float("-inf")]
    assert list(Run(write(tmp_path / "run", lines))["q1"].values()) == wanted


# --- columns of tables -----------------------------------------------------------------------------------------------


def test_every_known_name_of_a_column_is_found_in_every_spelling():
    for spell in (str, str.upper, lambda name: name.replace("_", "-"), lambda name: f' "{name.title()}" '):
        for role, names in COLUMN_NAMES.items():
            for name in names:
                assert find_columns(["first", spell(name), "last"], [role]) == {role: spell(name)}
    assert find_columns(["query", "qid", "query_id"], ["query"]) == {"query": "query_id"}  # the likeliest wins
    assert find_columns(["score", "label"], ["grade"]) == {"grade": "label"}
    assert find_columns(["score"], ["grade"]) == {"grade": "score"}
    assert find_columns(["QID", "qid"], ["query"]) == {"query": "QID"}
    assert find_columns(["qid"], ["query"], ["subtopic"]) == {"query": "qid"}
    assert find_columns(["qid", "aspect"], ["query"], ["subtopic"]) == {"query": "qid", "subtopic": "aspect"}


def test_headers_are_told_from_rows():
    headers = [b"query_id,doc_id,score\r\n", b"query-id\tcorpus-id\tscore\n", b'"QID";"DOCNO";"x"', b"qid docid score"]
    for line in (*headers, b"Query ID,Doc ID,Score", b"score, docid, qid"):
        assert is_header(line), line
    for line in (b"", b"q1 Q0 d1 1 0.5 t", b"q1,d1,0.5", b"query,score", b"doc_id,score", b"\xff\xfe", b"query_ids,doc_id"):
        assert not is_header(line), line


def test_tables_hold_what_quotes_and_blanks_say(tmp_path):
    def documents(content, name="run.csv"):
        return dict(Run(write(tmp_path / name, content))["q1"])

    assert documents('qid,docid,score\nq1,"d,1",0.5\nq1,"d""2",0.4\n') == {"d,1": 0.5, 'd"2': 0.4}
    assert documents("qid, docid ,score\n q1 ,\td1, 0.5 \n") == {"d1": 0.5}
    text = 'qid,docid,text,score\nq1,d1,"Intro\n\n# Heading",0.5\nq1,d2,"# x\n#",0.4\nq1,d3,x,0.3\n'
    assert documents(text) == {"d1": 0.5, "d2": 0.4, "d3": 0.3}
    with pytest.raises(DataError, match=r"run\.csv:7:"):  # the line in the file
        documents(text.replace("x,0.3", "x,high"))
    assert documents(f"qid,docid,text,score\nq1,d1,{'word ' * 40_000},0.5\n") == {"d1": 0.5}
    for mark in ("\t", ",", ";", " "):
        rows = "qid,docid,score\nq1,d1,2\n".replace(",", mark)
        assert documents(rows, "run.tsv") == {"d1": 2}, mark


def test_a_path_is_a_path_and_no_pattern_or_column(tmp_path):
    for other in ("run1.parquet", "run2.parquet"):
        parquet(tmp_path / other, [("other", "d", 1.0)], RUN_NAMES)
    (tmp_path / "query_id=5").mkdir()
    for name in ("run[1].parquet", "run*.parquet", "it's.parquet", "r?n.parquet", "query_id=5/run.parquet"):
        assert plain(Run(parquet(tmp_path / name, [("mine", "d", 1.0)], RUN_NAMES))) == {"mine": {"d": 1.0}}, name


# --- lists of documents ----------------------------------------------------------------------------------------------

LISTS = {
    "ids": (["b", "a"], {"b": 0.0, "a": -1.0}),
    "whole numbers": ([7, 8], {"7": 0.0, "8": -1.0}),
    "pairs": ([["b", 2], ["a", 1]], {"b": 2.0, "a": 1.0}),
    "hits": ([{"doc_id": "b", "score": 2}, {"doc_id": "a", "score": 1}], {"b": 2.0, "a": 1.0}),
    "hits without scores": ([{"id": "b", "text": "x"}, {"id": "a"}], {"b": 0.0, "a": -1.0}),
    "nothing": ([], {}),
}


def test_a_record_for_each_query_with_its_documents_in_a_list(tmp_path):
    for name in ("results", "hits", "documents", "retrieved"):
        for form, (given_list, wanted) in LISTS.items():
            rows = [{"query_id": "q1", name: given_list}, {"query_id": "q2", name: ["z"]}]
            path = write(tmp_path / "run.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
            assert plain(Run(path)) == {"q1": wanted, "q2": {"z": 0.0}}, (name, form)
            result = assay.evaluate({"q1": {"a": 1}, "q2": {"z": 1}}, path, ["mrr", "num_ret"])
            assert result["num_ret"] == len(wanted) + 1
            assert result["mrr"] == ((0.5 if "a" in wanted else 0.0) + 1.0) / 2
            assert result.missing == ()  # a query that found nothing was asked all the same
    record = {"query_id": "q1", "results": [["b", 2], ["a", 1]]}
    files = [write(tmp_path / "run.json", json.dumps([record])), write(tmp_path / "run", json.dumps(record))]
    for source in (*files, [record], record):
        assert plain(Run(source)) == {"q1": {"b": 2.0, "a": 1.0}}
    assert plain(Run([{"id": "q1", "query": "what is red?", "results": ["a"]}])) == {"q1": {"a": 0.0}}
    assert plain(Run([{"query": "q1", "results": ["a"]}])) == {"q1": {"a": 0.0}}
    objects = {"qid": 7, "hits": [assay.Hit("a", 2.0), "b", ("c", 1.5)]}
    assert plain(Run([objects])) == {"7": {"a": 2.0, "b": -1.0, "c": 1.5}}
    assert plain(Run([{"query_id": "q1", "doc_id": "a", "score": 1, "hits": ["x"]}])) == {"q1": {"a": 1.0}}


# --- streams ---------------------------------------------------------------------------------------------------------


def test_streams_read_the_same(tmp_path, monkeypatch):
    for form in ("blanks", "JSON", "JSONL", "CSV", "TSV"):
        path = write(tmp_path / RUN_FILES[form][0], RUN_FILES[form][1])
        for mode in ("r", "rb"):
            with path.open(mode, encoding="utf-8" if mode == "r" else None) as file:
                assert plain(Run(file)) == RUN, (form, mode)
    for form in ("blanks", "gzip", "zstd", "JSON", "JSONL", "CSV", "TSV"):
        content = RUN_FILES[form][1]
        content = content.encode() if isinstance(content, str) else content
        assert plain(Run(io.BytesIO(content))) == RUN, form
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        assert plain(Run("-")) == RUN, form
    assert plain(Run(io.StringIO(trec_run()))) == plain(Run(io.StringIO(json.dumps(RUN)))) == RUN
    with gzip.open(write(tmp_path / "run.gz", packed(trec_run().encode()))) as file:
        assert plain(Run(file)) == RUN
    path = parquet(tmp_path / "run", RUN_ROWS, RUN_NAMES)  # known by its first bytes
    assert plain(Run(path)) == plain(Run(io.BytesIO(path.read_bytes()))) == RUN
    with path.open("rb") as file:
        assert plain(Run(file)) == RUN


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
    with pytest.raises(DataError):
        Run(io.BytesIO(b"1 2 3\n"))
    gc.collect()  # the traceback of the fault
    assert list(tmp_path.iterdir()) == []


# --- duplicates ------------------------------------------------------------------------------------------------------


def test_a_document_that_comes_twice_is_a_fault_unless_the_best_is_kept(tmp_path):
    rows = [("q1", "a", 0.1), ("q1", "b", 0.3), ("q2", "a", 0.2), ("q1", "a", 0.5), ("q2", "a", 0.1)]
    given_forms = {**sources(tmp_path, rows, RUN_NAMES), "TREC": write(tmp_path / "run", trec_run(rows))}
    for form, source in given_forms.items():
        with pytest.raises(DataError) as error:
            Run(source)
        assert str(error.value).count("appears twice") == 2, form
        assert plain(Run(source, duplicates="keep_best")) == {"q1": {"a": 0.5, "b": 0.3}, "q2": {"a": 0.2}}, form


# --- faults ----------------------------------------------------------------------------------------------------------

GOOD = "q1 Q0 d1 1 0.5 t\n"
CSV = "qid,docid,score\nq1,d1,0.5\n"
LINES = '{"qid": "q1", "docid": "d1", "score": 0.5}\n'


def line(**fields):
    return LINES + json.dumps({"qid": "q1", "docid": "d2", "score": 1, **fields}) + "\n"


FAULTS = {
    "five columns": ("run", GOOD + "q1 Q0 d2 2 0.4\n"),
    "one column behind comments": ("run", GOOD + "\n#c\nd2\n"),
    "no number": ("run", GOOD + "q1 Q0 d2 2 high t\nq1 Q0 d3 2 1,5 t\nq1 Q0 d4 2 nan t\nq1 Q0 d5 2 -NaN t\n"),
    "not UTF-8": ("run", b"q\xff Q0 d1 2 0.4 t\n" + GOOD.encode() + b"q1 Q0 d\xff 2 0.4 t\nq1 Q0 d2 2 0.\xff t\n"),
    "gzip": ("run.gz", packed((GOOD + "q1\n").encode())),
    "zstd": ("run.zst", zstandard.compress((GOOD + "q1\n").encode())),
    "an id with a blank": ("run", GOOD + "q1 Q0 User Guide.md 2 8.0 t\nq1 Q0 The User Guide.md 2 8.0 t\n"),
    "a row like a comment": ("run", GOOD + "#tag1 Q0 b 1 2 t\n#tag1\tQ0\tb c\t1\t2\tt\n"),
    "a document twice": ("run", "# c\n" + GOOD + "q1 Q0 d2 2 0.1 t\n" + GOOD),
    "three columns: scores": ("run", "q1\tb\t9.5\nq1\ta\t7.2\n"),
    "three columns: a gap": ("run", "q1\tb\t1\nq1\ta\t3\n"),
    "three columns: not in order": ("run", "q1\tb\t2\nq1\ta\t1\n"),
    "three columns: from 0": ("run", "q1\tb\t0\nq1\ta\t1\n"),
    "three columns: no number": ("run", "q1\tb\t1\nq1\ta\tx\n"),
    "three columns: another script": ("run", "q1\tb\t1\nq1\ta\t٢\n"),
    "three columns that are six": ("run", "q1 Q0 d1\nq1 Q0 d2 1 2 t\n"),
    "judgments": ("run", "q1 0 d1 1\n"),
    "nothing": ("run", ""),
    "comments only": ("run", "# only\n\n#comments\n"),
    "nothing in gzip": ("run.gz", packed(b"")),
    "CSV: columns": ("run.csv", CSV + "q1,d2\nq1,d2,0.4,x\n"),
    "CSV: no number": ("run.csv", "# c\n\n" + CSV + "q1,d2,\n\nq1,d3,x\nq1,d4,nan\n"),
    "CSV: no rank": ("run.csv", "qid,docid,rank\nq1,d1,first\n"),
    "CSV: not UTF-8": ("run.csv", CSV.encode() + b"q1,d\xff,0.4\n"),
    "CSV: no column for the query": ("run.csv", "a,b,c\nq1,d1,0.5\n"),
    "CSV: no column for the document": ("run.csv", "qid,x,score\nq1,d1,0.5\n"),
    "CSV: no column for the score": ("run.csv", "qid,docid,x\nq1,d1,0.5\n"),
    "CSV: header only": ("run.csv", "qid,docid,score\n"),
    "JSONL: not JSON": ("run.jsonl", LINES + "{oops\n\n[1, 2]\n"),
    "JSONL: no document": ("run.jsonl", LINES + '{"qid": "q1", "score": 1}\n'),
    "JSONL: no score": ("run.jsonl", LINES + '{"qid": "q1", "docid": "d2"}\n'),
    "JSONL: null": ("run.jsonl", line(score=None)),
    "JSONL: NaN": ("run.jsonl", line(score=float("nan"))),
    "JSONL: a list": ("run.jsonl", line(score=[1])),
    "JSONL: an id": ("run.jsonl", line(docid=None) + line(docid=1.5, qid="q2") + line(qid=None)),
    "JSONL: a key twice": ("run.jsonl", LINES + '{"qid": "q1", "docid": "d2", "score": 1, "score": 2}\n'),
    "JSONL: not UTF-8": ("run.jsonl", LINES.encode() + b'{"qid": "q\xff"}\n'),
    "JSONL: nothing": ("run.jsonl", ""),
    "list: null": ("run.jsonl", '{"query_id": "q0", "results": ["a"]}\n{"query_id": "q1", "results": [null]}\n'),
    "list: three values": ("run.jsonl", '{"query_id": "q1", "results": [["a", 1, 2]]}\n'),
    "list: no number": ("run.jsonl", '{"query_id": "q1", "results": [["a", "high"], ["b", true]]}\n'),
    "list: twice": ("run.jsonl", '{"query_id": "q1", "results": ["a", "a"]}\n'),
    "list: contexts": ("run.jsonl", '{"query_id": "q1", "contexts": ["a"]}\n'),
    "list: text": ("run.jsonl", '{"query_id": "q1", "results": "a"}\n'),
    "list: no query": ("run.jsonl", '{"results": ["a"]}\n{"query_id": null, "results": ["a"]}\n'),
    "JSON: not JSON": ("run.json", '{"q1": {\n"d1": 0.5,\n"d2" 0.4}}'),
    "JSON: cut short": ("run.json", '{"q1": {"d1": 0.5}'),
    "JSON: empty": ("run.json", ""),
    "JSON: no query": ("run.json", "{}"),
    "JSON: no row": ("run.json", "[]"),
    "JSON: an empty run": ("run.json", '{"run": {}}'),
    "JSON: a number": ("run.json", "5"),
    "JSON: a path": ("run.json", '"run.txt"'),
    "JSON: texts": ("run.json", '["q1", "d1"]'),
    "JSON: no ranking": ("run.json", '{"q1": "d1"}'),
    "JSON: no document": ("run.json", '{"q1": {"d1": null, "d2": "high", "d3": {"score": 1}, "d4": NaN}}'),
    "JSON: a pair": ("run.json", '{"q1": [["d1", 1], ["d2"]]}'),
    "JSON: a document twice": ("run.json", '{"q1": [["d1", 1], ["d1", 2]]}'),
    "JSON: an id": ("run.json", '{"q1": [null]}'),
    "JSON: a key twice": ("run.json", '{"q1": {"d1": 1, "d1": 2}}'),
    "JSON: a query twice": ("run.json", '{"q1": {"d1": 1}, "q1": {"d2": 1}}'),
    "JSON: not UTF-8": ("run.json", b'{"q1": {"d\xff": 1}}'),
}
REFUSED = {
    "401 digits": ("run.jsonl", line(score=10**400)),
    "5,001 digits in a line": ("run.jsonl", LINES + '{"qid": "q1", "docid": "d2", "score": 1' + "0" * 5000 + "}\n"),
    "nested without end in a line": ("run.jsonl", LINES + "[" * 100_000 + "\n"),
    "5,001 digits": ("run.json", '{"q1": {"d1": 1' + "0" * 5000 + "}}"),
    "nested without end": ("run.json", "[" * 100_000),
    "gzip of nothing": ("run.gz", b""),
    "zstd of nothing": ("run.zst", zstandard.compress(b"")),
    "a name that is no text": ("run.csv", b"qid,docid,score,\xff\n"),
    "an open quote": ("run.csv", CSV + 'q1,"d2,0.4\n'),
    "no Parquet": ("run.parquet", "not a Parquet file"),
    "an empty Parquet": ("run.parquet", ""),
    "JSON: null": ("run.json", "null"),
    "JSON: a number under run": ("run.json", '{"run": 5}'),
    "JSON: null under a query": ("run.json", '{"q1": null}'),
}


def test_faults_say_where_and_what(snapshots, tmp_path):
    def reading(name, content):
        return lambda: Run(write(tmp_path / name, content))

    snapshots.check_errors("files/faults_of_runs", {case: reading(*file) for case, file in FAULTS.items()})


def test_what_holds_no_run_is_refused_by_every_door(tmp_path):
    for case, (name, content) in (FAULTS | REFUSED).items():
        path = write(tmp_path / name, content)
        with pytest.raises(DataError, match="run") as error:
            Run(path)
        assert str(path) in str(error.value), case
        assert len(str(error.value)) < 1500, case
        with pytest.raises(DataError):
            assay.evaluate({"q1": {"d1": 1}}, path, ["map"])


def test_a_path_inside_a_json_file_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(GOOD.encode())))
    other = write(tmp_path / "other.txt", GOOD)
    for text in (f'"{other}"', f'{{"run": "{other}"}}', '"-"'):
        with pytest.raises(DataError):
            Run(write(tmp_path / "run.json", text))


def test_a_single_record_without_ending_is_a_record(tmp_path):
    for name in ("run.jsonl", "run", "run.json"):
        assert plain(Run(write(tmp_path / name, LINES))) == {"q1": {"d1": 0.5}}


def test_old_line_ends_are_read_or_refused(tmp_path):
    """A carriage return alone, as long ago: all rows or a fault, but no row is lost."""
    rows = [("q1", "d1", 0.5), ("q1", "d2", 0.4), ("q1", "d3", 0.3)]
    for name, text in {"run.csv": delimited(rows, RUN_NAMES), "run.txt": trec_run(rows)}.items():
        with contextlib.suppress(DataError):
            assert len(Run(write(tmp_path / name, text.replace("\n", "\r")))["q1"]) == 3


def digits(number):
    """Digits that do not compress well."""
    return (number * 2_654_435_761 % 2**32) / 2**32


def test_a_shortened_file_is_damaged_not_smaller(tmp_path):
    rows = [("q1", f"d{number}", digits(number)) for number in range(3_000)]
    for text in (trec_run(rows), json.dumps({"q1": {doc: score for _, doc, score in rows}})):
        for name, whole in {"run.gz": packed(text.encode()), "run.zst": zstandard.compress(text.encode())}.items():
            for cut in (1, 10, 200, 15_000):
                with pytest.raises(DataError, match=name):
                    Run(write(tmp_path / name, whole[:-cut]))
            for place in (3, 12, 40, -30, -6):
                damaged = bytearray(whole)
                damaged[place] ^= 0x55
                with contextlib.suppress(DataError):  # noticed or harmless
                    assert len(Run(write(tmp_path / name, bytes(damaged)))["q1"]) == len(rows)


def test_files_that_are_not_there(snapshots, tmp_path):
    cases = {"no file": partial(Run, tmp_path / "none.txt"), "a folder": partial(Run, tmp_path)}
    cases |= {"judgments that are no file": partial(Qrels, tmp_path / "none.txt")}
    run, qrels = write(tmp_path / "run.txt", trec_run()), write(tmp_path / "qrels.txt", "q1 0 d1 1\n")
    cases |= {"judgments that are a run": partial(Qrels, run), "swapped": partial(assay.evaluate, run, qrels, ["map"])}
    snapshots.check_errors("files/not_there", cases)
    for text in ("x" * 5000, trec_run() * 20, "x\0y", "", 5, None, b"q1", 1.5, object(), len):
        with pytest.raises(DataError):
            Run(text)


def test_at_most_twenty_faults_are_collected(tmp_path):
    for name, content in {
        "run.txt": "".join(f"q1 Q0 d{number} 1 high t\nq1 Q0\n" for number in range(100)),
        "short.txt": "q1\n" * 100,
        "twice.txt": GOOD * 100,
        "utf8.txt": b"q1 Q0 d\xff 1 0.5 t\n" * 100,
        "run.csv": "qid,docid,score\n" + "q1,d1,high\n" * 100,
        "short.csv": "qid,docid,score\n" + "q1\n" * 100,
        "run.jsonl": "{oops\n" * 100,
    }.items():
        with pytest.raises(DataError, match="20 or more") as error:
            Run(write(tmp_path / name, content))
        assert len(error.value.faults) == 20, name
    with pytest.raises(DataError) as error:
        Run([("q1", "d1", "high")] * 100)
    assert len(error.value.faults) == 20


# --- faults in memory ------------------------------------------------------------------------------------------------


def test_a_frame_with_a_hole_names_the_row():
    nan = float("nan")
    for query, doc, score, row in [
        (["q1", None], ["a", "b"], [1.0, 2.0], 2),
        ([None, "q1"], ["a", "b"], [1.0, 2.0], 1),
        ([None, None], ["a", "b"], [1.0, 2.0], 1),
        (["q1", "q1"], ["a", None], [1.0, 2.0], 2),
        (["q1", "q1"], ["a", "b"], [1.0, None], 2),
        (["q1", "q1"], ["a", "b"], [1.0, nan], 2),
        (["q1", "q1"], ["a", "b"], ["1", "high"], 2),
        ([1.5, 1.5], ["a", "b"], [1.0, 2.0], 1),
        (["q1", "q1"], [True, False], [1.0, 2.0], 1),
        (["q1", "q1"], ["a", "a"], [1.0, 2.0], 2),
    ]:
        for frame in frames(qid=query, docid=doc, score=score):
            with pytest.raises(DataError, match=f":{row}: "):
                Run(frame)
    for kind, first in (("string", "q1"), ("Int64", 1)):
        ids = pd.array([first, None], dtype=kind)
        for by_column in ({"qid": ids, "docid": ["a", "b"]}, {"qid": ["q1", "q1"], "docid": ids}):
            with pytest.raises(DataError, match="row:2: "):
                Run(pd.DataFrame({**by_column, "score": [1.0, 2.0]}))


def test_frames_without_the_columns_are_refused():
    for by_column in ({"qid": ["q1"], "x": ["a"], "score": [1.0]}, {"qid": ["q1"], "docid": ["a"], "x": [1.0]}):
        for frame in frames(**by_column):
            with pytest.raises(DataError):
                Run(frame)
    with pytest.raises(DataError):
        Run({"qid": ["q1", "q1"], "docid": ["a"], "score": [1.0, 2.0]})
    double = pd.DataFrame([["q1", "q9", "a", 1.0]], columns=["qid", "qid", "docid", "score"])
    for frame in (double, pl.LazyFrame({"qid": ["q1"], "docid": ["a"], "score": [1.0]})):
        with contextlib.suppress(DataError):
            assert plain(Run(frame)) == {"q1": {"a": 1.0}}


BAD_RECORDS = [
    ("q1", "d2"),
    ("q1", "d2", 1.0, None, None),
    "q1 d2 1.0",
    5,
    None,
    {"qid": "q1", "score": 1.0},
    {"qid": "q1", "docid": "d2"},
    object(),
    ("q1", "d2", "high"),
    ("q1", "d2", None),
    ("q1", "d2", 10**400),
    ("q1", "d2", float("nan")),
    (None, "d2", 1.0),
    (1.5, "d2", 1.0),
    (["q1"], "d2", 1.0),
    ("q1", None, 1.0),
    ("q1", {}, 1.0),
    (float("nan"), "d2", 1.0),
]


def test_a_bad_record_is_named_wherever_it_stands():
    good = [("q1", "d0", 2.0), ("q1", "d1", 1.0)]
    for bad in BAD_RECORDS:
        with pytest.raises(DataError, match=":1: "):
            Run([bad, *good])
        with pytest.raises(DataError, match=":3: "):
            Run([*good, bad])
    with pytest.raises(DataError, match=":2: "):
        Run([(1, "a", 1.0), (1.0, "b", 1.0)])  # whole, even after an equal one
    with pytest.raises(DataError) as error:
        Run(["x" * 1000])
    assert len(str(error.value)) < 160
    mixed = [("q1", "d1", 1), ["q1", "d2", 2, "x"], {"qid": "q1", "docid": "d3", "score": 3}, np.array(["q1", "d4", "4"])]
    assert plain(Run(mixed)) == {"q1": {"d1": 1, "d2": 2, "d3": 3, "d4": 4}}


# --- anything else must not happen -----------------------------------------------------------------------------------

SEEDS = [
    ("run.txt", trec_run().encode()),
    ("run.csv", delimited(RUN_ROWS, RUN_NAMES).encode()),
    ("run.jsonl", jsonl(RUN_ROWS, RUN_NAMES).encode()),
    ("run.json", json.dumps(RUN).encode()),
    ("run.gz", packed(trec_run().encode())),
    ("run.zst", zstandard.compress(trec_run().encode())),
]


@given(mutated(SEEDS))
def test_a_damaged_file_is_read_or_refused(folder, damaged):
    name, content = damaged
    try:
        run = Run(write(folder / name, content))
    except DataError:
        return
    assert len(run) > 0
    assert all(isinstance(query, str) for query in run)
