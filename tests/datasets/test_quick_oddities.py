"""Out of the ordinary, the quick way and the strict reader come to the same result, or to the same error."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import Policy, Qrels
from assay.files import FileSource

from ._cases import BOM, packed, write
from ._quick import JUDGED, ROWS, WRITERS, outcome, quick, strict, taken

pytestmark = pytest.mark.usefixtures("everything_is_large")


LINE = "q1 Q0 a 1 0.5 t\n"
CSV = "qid,docid,score\nq1,a,0.5\n"
OBJECT = '{"qid": "q1", "docid": "a", "score": 0.5}\n'
B = "q1 Q0 b 2 0.25 t\n"
ODD_FILES = {
    "comment": ("run", LINE + "# by hand\n" + B),
    "comment of six fields": ("run", LINE + "# a b 1 9.5 t\n" + B),
    "comment of six fields, no blank": ("run", LINE + "#q1 Q0 b 1 9.5 t\n" + B),
    "comment first": ("run", "# a b 1 9.5 t\n" + LINE + B),
    "byte-order mark": ("run", BOM + (LINE + B).encode()),
    "duplicate": ("run", LINE + B + "q1 Q0 a 3 0.1 t\n"),
    "duplicate apart": ("run", LINE + "q2 Q0 a 1 0.5 t\n" + "q1 Q0 a 3 0.1 t\n"),
    "nan": ("run", LINE + "q1 Q0 b 2 nan t\n"),
    "inf": ("run", LINE + "q1 Q0 b 2 inf t\n" + "q1 Q0 c 2 inf t\n"),
    "no number": ("run", LINE + "q1 Q0 b 2 high t\n"),
    "blank line": ("run", LINE + "\n" + B + "\n\n"),
    "line of blanks": ("run", LINE + "     \n" + B),
    "empty rank": ("run", LINE + "q1 Q0 b  1 0.5\n"),
    "empty rank from the start": ("run", "q1 Q0 a  1 0.5\n"),
    "empty iteration": ("run", LINE + "q1  b 1 0.5 t\n"),
    "empty tag": ("run", LINE + "q1 Q0 b 1 0.25 \n"),
    "empty query": ("run", LINE + " Q0 b 1 0.25 t\n"),
    "two blanks": ("run", LINE + "q1 Q0 b  1 0.25 t\n"),
    "leading blank": ("run", LINE + " " + B),
    "trailing blank": ("run", LINE + "q1 Q0 b 2 0.25 t \n"),
    "seven columns": ("run", LINE + "q1 Q0 b 2 0.25 t x\n"),
    "seven columns throughout": ("run", "q1 Q0 a 1 0.5 t x\nq1 Q0 b 2 0.25 t x\n"),
    "five columns": ("run", LINE + "q1 Q0 b 2 0.25\n"),
    "CRLF and LF": ("run", "q1 Q0 a 1 0.5 t\r\n" + B),
    "LF and CRLF": ("run", LINE + "q1 Q0 b 2 0.25 t\r\n"),
    "CR alone": ("run", LINE + "q1 Q0 b 2 0.25 t\rq1 Q0 x 2 0.75 t\n"),
    "tab among blanks": ("run", LINE + "q1 Q0 b\t2 9.5 0.25\n"),
    "tab inside a field": ("run", LINE + "q1 Q0 b\t7 2 0.25 t\n"),
    "leading tab": ("run", LINE + "\tq2 Q0 a 2 0.25 t\n"),
    "tab before the score": ("run", LINE + "q1 Q0 b 2 \t0.25 t\n"),
    "vertical tab": ("run", LINE + "q1 Q0 b\x0b7 2 0.25 t\n"),
    "form feed before the query": ("run", LINE + "\x0cq2 Q0 a 2 0.25 t\n"),
    "blank inside a tab-separated field": ("run", (LINE + "q1 Q0 b_7 2 0.25 t\n").replace(" ", "\t").replace("_", " ")),
    "blank inside an id with tabs, throughout": ("run", "q1\tQ0\tb 7\t1\t0.5\tt\nq1\tQ0\ta\t2\t0.25\tt\n"),
    "blank inside a query with tabs": ("run", "q 1\tQ0\tb 7\t1\t0.5\tt\nq1\tQ0\tb 7\t2\t0.25\tt\n"),
    "two blanks inside an id with tabs": ("run", "q1\tQ0\tb 7\t1\t0.5\tt\nq1\tQ0\tb  7\t2\t0.25\tt\n"),
    "blank before an id with tabs": ("run", "q1\tQ0\ta\t1\t0.5\tt\nq1\tQ0\t b\t2\t0.25\tt\n"),
    "blank inside a tag with tabs": ("run", "q1\tQ0\ta\t1\t0.5\tt u\nq1\tQ0\tb 7\t2\t0.25\tt\n"),
    "empty tag with tabs": ("run", "q1\tQ0\tb 7\t1\t0.5\t\nq1\tQ0\ta\t2\t0.25\t\n"),
    "tabs, CRLF": ("run", "q1\tQ0\tb 7\t1\t0.5\tt\r\nq1\tQ0\ta\t2\t0.25\tt\r\n"),
    "id of two words": ("run", LINE + "q1 Q0 b 7 2 0.25 t\n"),
    "id of two words, no number": ("run", LINE + "q1 Q0 b c 2 0.25 t\n"),
    "row that begins like a comment, tabs": ("run", LINE.replace(" ", "\t") + "#q1\tQ0\tb\t2\t0.25\tt\n"),
    "one empty field too many": ("run.tsv", "qid\tdocid\tscore\nq1\ta\t0.5\t\nq1\tb\t0.25\n"),
    "one empty field too many, CRLF": ("run.csv", "qid,docid,score\r\nq1,a,0.5\r\nq1,b,0.25,\r\n"),
    "one empty field too many at the end": ("run.csv", "qid,docid,score\nq1,a,0.5\nq1,b,0.25,"),
    "an empty last field": ("run.csv", "qid,docid,score,note\nq1,a,0.5,\nq1,b,0.25,x\n"),
    "a column without a name": ("run.csv", "qid,docid,score,\nq1,a,0.5,x\nq1,b,0.25,y\n"),
    "three columns": ("run.tsv", "q1\ta\t1\nq1\tb\t2\nq2\tb\t1\n"),
    "three columns, blanks": ("run", "q1 a 1\nq1 b 2\nq2 b 1\n"),
    "three columns, blank inside an id": ("run", "q1\ta\t1\nq1\tb 7\t2\n"),
    "three columns, interleaved": ("run", "q1\ta\t1\nq2\ta\t1\nq1\tb\t2\n"),
    "three columns, not from 1": ("run", "q1\ta\t2\nq1\tb\t3\n"),
    "three columns, not in order": ("run", "q1\ta\t2\nq1\tb\t1\n"),
    "three columns, fractions": ("run", "q1\ta\t1.0\nq1\tb\t2.00\n"),
    "three columns, underscores": ("run", "q1\ta\t1\nq1\tb\t2_0\n"),
    "three columns, scores": ("run", "q1\ta\t9.5\nq1\tb\t8.5\n"),
    "three columns, duplicate": ("run", "q1\ta\t1\nq1\ta\t2\n"),
    "three columns, then six": ("run", "q1\ta\t1\n" + LINE),
    "three columns, comment": ("run", "q1\ta\t1\n#q1\tc\t2\nq1\tb\t2\n"),
    "quotes": ("run", LINE + 'q1 Q0 "b" 2 0.25 t\nq1 Q0 "c 2 0.25 t\n'),
    "NUL": ("run", LINE + "q1 Q0 b\0 2 0.75 t\n" + B),
    "invalid UTF-8": ("run", LINE.encode() + b"q1 Q0 b\xff 2 0.25 t\n"),
    "invalid UTF-8 in the tag": ("run", LINE.encode() + b"q1 Q0 b 2 0.25 \xff\n"),
    "two signs": ("run", LINE + "q1 Q0 b 2 +-5 t\n"),
    "underscores": ("run", LINE + "q1 Q0 b 2 1_0 t\n"),
    "digits of another script": ("run", LINE + "q1 Q0 b 2 ٢ t\n"),
    "hexadecimal": ("run", LINE + "q1 Q0 b 2 0x10 t\n"),
    "beyond float64": ("run", LINE + "q1 Q0 b 2 1e999 t\nq1 Q0 c 2 -1e999 t\n"),
    "tiny": ("run", LINE + "q1 Q0 b 2 1e-999 t\nq1 Q0 c 2 0 t\n"),
    "empty": ("run", ""),
    "judgments": ("run", "q1 0 a 1\n"),
    "no final newline": ("run", LINE + B.rstrip("\n")),
    "gzip cut short": ("run.gz", packed((LINE + B).encode())[:-4]),
    "gzip with a wrong checksum": ("run.gz", packed((LINE + B).encode())[:-8] + b"12345678"),
    "gzip with rubbish behind": ("run.gz", packed((LINE + B).encode()) + b"rubbish"),
    "gzip in two members": ("run.gz", packed(LINE.encode()) + packed(B.encode())),
    "zstd cut short": ("run.zst", zstandard.compress((LINE + B).encode())[:-4]),
    "zstd in two frames": ("run.zst", zstandard.compress(LINE.encode()) + zstandard.compress(B.encode())),
    "a path that is a pattern": ("run[1].txt", LINE + B),
    "CSV, path that is a pattern": ("run[1].csv", CSV + "q1,b,0.25\n"),
    "JSONL, path that is a pattern": ("run[1].jsonl", OBJECT),
    "CSV in a folder that looks like a column": ("query_id=q2/run.csv", CSV + "q1,b,0.25\n"),
    "CSV, comment": ("run.csv", CSV + "# x\nq1,b,0.25\n"),
    "CSV, comment of three fields": ("run.csv", CSV + "#q1,b,9.5\nq1,b,0.25\n"),
    "CSV, comment in another first column": ("run.csv", "docid,qid,score\na,q1,0.5\n#b,q1,0.75\n"),
    "CSV, comment in a column not read": ("run.csv", "n,qid,docid,score\n1,q1,a,0.5\n#2,q1,b,0.75\n"),
    "CSV, comment first": ("run.csv", "# x\n" + CSV),
    "CSV, blank line": ("run.csv", CSV + "\nq1,b,0.25\n"),
    "CSV, blanks and tabs around": ("run.csv", CSV + " q1 ,\tb , 0.25 \n"),
    "CSV, Unicode blanks around": ("run.csv", CSV + "q1, b,0.25\nq1,\u00a0c,0.1\nq1,\u3000a,0.05\n"),
    "TSV, Unicode blanks around": ("run.tsv", CSV.replace(",", "\t") + "q1\t\u3000b\t0.25\nq1\tc\u00a0\t0.1\n"),
    "CSV, Unicode blanks around a score": ("run.csv", CSV + "q1,b,\u00a00.25\n"),
    "CSV, underscores": ("run.csv", CSV + "q1,b,1_0\n"),
    "CSV, underscores in ranks": ("run.csv", "qid,docid,rank\nq1,a,1\nq1,b,1_0\n"),
    "CSV, underscores in ids": ("run.csv", CSV + "q1,b_1,0.25\nq1,b,0.1\n"),
    "CSV, digits of another script": ("run.csv", CSV + "q1,b,٢\n"),
    "CSV, truth values": ("run.csv", CSV + "q1,b,true\n"),
    "CSV, single quotes": ("run.csv", "qid,docid,score\nq1,'a',0.5\nq1,'b',0.25\n"),
    "CSV, all in single quotes": ("run.csv", "qid,docid,score\n'q1','a','0.5'\n'q1','b','0.25'\n"),
    "CSV, double quotes": ("run.csv", CSV + '"q1","b","0.25"\n'),
    "CSV, doubled quotes": ("run.csv", CSV + 'q1,"b""",0.25\nq1,b,0.1\n'),
    "CSV, backslash": ("run.csv", CSV + 'q1,"b\\",0.25\nq1,c\\,d,0.1\n'),
    "CSV, quote in the middle": ("run.csv", CSV + 'q1,b"x,0.25\nq1,b,0.1\n'),
    "CSV, open quote": ("run.csv", CSV + 'q1,"b,0.25\nq1,c,0.1\n'),
    "CSV, text with a heading": ("run.csv", 'qid,docid,text,score\nq1,a,"x\n# y",0.5\nq1,b,z,0.25\n'),
    "CSV, short row": ("run.csv", CSV + "q1,b\n"),
    "CSV, long row": ("run.csv", CSV + "q1,b,0.25,x\n"),
    "CSV, every row longer than the header": ("run.csv", "qid,docid,score\nq1,a,1,5\nq1,b,2,5\n"),
    "CSV, every row shorter than the header": ("run.csv", "qid,docid,score,n\nq1,a,1\nq1,b,2\n"),
    "CSV, empty ids": ("run.csv", CSV + ",b,0.25\nq1,,0.1\n"),
    "CSV, empty score": ("run.csv", CSV + "q1,b,\n"),
    "CSV, NULL": ("run.csv", CSV + "q1,NULL,0.25\nNULL,b,0.1\n"),
    "CSV, duplicate": ("run.csv", CSV + "q1,a,0.25\n"),
    "CSV, CR alone": ("run.csv", CSV + "q1,b,0.25\rq1,c,0.1\n"),
    "CSV, mark": ("run.csv", BOM + CSV.encode()),
    "CSV, header again": ("run.csv", CSV + CSV),
    "CSV, header only": ("run.csv", "qid,docid,score\n"),
    "CSV, two score columns": ("run.csv", "qid,docid,score,Score\nq1,a,0.1,0.9\nq1,b,0.2,0.8\n"),
    "CSV, no header": ("run.csv", "q1,a,0.5\n"),
    "CSV, dates": ("run.csv", CSV + "q1,2024-01-01,0.25\n"),
    "JSONL, comment": ("run.jsonl", OBJECT + "# x\n"),
    "JSONL, mark": ("run.jsonl", BOM + OBJECT.encode()),
    "JSONL, mixed ids": ("run.jsonl", OBJECT + '{"qid": 7, "docid": "b", "score": 1}\n'),
    "JSONL, blanks in ids": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": " b", "score": 1}\n'),
    "JSONL, null": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": "b", "score": null}\n'),
    "JSONL, missing": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": "b"}\n'),
    "JSONL, text scores": ("run.jsonl", OBJECT.replace("0.5", '"0.5"') + '{"qid": "q1", "docid": "b", "score": "9"}\n'),
    "JSONL, underscores": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": "b", "score": "1_0"}\n'),
    "JSONL, truth values": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": "b", "score": true}\n'),
    "JSONL, truth values throughout": ("run.jsonl", OBJECT.replace("0.5", "true")),
    "JSONL, large numbers": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": "b", "score": 12345678901234567890123}\n'),
    "JSONL, many digits": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": "b", "score": 0.50000000000000011}\n'),
    "JSONL, a list later": ("run.jsonl", OBJECT + '{"qid": "q2", "results": ["a"]}\n'),
    "JSONL, lists": ("run.jsonl", '{"qid": "q1", "results": ["b", "a"]}\n{"qid": "q2", "results": []}\n'),
    "JSONL, key twice": ("run.jsonl", OBJECT + '{"qid": "q1", "docid": "b", "score": 0.1, "score": 0.9}\n'),
    "JSONL, other names later": ("run.jsonl", OBJECT + '{"query_id": "q1", "doc_id": "b", "score": 0.9}\n'),
    "JSONL, rank then score": ("run.jsonl", '{"qid": "q1", "docid": "a", "rank": 1}\n' + OBJECT.replace('"a"', '"b"')),
    "JSONL, float ids": ("run.jsonl", OBJECT.replace('"q1"', "7.0")),
    "JSONL, ids beyond 64 bits": ("run.jsonl", OBJECT.replace('"a"', str(2**64)) + OBJECT.replace('"a"', str(2**64 + 1))),
    "JSONL, dates": ("run.jsonl", OBJECT.replace('"a"', '"2024-01-01"') + OBJECT.replace('"a"', '"2024-01-02"')),
    "JSONL, times": ("run.jsonl", OBJECT.replace('"q1"', '"10:30:00"')),
    "JSONL, UUIDs": ("run.jsonl", OBJECT.replace('"a"', '"2F3E5D6A-1B2C-4D5E-8F90-A1B2C3D4E5F6"')),
    "JSONL, escapes": ("run.jsonl", OBJECT.replace('"a"', '"\\u0062"') + OBJECT.replace('"a"', '"\\ud83d\\ude00"')),
    "JSONL, half a surrogate": ("run.jsonl", OBJECT + OBJECT.replace('"a"', '"\\ud800"')),
    "JSONL, two on a line": ("run.jsonl", OBJECT.strip() + " " + OBJECT),
    "JSONL, broken": ("run.jsonl", OBJECT + "{oops\n"),
    "JSONL, array": ("run.jsonl", OBJECT + "[1]\n"),
    "JSONL, 401 digits": ("run.jsonl", OBJECT + OBJECT.replace('"a"', '"b"').replace("0.5", "9" * 401)),
    "JSONL, 401 digits in another field": ("run.jsonl", OBJECT + OBJECT.replace("0.5", '0.5, "n": ' + "9" * 5000)),
    "JSONL, a carriage return inside": ("run.jsonl", OBJECT + OBJECT.replace('"a"', '"b"').replace(" ", " \r", 1)),
    "JSONL, a comma too many": ("run.jsonl", OBJECT + OBJECT.replace('"a"', '"b"').replace("}", ",}")),
    "JSONL, a key twice inside": ("run.jsonl", OBJECT + OBJECT.replace("0.5", '0.5, "more": {"x": 1, "x": 2}')),
    "JSONL, a better name later": ("run.jsonl", OBJECT + OBJECT.replace('"a"', '"b", "query_id": "q2"')),
    "JSONL, other order later": ("run.jsonl", OBJECT + '{"score": 0.25, "docid": "b", "qid": "q1"}\n'),
    "JSONL, query 0": ("run.jsonl", OBJECT + OBJECT.replace('"q1"', "0")),
    "JSONL, minus 0": ("run.jsonl", OBJECT + OBJECT.replace('"q1"', "-0")),
    "JSONL, half a letter in another field": ("run.jsonl", OBJECT + OBJECT.replace("0.5", '0.5, "t": "\\ud800"')),
    "last tag empty, no line end": ("run", LINE + "q1 Q0 b 2 0.25 "),
    "last tag empty after a tab, no line end": ("run", LINE.replace(" ", "\t") + "q1\tQ0\tb\t2\t0.25\t"),
    "JSONL, duplicate": ("run.jsonl", OBJECT + OBJECT),
    "JSON": ("run.json", json.dumps({"q1": {"a": 0.5, "b": 0.25}})),
    "not Parquet": ("run.parquet", "PAR1"),
}
ODD_IDS = ["a", "b", "'b'", " b", "#b", "b\t7", "b\x0b7", "b 7", "b\0", 'b"', "b\\", "c", "007", "NULL"]
ODD_JUDGED = Qrels({"q1": {doc: grade for grade, doc in enumerate(ODD_IDS, 1)}, "q2": {"a": 1, "b": 2}, "7": {"b": 1}})
"""Every id has its own grade, so that no two readings score the same."""


