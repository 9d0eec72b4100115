"""Reading runs: every fault is a DataError that says where, and nothing else ever happens."""

import contextlib
import io
import json
import sys
from types import SimpleNamespace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given

import assay
from assay import DataError, Run

from ._cases import (
    RUN,
    RUN_NAMES,
    RUN_ROWS,
    delimited,
    faults_of,
    jsonl,
    packed,
    plain,
    trec_run,
    write,
)
from ._damage import mutated

# --- faults that name their line -----------------------------------------------------------------------------------


GOOD = "q1 Q0 d1 1 0.5 t\n"
GOOD_CSV = "qid,docid,score\nq1,d1,0.5\n"
GOOD_JSONL = '{"qid": "q1", "docid": "d1", "score": 0.5}\n'


@pytest.mark.parametrize(
    ("name", "content", "line", "says"),
    [
        ("run", GOOD + "q1 Q0 d2 2 0.4\n", 2, "6 columns.*found 5"),
        ("run", GOOD + "\n#c\nd2\n", 4, "found 1"),
        ("run", GOOD + "q1 Q0 d2 2 high t\n", 2, "'high'"),
        ("run", GOOD + "q1 Q0 d2 2 1,5 t\n", 2, "'1,5'"),
        ("run", GOOD + "q1 Q0 d2 2 nan t\n", 2, "'nan'"),
        ("run", GOOD + "q1 Q0 d2 2 -NaN t\n", 2, "'-NaN'"),
        ("run", GOOD.encode() + b"q1 Q0 d\xff 2 0.4 t\n", 2, "UTF-8"),
        ("run", b"q\xff Q0 d1 2 0.4 t\n" + GOOD.encode(), 1, "UTF-8"),
        ("run", GOOD.encode() + b"q1 Q0 d2 2 0.\xff t\n", 2, "UTF-8"),
        ("run.gz", packed((GOOD + "q1\n").encode()), 2, "found 1"),
        ("run.zst", zstandard.compress((GOOD + "q1\n").encode()), 2, "found 1"),
        ("run.csv", GOOD_CSV + "q1,d2\n", 3, "3 columns.*found 2"),
        ("run.csv", GOOD_CSV + "q1,d2,0.4,x\n", 3, "3 columns.*found 4"),
        ("run.csv", GOOD_CSV + "q1,d2,\n", 3, "''"),
        ("run.csv", GOOD_CSV + "q1,d2,x\n", 3, "'x'"),
        ("run.csv", GOOD_CSV + "q1,d2,nan\n", 3, "'nan'"),
        ("run.csv", GOOD_CSV.encode() + b"q1,d\xff,0.4\n", 3, "UTF-8"),
        ("run.csv", "qid,docid,rank\nq1,d1,first\n", 2, "'first'"),
        ("run.csv", "# c\n\n" + GOOD_CSV + "\nq1,d2,x\n", 6, "'x'"),
        ("run.jsonl", GOOD_JSONL + "{oops\n", 2, "JSON"),
        ("run.jsonl", GOOD_JSONL + "\n[1, 2]\n", 3, "object"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "score": 1}\n', 2, "document"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2"}\n', 2, "score"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "score": null}\n', 2, "None"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "score": NaN}\n', 2, "nan"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "score": [1]}\n', 2, "1"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": null, "score": 1}\n', 2, "None"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": 1.5, "score": 1}\n', 2, "1.5"),
        ("run.jsonl", '{"qid": null, "docid": "d1", "score": 1}\n' + GOOD_JSONL, 1, "None"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "score": 1, "score": 2}\n', 2, "score"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "score": 1' + "0" * 400 + "}\n", 2, "1000"),
        ("run.jsonl", GOOD_JSONL + '{"qid": "q1", "docid": "d2", "score": 1' + "0" * 5000 + "}\n", 2, ""),
        ("run.jsonl", GOOD_JSONL + "[" * 100_000 + "\n", 2, ""),
        ("run.jsonl", GOOD_JSONL.encode() + b'{"qid": "q\xff"}\n', 2, "UTF-8"),
        ("run.json", '{"q1": {\n"d1": 0.5,\n"d2" 0.4}}', 3, "JSON"),
        ("run.json", '{"q1": {"d1": 0.5}', 1, "JSON"),
    ],
)
def test_a_fault_names_its_line(tmp_path, name, content, line, says):
    path = write(tmp_path / name, content)
    (fault,) = faults_of(Run, path)
    assert fault.startswith(f"{path}:{line}: ")
    with pytest.raises(DataError, match=says or "run"):
        assay.evaluate({"q1": {"d1": 1}}, path, ["map"])


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("run", "", "no rankings"),
        ("run", "# only\n\n#comments\n", "no rankings"),
        ("run.json", "", "JSON"),
        ("run.json", "{}", "no rankings"),
        ("run.json", "[]", "no rankings"),
        ("run.json", '{"run": {}}', "no rankings"),
        ("run.jsonl", "", "no rankings"),
        ("run.csv", "", "no rankings"),
        ("run.csv", "qid,docid,score\n", "no rankings"),
        ("run.gz", b"", ""),
        ("run.gz", packed(b""), "no rankings"),
        ("run.zst", zstandard.compress(b""), "no rankings"),
        ("run.json", "5", ""),
        ("run.json", "null", ""),
        ("run.json", '"run.txt"', ""),
        ("run.json", '{"run": 5}', ""),
        ("run.json", '["q1", "d1"]', ""),
        ("run.json", '{"q1": "d1"}', "q1"),
        ("run.json", '{"q1": 5}', "q1"),
        ("run.json", '{"q1": null}', "q1"),
        ("run.json", '{"q1": {"d1": null}}', "q1.*d1"),
        ("run.json", '{"q1": {"d1": "high"}}', "q1.*d1"),
        ("run.json", '{"q1": {"d1": {"score": 1}}}', "q1.*d1"),
        ("run.json", '{"q1": {"d1": NaN}}', "q1.*d1"),
        ("run.json", '{"q1": [["d1", 1], ["d2"]]}', "q1"),
        ("run.json", '{"q1": [["d1", 1], ["d1", 2]]}', "q1.*d1"),
        ("run.json", '{"q1": [null]}', "None"),
        ("run.json", '{"q1": {"d1": 1, "d1": 2}}', "d1"),
        ("run.json", '{"q1": {"d1": 1}, "q1": {"d2": 1}}', "q1"),
        ("run.json", b'{"q1": {"d\xff": 1}}', "UTF-8"),
        ("run.json", '{"q1": {"d1": 1' + "0" * 5000 + "}}", ""),
        ("run.json", "[" * 100_000, ""),
        ("run.csv", "a,b,c\nq1,d1,0.5\n", "column for the query.*'a', 'b', 'c'"),
        ("run.csv", "qid,x,score\nq1,d1,0.5\n", "column for the document"),
        ("run.csv", "qid,docid,x\nq1,d1,0.5\n", "score or the rank"),
        ("run.csv", b"qid,docid,score,\xff\n", ""),
        ("run.csv", GOOD_CSV + 'q1,"d2,0.4\n', ""),
        ("run.parquet", "not a Parquet file", "Parquet"),
        ("run.parquet", "", "Parquet"),
        ("run", "q1 0 d1 1\n", "judgments"),
    ],
)
def test_a_file_that_holds_no_run_is_named(tmp_path, name, content, says):
    path = write(tmp_path / name, content)
    with pytest.raises(DataError, match=f"(?s)run.*{says}") as caught:
        Run(path)
    with pytest.raises(DataError):
        assay.evaluate({"q1": {"d1": 1}}, path, ["map"])
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("text", ['"{}"', '{{"run": "{}"}}', '"-"'])
def test_a_path_inside_a_json_file_is_not_followed(tmp_path, monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(GOOD.encode())))
    other = write(tmp_path / "other.txt", GOOD)
    with pytest.raises(DataError):
        Run(write(tmp_path / "run.json", text.format(other)))


