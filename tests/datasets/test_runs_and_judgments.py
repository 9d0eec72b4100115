"""Runs and judgments: every form of one content reads the same, every fault says where, and what is written reads back."""

import io
import json
import os
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Qrels, Run
from assay.files import COLUMN_NAMES, find_columns, grade_text, trec_fields, write_lines, write_qrels, write_run

from ._cases import (
    BEIR_NAMES,
    BOTH,
    RUN,
    RUN_NAMES,
    columns,
    frames,
    object_forms,
    packed,
    parquet,
    plain,
    sources,
    trec_run,
    turned,
    write,
)


def test_every_form_reads_the_same(tmp_path):
    for kind, wanted, files, rows, names in BOTH:
        for form, (name, content) in files.items():
            path = write(tmp_path / name, content)
            found = kind(path)
            assert (plain(found), found.query_ids) == (wanted, tuple(wanted)), (kind, form)
            assert plain(kind(str(path))) == wanted, (kind, form)
        for form, make in object_forms(wanted, rows, names).items():
            assert plain(kind(make())) == wanted, (kind, form)
        for some, heads in ((rows, names), (rows, BEIR_NAMES), (turned(rows), (names[2], "docno", "qid"))):
            assert plain(kind(parquet(tmp_path / "f.parquet", some, heads))) == wanted, (kind, heads)
        assert getattr(found, "subtopics", None) is None


def test_whole_number_ids_are_written_out(tmp_path):
    rows, wanted = [(1, 10, 0.5), (1, 20, 1.5), (2, 10, 2.0)], {"1": {"10": 0.5, "20": 1.5}, "2": {"10": 2.0}}
    for kind, _, _, _, names in BOTH:
        others = {
            "nested": {1: {10: 0.5, 20: 1.5}, 2: {10: 2.0}},
            "arrays": {name: np.array(values) for name, values in columns(rows, names).items()},
            "array": np.array(rows, dtype=[(names[0], "i4"), (names[1], "u8"), (names[2], "f4")]),
            "NumPy": [(np.int64(query), np.int32(doc), np.float32(score)) for query, doc, score in rows],
        }
        for form, source in {**sources(tmp_path, rows, names), **others}.items():
            assert plain(kind(source)) == wanted, (kind, form)
        assert list(kind([(0, 0, 1)])) == ["0"]


def test_streams_read_the_same(tmp_path, monkeypatch):
    for kind, wanted, files, rows, names in BOTH:
        for form in ("blanks", "gzip", "zstd", "JSON", "JSONL", "CSV", "TSV of BEIR"):
            path = write(tmp_path / files[form][0], files[form][1])
            with path.open("rb") as file:
                assert plain(kind(file)) == plain(kind(io.BytesIO(path.read_bytes()))) == wanted, form
            if isinstance(files[form][1], str):
                with path.open(encoding="utf-8") as file:
                    assert plain(kind(file)) == plain(kind(io.StringIO(files[form][1]))) == wanted, form
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(path.read_bytes())))
            assert plain(kind("-")) == wanted, form
        path = parquet(tmp_path / "f", rows, names)  # known by its first bytes
        assert plain(kind(path)) == plain(kind(io.BytesIO(path.read_bytes()))) == wanted


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


def test_numbers_as_people_write_them(tmp_path):
    texts = {"1": 1, "-1.5": -1.5, "+2": 2, ".5": 0.5, "5.": 5, "1e3": 1000, "-1E-3": -0.001}
    infinite = texts | {"inf": np.inf, "-Infinity": -np.inf}
    for kind, line, numbers in ((Run, "q1 Q0 d{} 1 {} t\n", infinite), (Qrels, "q1 0 d{} {}\n", texts)):
        text = "".join(line.format(place, number) for place, number in enumerate(numbers))
        assert list(kind(write(tmp_path / "f", text))["q1"].values()) == list(numbers.values())


def test_every_known_name_of_a_column_is_found_in_every_spelling():
    for spell in (str, str.upper, lambda name: name.replace("_", "-"), lambda name: f' "{name.title()}" '):
        for role, names in COLUMN_NAMES.items():
            for name in names:
                assert find_columns(["first", spell(name), "last"], [role]) == {role: spell(name)}
    assert find_columns(["query", "qid", "query_id"], ["query"]) == {"query": "query_id"}  # the likeliest wins
    assert find_columns(["score", "label"], ["grade"]) == {"grade": "label"}
    assert find_columns(["QID"], ["query"], ["subtopic"]) == {"query": "QID"}
    assert find_columns(["qid", "aspect"], ["query"], ["subtopic"]) == {"query": "qid", "subtopic": "aspect"}


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
        assert documents("qid,docid,score\nq1,d1,2\n".replace(",", mark), "run.tsv") == {"d1": 2}, mark