@pytest.mark.parametrize(("name", "content"), ODD_FILES.values(), ids=ODD_FILES)
def test_odd_files_have_the_same_outcome(tmp_path, name, content):
    for decoy in ("run1.txt", "run1.csv", "run1.jsonl"):
        write(
            tmp_path / decoy,
            {"t": "q2 Q0 b 1 1 t\n", "v": "qid,docid,score\nq2,b,1\n", "l": OBJECT.replace("q1", "q2")}[decoy[-1]],
        )
    (tmp_path / name).parent.mkdir(exist_ok=True)
    path = write(tmp_path / name, content)
    assert outcome(path, ODD_JUDGED, Policy(), 0) == outcome(path, ODD_JUDGED, Policy(), 10**9)


def test_odd_files_with_the_best_of_duplicates(tmp_path):
    path, policy = write(tmp_path / "run", LINE + B + "q1 Q0 b 3 0.75 t\n"), Policy(duplicates="keep_best")
    found = outcome(path, ODD_JUDGED, policy, 0)
    assert found == outcome(path, ODD_JUDGED, policy, 10**9)
    assert found["per_query"]["q1"]["dcg"] == 2 + 1 / np.log2(3)


PLAIN = {"qid": ["q1", "q1", "q2"], "docid": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]}
ODD_COLUMNS = {
    "blanks in ids": {"docid": ["a", " b", "a "]},
    "comments": {"qid": ["#q1", "q1", "q2"]},
    "empty ids": {"docid": ["a", "", "a"]},
    "no query": {"qid": ["q1", None, "q2"]},
    "no first query": {"qid": [None, "q1", "q2"]},
    "no document": {"docid": ["a", None, "a"]},
    "no score": {"score": [0.5, None, 1.0]},
    "nan": {"score": [0.5, float("nan"), 1.0]},
    "inf": {"score": [0.5, float("inf"), -float("inf")]},
    "duplicates": {"docid": ["a", "a", "a"]},
    "whole-number scores": {"score": [1, 2, 3]},
    "boolean scores": {"score": [True, False, True]},
    "text scores": {"score": ["1", "10", "9"]},
    "text scores with underscores": {"score": ["1", "1_0", "9"]},
    "bad text scores": {"score": ["1", "x", "9"]},
    "float ids": {"qid": [1.0, 1.0, 2.0]},
    "boolean ids": {"docid": [True, False, True]},
    "NUL": {"docid": ["b\0", "b", "a"]},
}