def test_a_single_record_without_ending_is_a_record(tmp_path):
    for name in ("run.jsonl", "run", "run.json"):
        assert plain(Run(write(tmp_path / name, GOOD_JSONL))) == {"q1": {"d1": 0.5}}


def test_a_very_long_text_is_no_obstacle(tmp_path):
    path = write(tmp_path / "run.csv", f"qid,docid,text,score\nq1,d1,{'word ' * 40_000},0.5\n")
    assert plain(Run(path)) == {"q1": {"d1": 0.5}}


@pytest.mark.parametrize("name", ["run.csv", "run.txt"])
def test_old_line_ends_are_read_or_refused(tmp_path, name):
    """A carriage return alone, as long ago: two rows or a fault, but no row is lost."""
    rows = [("q1", "d1", 0.5), ("q1", "d2", 0.4), ("q1", "d3", 0.3)]
    text = (delimited(rows, RUN_NAMES) if name == "run.csv" else trec_run(rows)).replace("\n", "\r")
    with contextlib.suppress(DataError):
        assert plain(Run(write(tmp_path / name, text))) == {"q1": {"d1": 0.5, "d2": 0.4, "d3": 0.3}}


@pytest.mark.parametrize("cut", [1, 10, 200, 20_000])
@pytest.mark.parametrize("name", ["run.gz", "run.zst", "run.json.gz", "run.json.zst"])
def test_a_shortened_file_is_damaged_not_smaller(tmp_path, name, cut):
    rows = [("q1", f"d{number}", hash_like(number)) for number in range(20_000)]
    text = json.dumps({"q1": {doc: score for _, doc, score in rows}}) if "json" in name else trec_run(rows)
    whole = (packed if name.endswith("gz") else zstandard.compress)(text.encode())
    (fault,) = faults_of(Run, write(tmp_path / name, whole[:-cut]))
    assert name in fault