def test_a_path_is_a_path_and_no_pattern_or_column(tmp_path):
    parquet(tmp_path / "run1.parquet", [("other", "d", 1.0)], RUN_NAMES)
    (tmp_path / "query_id=5").mkdir()
    for name in ("run[1].parquet", "run*.parquet", "it's.parquet", "query_id=5/run.parquet"):
        assert plain(Run(parquet(tmp_path / name, [("mine", "d", 1.0)], RUN_NAMES))) == {"mine": {"d": 1.0}}, name


@given(st.lists(st.text("ab \u00a0é", min_size=1).map(str.strip).filter(bool), min_size=6, max_size=6))
def test_six_columns_between_tabs_are_those_columns(fields):
    assert trec_fields("\t".join(fields).encode(), 6) == [field.encode().strip() for field in fields]


GOOD, JUDGED = "q1 Q0 d1 1 0.5 t\n", "q1 0 d1 1\n"
CSV = "qid,docid,score\nq1,d1,0.5\n"
LINES = '{"qid": "q1", "docid": "d1", "score": 0.5}\n'
LONG = "".join(f"q1 0 d{number} 1\n" for number in range(99)).encode()


def line(**fields):
    return LINES + json.dumps({"qid": "q1", "docid": "d2", "score": 1, **fields}) + "\n"