@pytest.mark.parametrize("odd", ODD_COLUMNS.values(), ids=ODD_COLUMNS)
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "Parquet"])
def test_odd_frames_have_the_same_outcome(tmp_path, kind, odd):
    by_column = PLAIN | odd
    if kind == "Parquet":
        pl.DataFrame(by_column, strict=False).write_parquet(tmp_path / "run.parquet")
    source = {
        "pandas": lambda: pd.DataFrame(by_column),
        "polars": lambda: pl.DataFrame(by_column, strict=False),
        "pyarrow": lambda: pa.table(by_column),
        "Parquet": lambda: tmp_path / "run.parquet",
    }[kind]()
    assert outcome(source, ODD_JUDGED, Policy(), 0) == outcome(source, ODD_JUDGED, Policy(), 10**9)


@pytest.mark.parametrize(
    "form", ["categories", "objects", "nullable", "mixed", "dates", "extra columns", "empty", "no columns"]
)
def test_odd_pandas_frames_have_the_same_outcome(form):
    frame = pd.DataFrame(PLAIN)
    source = {
        "categories": lambda: frame.astype({"docid": "category"}),
        "objects": lambda: frame.astype(object),
        "nullable": lambda: frame.assign(qid=pd.array([1, None, 2], dtype="Int64")),
        "mixed": lambda: frame.assign(docid=pd.Series(["a", 7, "a"], dtype=object)),
        "dates": lambda: frame.assign(docid=pd.to_datetime(["2024-01-01"] * 3)),
        "extra columns": lambda: frame.assign(text="x", rank=1),
        "empty": lambda: frame[:0],
        "no columns": lambda: frame.rename(columns={"docid": "x"}),
    }[form]()
    assert outcome(source, ODD_JUDGED, Policy(), 0) == outcome(source, ODD_JUDGED, Policy(), 10**9)