def hash_like(number):
    """Digits that do not compress well."""
    return (number * 2_654_435_761 % 2**32) / 2**32


@pytest.mark.parametrize("place", [3, 12, 40, -30, -6])
@pytest.mark.parametrize("name", ["run.gz", "run.zst"])
def test_flipped_bits_in_a_compressed_file_are_noticed_or_harmless(tmp_path, name, place):
    text = trec_run([("q1", f"d{number}", hash_like(number)) for number in range(500)])
    damaged = bytearray((packed if name == "run.gz" else zstandard.compress)(text.encode()))
    damaged[place] ^= 0x55
    with contextlib.suppress(DataError):
        assert len(Run(write(tmp_path / name, bytes(damaged)))["q1"]) == 500


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match=r"[Nn]o such file"):
        Run(tmp_path / "none.txt")
    with pytest.raises(DataError, match="folder"):
        Run(tmp_path)
    for text in ("x" * 5000, trec_run() * 20, "x\0y", ""):
        with pytest.raises(DataError):
            Run(text)


def test_at_most_twenty_faults_are_collected(tmp_path):
    bad = [f"q1 Q0 d{number} 1 high t\nq1 Q0\n" for number in range(500)]
    for name, content in {
        "run.txt": "".join(bad),
        "short.txt": "q1\n" * 500,
        "twice.txt": "q1 Q0 d1 1 0.5 t\n" * 500,
        "utf8.txt": b"q1 Q0 d\xff 1 0.5 t\n" * 500,
        "run.csv": "qid,docid,score\n" + "q1,d1,high\n" * 500,
        "short.csv": "qid,docid,score\n" + "q1\n" * 500,
        "run.jsonl": "{oops\n" * 500,
    }.items():
        with pytest.raises(DataError) as caught:
            Run(write(tmp_path / name, content))
        assert len(caught.value.faults) == 20
        assert "20 or more" in str(caught.value)
    assert len(faults_of(Run, [("q1", "d1", "high")] * 500)) == 20