RUN_FAULTS = {
    "five columns": ("run", GOOD + "q1 Q0 d2 2 0.4\n"),
    "one column behind comments": ("run", GOOD + "\n#c\nd2\n"),
    "no number": ("run", GOOD + "q1 Q0 d2 2 high t\nq1 Q0 d3 2 1,5 t\nq1 Q0 d4 2 nan t\nq1 Q0 d5 2 -NaN t\n"),
    "not UTF-8": ("run", b"q\xff Q0 d1 2 0.4 t\n" + GOOD.encode() + b"q1 Q0 d\xff 2 0.4 t\nq1 Q0 d2 2 0.\xff t\n"),
    "gzip": ("run.gz", packed((GOOD + "q1\n").encode())),
    "an id with a blank": ("run", GOOD + "q1 Q0 User Guide.md 2 8.0 t\nq1 Q0 The User Guide.md 2 8.0 t\n"),
    "a row like a comment": ("run", GOOD + "#tag1 Q0 b 1 2 t\n#tag1\tQ0\tb c\t1\t2\tt\n"),
    "a document twice": ("run", "# c\n" + GOOD + "q1 Q0 d2 2 0.1 t\n" + GOOD),
    "three columns: scores": ("run", "q1\tb\t9.5\nq1\ta\t7.2\n"),
    "three columns: not in order": ("run", "q1\tb\t2\nq1\ta\t1\n"),
    "three columns: no number": ("run", "q1\tb\t1\nq1\ta\tx\n"),
    "three columns that are six": ("run", "q1 Q0 d1\nq1 Q0 d2 1 2 t\n"),
    "judgments": ("run", "q1 0 d1 1\n"),
    "nothing": ("run", ""),
    "CSV: columns": ("run.csv", CSV + "q1,d2\nq1,d2,0.4,x\n"),
    "CSV: no number": ("run.csv", "# c\n\n" + CSV + "q1,d2,\n\nq1,d3,x\nq1,d4,nan\n"),
    "CSV: not UTF-8": ("run.csv", CSV.encode() + b"q1,d\xff,0.4\n"),
    "CSV: no column for the query": ("run.csv", "a,b,c\nq1,d1,0.5\n"),
    "CSV: no column for the score": ("run.csv", "qid,docid,x\nq1,d1,0.5\n"),
    "JSONL: not JSON": ("run.jsonl", LINES + "{oops\n\n[1, 2]\n"),
    "JSONL: no document": ("run.jsonl", LINES + '{"qid": "q1", "score": 1}\n'),
    "JSONL: values": ("run.jsonl", line(score=None) + line(score=float("nan")) + line(score=[1])),
    "JSONL: an id": ("run.jsonl", line(docid=None) + line(docid=1.5, qid="q2") + line(qid=None)),
    "JSONL: a key twice": ("run.jsonl", LINES + '{"qid": "q1", "docid": "d2", "score": 1, "score": 2}\n'),
    "list: null": ("run.jsonl", '{"query_id": "q0", "results": ["a"]}\n{"query_id": "q1", "results": [null]}\n'),
    "list: three values": ("run.jsonl", '{"query_id": "q1", "results": [["a", 1, 2]]}\n'),
    "list: no number": ("run.jsonl", '{"query_id": "q1", "results": [["a", "high"], ["b", true]]}\n'),
    "list: contexts": ("run.jsonl", '{"query_id": "q1", "contexts": ["a"]}\n'),
    "list: text": ("run.jsonl", '{"query_id": "q1", "results": "a"}\n'),
    "list: no query": ("run.jsonl", '{"results": ["a"]}\n{"query_id": null, "results": ["a"]}\n'),
    "JSON: not JSON": ("run.json", '{"q1": {\n"d1": 0.5,\n"d2" 0.4}}'),
    "JSON: empty": ("run.json", ""),
    "JSON: no ranking": ("run.json", '{"q1": "d1"}'),
    "JSON: no document": ("run.json", '{"q1": {"d1": null, "d2": "high", "d3": {"score": 1}, "d4": NaN}}'),
    "JSON: a pair": ("run.json", '{"q1": [["d1", 1], ["d2"]]}'),
    "JSON: a document twice": ("run.json", '{"q1": [["d1", 1], ["d1", 2]]}'),
    "JSON: not UTF-8": ("run.json", b'{"q1": {"d\xff": 1}}'),
}
QRELS_FAULTS = {
    "columns": ("qrels", JUDGED + "q1 0 d2\n\n#c\nq1 0 d2 1 x\n"),
    "no number": ("qrels", JUDGED + "q1 0 d2 high\nq1 0 d3 nan\nq1 0 d4 inf\n"),
    "twice": ("qrels", JUDGED + JUDGED + "q1 0 d1 0\n"),
    "not UTF-8": ("qrels", JUDGED.encode() + b"q1 0 d\xff 1\n"),
    "an id with a blank": ("qrels", "q1 0 User Guide.md 1\n"),
    "three columns: four": ("qrels", "q1\ta\t1\nq1 0 b 1\n"),
    "three columns with blanks": ("qrels", "q1 a 1\n"),
    "three columns that are four": ("qrels", "q1\t0\td1\nq1\t0\td2\t1\n"),
    "nothing": ("qrels", ""),
    "CSV: no number": ("qrels.csv", "qid,docid,rel\nq1,d2,\nq1,d3,x\nq1,d4,inf\n"),
    "CSV: no column for the grade": ("qrels.csv", "qid,docid,x\nq1,d1,1\n"),
    "JSONL: values": ("qrels.jsonl", line(score=None) + line(score=float("inf")) + line(qid=None)),
    "JSON: no query": ("qrels.json", "{}"),
    "JSON: a text": ("qrels.json", '{"q1": "d1"}'),
    "JSON: grades": ("qrels.json", '{"q1": {"d1": null, "d2": Infinity, "d3": "high"}}'),
    "JSON: an id": ("qrels.json", '{"q1": [1.5]}'),
}
REFUSED = [
    (Run, "run.jsonl", line(score=10**400)),
    (Run, "run.jsonl", LINES + '{"qid": "q1", "docid": "d2", "score": 1' + "0" * 5000 + "}\n"),
    (Run, "run.jsonl", LINES + "[" * 100_000 + "\n"),
    (Run, "run.json", "[" * 100_000),
    (Run, "run.gz", b""),
    (Run, "run.zst", zstandard.compress(b"")),
    (Run, "run.csv", b"qid,docid,score,\xff\n"),
    (Run, "run.csv", CSV + 'q1,"d2,0.4\n'),
    (Run, "run.parquet", ""),
    (Run, "run.json", '{"run": 5}'),
    (Qrels, "qrels.json", "null"),
    (Qrels, "qrels.parquet", "not a Parquet file"),
    (Qrels, "qrels.gz", packed(LONG)[:-9]),
    (Qrels, "qrels.zst", zstandard.compress(LONG)[:-9]),
]