def test_reading_leaves_the_frame_as_it_was():
    frame = pd.DataFrame(PLAIN)
    before = frame.copy(deep=True)
    taken(frame, ODD_JUDGED, Policy())
    pd.testing.assert_frame_equal(frame, before)


PIECES = [" ", "\t", "\n", "\r", "\r\n", "#", '"', "'", ",", "nan", "-", "\x0b", "q1 Q0 b 9 7 t\n", "\ufeff"]


@settings(max_examples=80, derandomize=True)  # the same every time; raise the number to look for more
@given(
    rows=ROWS,
    form=st.sampled_from(["blanks", "tabs", "CSV", "JSONL"]),
    changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 2), st.sampled_from(["", *PIECES])), min_size=1, max_size=2),
)
def test_damaged_files_have_the_same_outcome(folder, rows, form, changes):
    path = WRITERS[form](folder, rows)
    text = path.read_bytes().decode()
    for where, n_removed, piece in changes:
        start = int(where * len(text))
        text = text[:start] + piece + text[start + n_removed :]
    write(path, text)
    assert outcome(path, ODD_JUDGED, Policy(), 0) == outcome(path, ODD_JUDGED, Policy(), 10**9)


def test_a_source_serves_the_strict_reader_after_the_quick_one_gave_up(tmp_path):
    source = FileSource(write(tmp_path / "run", LINE + "# x\n" + B))
    assert taken(source, JUDGED, Policy()) is None
    assert assay.evaluate(JUDGED, source, ["num_ret"])["num_ret"] == 2