# --- faults in memory ----------------------------------------------------------------------------------------------


def frames(**by_column):
    """The same columns in every kind of frame."""
    yield pd.DataFrame(by_column)
    yield pl.DataFrame(by_column, strict=False)
    yield pa.table(by_column)
    yield by_column


@pytest.mark.parametrize(
    ("query", "doc", "score", "row"),
    [
        (["q1", None], ["a", "b"], [1.0, 2.0], 2),
        ([None, "q1"], ["a", "b"], [1.0, 2.0], 1),
        ([None, None], ["a", "b"], [1.0, 2.0], 1),
        (["q1", "q1"], ["a", None], [1.0, 2.0], 2),
        (["q1", "q1"], ["a", "b"], [1.0, None], 2),
        (["q1", "q1"], ["a", "b"], [1.0, float("nan")], 2),
        (["q1", "q1"], ["a", "b"], ["1", "high"], 2),
        ([1.5, 1.5], ["a", "b"], [1.0, 2.0], 1),
        (["q1", "q1"], [True, False], [1.0, 2.0], 1),
        (["q1", "q1"], ["a", "a"], [1.0, 2.0], 2),
    ],
)
def test_a_frame_with_a_hole_names_the_row(query, doc, score, row):
    for frame in frames(qid=query, docid=doc, score=score):
        assert f":{row}: " in faults_of(Run, frame)[0], type(frame)


def test_pandas_nulls_are_holes_too():
    for kind, first in (("string", "q1"), ("Int64", 1)):
        ids = pd.array([first, None], dtype=kind)
        assert "row:2: " in faults_of(Run, pd.DataFrame({"qid": ids, "docid": ["a", "b"], "score": [1.0, 2.0]}))[0]
        assert "row:2: " in faults_of(Run, pd.DataFrame({"qid": ["q1", "q1"], "docid": ids, "score": [1.0, 2.0]}))[0]


def test_a_frame_without_the_columns_is_named():
    for frame in frames(qid=["q1"], x=["a"], score=[1.0]):
        if not isinstance(frame, dict):
            assert "document" in faults_of(Run, frame)[0]
    for frame in frames(qid=["q1"], docid=["a"], x=[1.0]):
        assert "score" in faults_of(Run, frame)[0]


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(DataError):
        Run({"qid": ["q1", "q1"], "docid": ["a"], "score": [1.0, 2.0]})


def test_two_columns_of_one_name_are_refused_or_the_first_is_read():
    frame = pd.DataFrame([["q1", "q9", "a", 1.0]], columns=["qid", "qid", "docid", "score"])
    try:
        found = plain(Run(frame))
    except DataError:
        return
    assert found == {"q1": {"a": 1.0}}


def test_a_lazy_frame_is_read_or_refused():
    frame = pl.LazyFrame({"qid": ["q1"], "docid": ["a"], "score": [1.0]})
    try:
        found = plain(Run(frame))
    except DataError:
        return
    assert found == {"q1": {"a": 1.0}}


@pytest.mark.parametrize(
    "bad",
    [
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
    ],
    ids=lambda bad: repr(bad)[:15],
)
def test_a_bad_record_is_named_wherever_it_stands(bad):
    good = [("q1", "d0", 2.0), ("q1", "d1", 1.0)]
    assert ":1: " in faults_of(Run, [bad, *good])[0]
    assert ":3: " in faults_of(Run, [*good, bad])[0]


def test_an_id_must_be_whole_even_after_an_equal_one():
    assert ":2: " in faults_of(Run, [(1, "a", 1.0), (1.0, "b", 1.0)])[0]


@pytest.mark.parametrize("source", [5, None, b"q1", 1.5, object(), len], ids=lambda source: type(source).__name__)
def test_what_is_no_source_at_all_is_refused(source):
    faults_of(Run, source)


# --- anything else must not happen ---------------------------------------------------------------------------------


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