def test_faults_say_where_and_what(snapshots, tmp_path):
    def reading(kind, name, content):
        return lambda: kind(write(tmp_path / name, content))

    snapshots.check_errors("files/faults_of_runs", {case: reading(Run, *file) for case, file in RUN_FAULTS.items()})
    snapshots.check_errors("files/faults_of_qrels", {case: reading(Qrels, *file) for case, file in QRELS_FAULTS.items()})
    for kind, name, content in [*((Run, *file) for file in RUN_FAULTS.values()), *REFUSED]:
        path = write(tmp_path / name, content)
        with pytest.raises(DataError) as error:
            kind(path)
        assert str(path) in str(error.value), content
        assert len(str(error.value)) < 1500, content
        with pytest.raises(DataError):
            assay.evaluate({"q1": {"d1": 1}}, path, ["map"])


def test_a_path_inside_a_json_file_is_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(GOOD.encode())))
    other = write(tmp_path / "other.txt", GOOD)
    for text in (f'"{other}"', f'{{"run": "{other}"}}', '"-"'):
        with pytest.raises(DataError):
            Run(write(tmp_path / "run.json", text))


def test_files_that_are_not_there(snapshots, tmp_path):
    run, qrels = write(tmp_path / "run.txt", trec_run()), write(tmp_path / "qrels.txt", "q1 0 d1 1\n")
    cases = {"no file": partial(Run, tmp_path / "none.txt"), "judgments that are a run": partial(Qrels, run)}
    cases["swapped"] = partial(assay.evaluate, run, qrels, ["map"])
    snapshots.check_errors("files/not_there", cases)
    for text in ("x" * 5000, trec_run() * 20, "x\0y", "", 5, None, b"q1", 1.5, object(), len):
        with pytest.raises(DataError):
            Run(text)


def test_at_most_twenty_faults_are_collected(tmp_path):
    many = {
        "run.txt": "".join(f"q1 Q0 d{number} 1 high t\nq1 Q0\n" for number in range(100)),
        "twice.txt": GOOD * 100,
        "utf8.txt": b"q1 Q0 d\xff 1 0.5 t\n" * 100,
        "short.csv": "qid,docid,score\n" + "q1\n" * 100,
        "run.jsonl": "{oops\n" * 100,
    }
    for source in (*(write(tmp_path / name, content) for name, content in many.items()), [("q1", "d1", "high")] * 100):
        with pytest.raises(DataError) as error:
            Run(source)
        assert len(error.value.faults) == 20, source


def test_a_frame_with_a_hole_names_the_row_and_one_without_the_columns_is_refused():
    nan, two, ab = float("nan"), [1.0, 2.0], ["a", "b"]
    for query, doc, score, row in [
        (["q1", None], ab, two, 2),
        ([None, "q1"], ab, two, 1),
        (["q1", "q1"], ["a", None], two, 2),
        (["q1", "q1"], ab, [1.0, None], 2),
        (["q1", "q1"], ab, [1.0, nan], 2),
        (["q1", "q1"], ab, ["1", "high"], 2),
        ([1.5, 1.5], ab, two, 1),
        (["q1", "q1"], [True, False], two, 1),
        (["q1", "q1"], ["a", "a"], two, 2),
    ]:
        for kind, _, _, _, names in BOTH:
            for frame in frames(**{"qid": query, "docid": doc, names[2]: score}):
                with pytest.raises(DataError, match=f":{row}: "):
                    kind(frame)
    with pytest.raises(DataError, match=":2: "):
        Qrels(pd.DataFrame({"qid": ["q1", "q1"], "docid": ab, "rel": [1.0, float("inf")]}))
    for kind, first in (("string", "q1"), ("Int64", 1)):
        ids = pd.array([first, None], dtype=kind)
        for by_column in ({"qid": ids, "docid": ab}, {"qid": ["q1", "q1"], "docid": ids}):
            with pytest.raises(DataError, match="row:2: "):
                Run(pd.DataFrame({**by_column, "score": two}))
    tables = [{"qid": ["q1"], "x": ["a"], "score": [1.0]}, {"qid": ["q1"], "docid": ["a"], "x": [1.0]}]
    for frame in (*frames(**tables[0]), *frames(**tables[1]), {"qid": ["q1", "q1"], "docid": ["a"], "score": [1.0, 2.0]}):
        with pytest.raises(DataError):
            Run(frame)