def test_types_are_not_guessed_from_the_first_rows(tmp_path):
    """Whole numbers for a long while, then fractions: a sample of the first rows would make them all whole."""
    rows = [("q1", str(number), 30_000 - number) for number in range(25_000)] + [("q1", "x", 0.4), ("q1", "y", 0.3)]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(dict(zip(("qid", "docid", "score"), row, strict=True))) + "\n" for row in rows))
    qrels = Qrels({"q1": {"y": 1, "x": 0}})
    assert quick(path, qrels, Policy())["hits"] == strict(path, qrels, Policy())["hits"]
    frame = pd.DataFrame(rows, columns=["qid", "docid", "score"])
    frame["score"] = frame["score"].astype(object)
    assert taken(frame, qrels, Policy()) is None


def test_queries_without_any_judgment(tmp_path):
    source = WRITERS["blanks"](tmp_path, [("q1", "a", 1.0)])
    qrels = Qrels({"q1": {}, "q2": {}})
    assert outcome(source, qrels, Policy(), 0) == outcome(source, qrels, Policy(), 10**9)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order", "ranx"])
def test_large_files_with_interleaved_queries_keep_the_order_of_the_file(tmp_path, ties):
    """Many chunks and threads: rows must not be taken in the order in which they happen to arrive."""
    rng = np.random.default_rng(3)
    queries, docs, scores = rng.integers(0, 40, 300_000), rng.permutation(300_000), rng.integers(0, 30, 300_000)
    rows = zip(queries.tolist(), docs.tolist(), scores.tolist(), strict=True)
    path = tmp_path / "large.run"
    path.write_text("".join(f"q{query} Q0 d{doc} 1 {score} x\n" for query, doc, score in rows))
    judged = {}
    for query, doc in zip(queries[::500].tolist(), docs[::500].tolist(), strict=True):
        judged.setdefault(f"q{query}", {})[f"d{doc}"] = 1
    policy = Policy(ties=ties)
    assert outcome(path, Qrels(judged), policy, 0) == outcome(path, Qrels(judged), policy, 10**12)