BAD_RECORDS = [
    *(("q1", "d2"), ("q1", "d2", 1.0, None, None), "q1 d2 1.0", 5, None, {"qid": "q1", "score": 1.0}, object()),
    *({"qid": "q1", "docid": "d2"}, ("q1", "d2", "high"), ("q1", "d2", None), ("q1", "d2", 10**400)),
    *(("q1", "d2", float("nan")), (None, "d2", 1.0), (1.5, "d2", 1.0), (["q1"], "d2", 1.0), ("q1", None, 1.0)),
    *(("q1", {}, 1.0), (float("nan"), "d2", 1.0)),
]


def test_a_bad_record_is_named_wherever_it_stands():
    good = [("q1", "d0", 2.0), ("q1", "d1", 1.0)]
    for bad in BAD_RECORDS:
        for kind in (Run, Qrels):
            if kind is Run or bad != ("q1", "d2", 1.0, None, None):
                for place, rows in ((1, [bad, *good]), (3, [*good, bad])):
                    with pytest.raises(DataError, match=f":{place}: "):
                        kind(rows)
    with pytest.raises(DataError, match=":2: ") as error:
        Run([(1, "a", 1.0), (1.0, "b" * 1000, 1.0)])  # whole, even after an equal one
    assert len(str(error.value)) < 160
    mixed = [("q1", "d1", 1), ["q1", "d2", 2, "x"], {"qid": "q1", "docid": "d3", "score": 3}, np.array(["q1", "d4", "4"])]
    assert plain(Run(mixed)) == {"q1": {"d1": 1, "d2": 2, "d3": 3, "d4": 4}}


IDS = st.text("abcXYZ0129_-.:äß日#", min_size=1, max_size=5).filter(lambda word: not word.startswith("#"))


def by_query(values):
    return st.dictionaries(IDS, st.dictionaries(IDS, values, min_size=1, max_size=3), min_size=1, max_size=3)


@given(by_query(st.integers(-3, 10) | st.floats(-1e9, 1e9)), by_query(st.floats(allow_nan=False)))
def test_what_is_written_reads_back(folder, qrels, rankings):
    write_qrels(qrels, folder / "qrels.txt")
    assert dict(Qrels(str(folder / "qrels.txt"))) == qrels
    path = folder / "run.txt"
    write_run(rankings, path, "bm25")
    found = Run(str(path))
    assert (dict(found), found.tag) == (rankings, "bm25")
    assert all(list(found[query]) == found.ranked(place) for place, query in enumerate(found))
    ranks = [int(line.split()[3]) for line in path.read_text().splitlines()]
    assert ranks == [rank for ranking in rankings.values() for rank in range(1, len(ranking) + 1)]


def test_what_is_written_by_hand(tmp_path):
    write_run({"q": {"b": np.float64(1.5), "a": 1.5, "c": np.float32(2)}}, tmp_path / "run.txt")
    assert (tmp_path / "run.txt").read_text() == "q Q0 c 1 2.0 assay\nq Q0 b 2 1.5 assay\nq Q0 a 3 1.5 assay\n"
    write_lines(tmp_path / "a.jsonl", iter([{"a": "ä\n"}, [1], None]))
    assert (tmp_path / "a.jsonl").read_bytes() == '{"a":"ä\\n"}\n[1]\nnull\n'.encode()
    grades = {2.0: "2", 2.5: "2.5", -1: "-1", 0.1 + 0.2: "0.30000000000000004", 1234567: "1234567.0"}
    assert {grade: grade_text(grade) for grade in grades} == grades


def test_what_a_trec_file_cannot_hold_is_refused(snapshots, tmp_path):
    path = tmp_path / "out.txt"
    for bad in ("", "a b", " a", "a\t", "a\nb", "a\u00a0b"):
        for writing in (write_qrels, write_run):
            for some in ({bad: {"d": 1}}, {"q": {bad: 1}}):
                with pytest.raises(DataError):
                    writing(some, path)
    for bad in (float("nan"), float("inf"), None, "1"):
        with pytest.raises(DataError):
            write_qrels({"q": {"d": bad}}, path)
    cases = {"an id": lambda: write_run({"q": {"a b": 1}}, path), "a grade": lambda: write_qrels({"q": {"d": "1"}}, path)}
    snapshots.check_errors("files/not_written", cases)
    assert list(tmp_path.iterdir()) == []
