"""The quick reader of large runs gives what the strict reader gives, or leaves it to the strict reader."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Qrels, Run
from assay.evaluation import PROFILES
from assay.files import FileSource, as_source, quick_runs, rank_source
from assay.model import RankRule
from assay.views import grade, rank_all, settle

from ._cases import BOM, columns, delimited, jsonl, packed, parquet, trec_run, write

NAMES = ("query_id", "doc_id", "score")
METRICS = ("map", "mrr", "dcg", "num_ret", "num_rel_ret", "runid")


@contextmanager
def sizes(least: int) -> Iterator[None]:
    """From how many bytes and rows on the quick reader is asked."""
    with mock.patch.multiple("assay.files.tables", LARGE_FILE=least, LARGE_FRAME=least):
        yield


@pytest.fixture(autouse=True, scope="module")
def everything_is_large():
    """The quick reader is asked however small a source is."""
    with sizes(0):
        yield


def shown(grading):
    """Everything a grading says, as plain values."""
    run = grading.run
    hits = (run.retrieved.query, run.retrieved.rank, run.retrieved.grade)
    return {
        "queries": run.query_ids,
        "hits": list(zip(*(column.tolist() for column in hits), strict=True)),
        "judgments": run.judgment.tolist(),
        "n_retrieved": run.n_retrieved.tolist(),
        "missing": grading.missing,
        "counts": grading.counts,
        "tag": run.tag,
        "max_grade": run.max_grade,
        "level": run.level,
        "ties": None if run.ties is None else [column.tolist() for column in run.ties],
    }


def taken(source, qrels, policy):
    """The quick grading, or None where it is left to the strict reader."""
    ranked = rank_source(source, qrels, [policy.rank_rule], name_extra=policy.extra == "error")
    return None if ranked is None else settle(ranked[policy.rank_rule], policy)


def quick(source, qrels, policy):
    """The quick grading, which must have been taken."""
    grading = taken(as_source(source), qrels, policy)
    assert grading is not None
    return shown(grading)


def strict(source, qrels, policy):
    return shown(grade(Run(source), qrels, policy))


def outcome(source, qrels, policy, least, **options):
    """What people see: scores and counts, or the message of the error."""
    with sizes(least):
        try:
            return assay.evaluate(qrels, source, options.pop("metrics", METRICS), policy=policy, **options).to_dict()
        except DataError as error:
            return str(error)


def assert_same_outcome(source, qrels, policy=None, case=""):
    policy = policy or Policy()
    assert outcome(source, qrels, policy, 0) == outcome(source, qrels, policy, 10**12), case


WRITERS = {
    "blanks": lambda path, rows: write(path / "run.txt", trec_run(rows)),
    "tabs": lambda path, rows: write(path / "run.txt", trec_run(rows).replace(" ", "\t")),
    "CRLF": lambda path, rows: write(path / "run.txt", trec_run(rows).replace("\n", "\r\n")),
    "gzip": lambda path, rows: write(path / "run.gz", packed(trec_run(rows).encode())),
    "zstd": lambda path, rows: write(path / "run.zst", zstandard.compress(trec_run(rows).encode())),
    "CSV": lambda path, rows: write(path / "run.csv", delimited(rows, NAMES)),
    "CSV, CRLF": lambda path, rows: write(path / "run.csv", delimited(rows, NAMES).replace("\n", "\r\n")),
    "CSV, other order": lambda path, rows: write(
        path / "run.csv", delimited([(s, d, 1, q) for q, d, s in rows], ("sim", "docno", "n", "qid"))
    ),
    "CSV zstd": lambda path, rows: write(path / "run.csv.zst", zstandard.compress(delimited(rows, NAMES).encode())),
    "TSV": lambda path, rows: write(path / "run.tsv", delimited(rows, NAMES, "\t")),
    "TSV gzip": lambda path, rows: write(path / "run.tsv.gz", packed(delimited(rows, NAMES, "\t").encode())),
    "JSONL": lambda path, rows: write(path / "run.jsonl", jsonl(rows, NAMES)),
    "JSONL gzip": lambda path, rows: write(path / "run.jsonl.gz", packed(jsonl(rows, NAMES).encode())),
    "Parquet": lambda path, rows: parquet(path / "run.parquet", rows, NAMES),
    "pandas": lambda path, rows: pd.DataFrame(columns(rows, NAMES)),
    "polars": lambda path, rows: pl.DataFrame(columns(rows, NAMES)),
    "pyarrow": lambda path, rows: pa.table(columns(rows, NAMES)),
}
DOCS = st.sampled_from(["a", "b", "B", "a1", "a10", "a2", "d#", "é", "日", "😀", "x.y-z_9", "NULL", "007"])
SCORES = st.sampled_from([-1.0, -0.0, 0.0, 0.1, 0.30000000000000004, 0.5, 1.0, 1e-300, 1e300])
QUERIES = st.sampled_from(["q1", "q2", "q3", "7"])
ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=25, unique_by=lambda row: row[:2])
"""Queries come in any order and interleaved, scores with and without ties, sorted and not."""
RULES = [
    RankRule(ties, precision, drop_self)
    for ties in ("docid_desc", "docid_asc", "input_order", "ranx")
    for precision in ("float64", "float32")
    for drop_self in (False, True)
]
JUDGED = Qrels({"q1": {"b": 2, "x": 1}, "q2": {"a": 1}, "q9": {"a": 1}})
ORDINARY = [("q1", "a", 0.5), ("q1", "b", 0.25), ("q2", "a", 1.0), ("q3", "z", 9.0)]
TIES = ("docid_desc", "docid_asc", "input_order", "ranx")
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "7", "q9"]), st.dictionaries(DOCS, st.integers(-1, 3), max_size=9), max_size=4
)
POLICIES = st.builds(
    Policy,
    ties=st.sampled_from([*TIES, "expected"]),
    missing=st.sampled_from(["zero", "skip"]),
    no_relevant=st.sampled_from(["zero", "skip"]),
    rel=st.sampled_from([None, 2]),
    judged_only=st.booleans(),
)

# --- one run in every form -------------------------------------------------------------------------------------------


@settings(max_examples=15)
@given(rows=ROWS, judged=QRELS, policy=POLICIES, form=st.sampled_from(sorted(WRITERS)))
def test_both_readers_grade_alike(folder, rows, judged, policy, form):
    source, qrels = WRITERS[form](folder, rows), Qrels(judged)
    assert quick(source, qrels, policy) == strict(source, qrels, policy)


@pytest.mark.slow
@pytest.mark.parametrize("form", WRITERS)
@given(rows=ROWS, judged=QRELS, ties=st.sampled_from(TIES))
def test_both_readers_grade_every_form_alike(folder, form, rows, judged, ties):
    source, qrels, policy = WRITERS[form](folder, rows), Qrels(judged), Policy(ties=ties)
    assert quick(source, qrels, policy) == strict(source, qrels, policy)
    assert_same_outcome(source, qrels, policy)


def test_every_form_by_hand(tmp_path):
    counts = {"judged": 3, "scored": 3, "missing": 1, "without_relevant": 0, "extra": 1, "constant": 0}
    for form, writing in WRITERS.items():
        source = writing(tmp_path, ORDINARY)
        found = quick(source, JUDGED, Policy())
        assert (found["queries"], found["hits"]) == (("q1", "q2", "q9"), [(0, 2, 2.0), (1, 1, 1.0)]), form
        assert (found["n_retrieved"], found["missing"], found["counts"]) == ([2, 1, 0], ("q9",), counts), form
        assert found["tag"] == ("bm25" if form in ("blanks", "tabs", "CRLF", "gzip", "zstd") else ""), form
    with mock.patch("assay.evaluation.grader.rank_all", side_effect=AssertionError("the strict reader was asked")):
        told = outcome(source, JUDGED, Policy(), 0)
    assert told == outcome(source, JUDGED, Policy(), 10**9)
    assert told["summary"]["map"] == pytest.approx((1 / 2 / 2 + 1 + 0) / 3)


def test_large_groups_of_equal_scores(tmp_path):
    rows = [(f"q{query}", f"d{doc}", doc % 3) for query in range(20) for doc in range(50)]
    qrels = Qrels({f"q{query}": {f"d{doc}": doc % 4 for doc in range(query, 60, 7)} for query in range(22)})
    source = WRITERS["blanks"](tmp_path, rows)
    assert_same_outcome(source, qrels)
    for ties in (*TIES, "expected"):
        assert quick(source, qrels, Policy(ties=ties)) == strict(source, qrels, Policy(ties=ties)), ties


def test_the_order_given_decides_ties_where_the_policy_says_so(tmp_path):
    rows = [("q1", "b", 1.0), ("q1", "c", 1.0), ("q1", "a", 1.0), ("q1", "top", 2.0)]
    for form in ("blanks", "CSV", "JSONL", "Parquet", "polars"):
        found = outcome(WRITERS[form](tmp_path, rows), Qrels({"q1": {"a": 1}}), Policy(ties="input_order"), 0)
        assert found["per_query"]["q1"]["mrr"] == 1 / 4, form


def test_nothing_in_common(tmp_path):
    source = WRITERS["blanks"](tmp_path, ORDINARY)
    for judged in ({}, {"q1": {}}, {"q9": {"a": 1}}, {"q1": {"nowhere": 1}}, {"q2": {"b": 1}}):
        qrels = Qrels(judged)
        assert quick(source, qrels, Policy()) == strict(source, qrels, Policy()), judged
        assert_same_outcome(source, qrels)


def test_numbers_of_every_kind_in_frames(tmp_path):
    rows, qrels = [(1, 10, 0.5), (1, 2, 0.5), (2, 10, 1.0)], Qrels({1: {10: 1, 2: 2}, "2": {"10": 1}})
    for form in ("pandas", "polars", "pyarrow", "Parquet", "JSONL"):
        source = WRITERS[form](tmp_path, rows)
        assert quick(source, qrels, Policy()) == strict(source, qrels, Policy()), form
    typed = {
        "qid": np.array([1, 1], np.int32),
        "docid": np.array([2**64 - 1, 1], np.uint64),
        "score": np.array([0.1, 0.2], np.float32),
    }
    qrels = Qrels({"1": {str(2**64 - 1): 1}})
    for frame in (pd.DataFrame(typed), pl.DataFrame(typed), pa.table(typed)):
        assert quick(frame, qrels, Policy()) == strict(frame, qrels, Policy())


def test_ranks_instead_of_scores(tmp_path):
    rows, names = [("q1", "a", 2), ("q1", "b", 1)], ("qid", "docid", "rank")
    files = [write(tmp_path / "run.csv", delimited(rows, names)), write(tmp_path / "run.jsonl", jsonl(rows, names))]
    for source in (*files, parquet(tmp_path / "run.parquet", rows, names), pl.DataFrame(columns(rows, names))):
        found = quick(source, JUDGED, Policy())
        assert found["hits"] == [(0, 1, 2.0)]
        assert found == strict(source, JUDGED, Policy())


def test_what_is_left_to_the_strict_reader(tmp_path):
    for policy in (Policy(missing="error"), Policy(extra="error")):
        source = WRITERS["blanks"](tmp_path, ORDINARY)
        assert "query" in str(outcome(source, JUDGED, policy, 0))
        assert_same_outcome(source, JUDGED, policy)
    source = as_source(source)
    for name_extra in (False, True):  # extra queries are named by the strict reader alone
        assert (rank_source(source, JUDGED, RULES, name_extra=name_extra) is None) == name_extra
        known = Qrels({query: {"a": 1} for query in ("q1", "q2", "q3")})
        assert rank_source(source, known, RULES, name_extra=name_extra)
    for other in ({"q1": {"a": 1.0}}, [("q1", "a", 1.0)], iter([]), np.zeros(3), None):
        assert taken(other, JUDGED, Policy()) is None
    with sizes(10**6):
        for form in ("blanks", "CSV", "JSONL", "Parquet", "pandas", "polars", "pyarrow"):
            assert taken(as_source(WRITERS[form](tmp_path, ORDINARY)), JUDGED, Policy()) is None, form
    gave_up = FileSource(write(tmp_path / "run", "q1 Q0 a 1 0.5 t\n# x\nq1 Q0 b 2 0.25 t\n"))
    assert taken(gave_up, JUDGED, Policy()) is None
    assert assay.evaluate(JUDGED, gave_up, ["num_ret"])["num_ret"] == 2


def test_a_wrong_statement_is_not_taken_for_wrong_data(tmp_path, monkeypatch):
    source = as_source(WRITERS["blanks"](tmp_path, ORDINARY))

    def answer(statement):
        monkeypatch.setattr(quick_runs, "table_of", lambda *_: quick_runs.Table(statement))
        return rank_source(source, JUDGED, RULES)

    with pytest.raises(duckdb.CatalogException):
        answer("SELECT no_such_column FROM nowhere")
    assert answer("SELECT 'q' AS q, 'd' AS d, 'x'::DOUBLE AS s, false AS bad") is None


# --- out of the ordinary ---------------------------------------------------------------------------------------------

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


def slowly(variants):
    return [pytest.param(variant, marks=pytest.mark.slow) for variant in variants]


def kind_of(case):
    kinds = {"CSV": "CSV", "TSV": "CSV", "JSONL": "JSONL", "three": "three columns", "gzip": "packed", "zstd": "packed"}
    return next((kind for word, kind in kinds.items() if case.startswith(word)), "TREC")


SLOW_KINDS = ["TREC", "three columns", "packed", "CSV", "JSONL"]


@pytest.mark.parametrize("kind", ["some of each", *slowly(SLOW_KINDS)])
def test_odd_files_have_the_same_outcome(tmp_path, kind):
    write(tmp_path / "run1.txt", "q2 Q0 b 1 1 t\n")  # decoys for paths that look like patterns
    write(tmp_path / "run1.csv", "qid,docid,score\nq2,b,1\n")
    write(tmp_path / "run1.jsonl", OBJECT.replace("q1", "q2"))
    for number, (case, (name, content)) in enumerate(ODD_FILES.items()):
        if kind_of(case) == kind or (kind == "some of each" and number % 12 == 0):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            assert_same_outcome(write(tmp_path / name, content), ODD_JUDGED, case=case)


def test_odd_files_with_the_best_of_duplicates(tmp_path):
    path, policy = write(tmp_path / "run", LINE + B + "q1 Q0 b 3 0.75 t\n"), Policy(duplicates="keep_best")
    assert_same_outcome(path, ODD_JUDGED, policy)
    assert outcome(path, ODD_JUDGED, policy, 0)["per_query"]["q1"]["dcg"] == 2 + 1 / np.log2(3)


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


@pytest.mark.parametrize("kind", ["polars", *slowly(["pandas", "pyarrow", "Parquet"])])
def test_odd_frames_have_the_same_outcome(tmp_path, kind):
    for case, odd in ODD_COLUMNS.items():
        by_column = PLAIN | odd
        if kind == "Parquet":
            pl.DataFrame(by_column, strict=False).write_parquet(tmp_path / "run.parquet")
        source = {
            "pandas": lambda by_column: pd.DataFrame(by_column),
            "polars": lambda by_column: pl.DataFrame(by_column, strict=False),
            "pyarrow": lambda by_column: pa.table(by_column),
            "Parquet": lambda by_column: tmp_path / "run.parquet",
        }[kind](by_column)
        assert_same_outcome(source, ODD_JUDGED, case=case)


def test_odd_pandas_frames_have_the_same_outcome_and_stay_as_they_were():
    frame = pd.DataFrame(PLAIN)
    for case, source in {
        "categories": frame.astype({"docid": "category"}),
        "objects": frame.astype(object),
        "nullable": frame.assign(qid=pd.array([1, None, 2], dtype="Int64")),
        "mixed": frame.assign(docid=pd.Series(["a", 7, "a"], dtype=object)),
        "dates": frame.assign(docid=pd.to_datetime(["2024-01-01"] * 3)),
        "extra columns": frame.assign(text="x", rank=1),
        "empty": frame[:0],
        "no columns": frame.rename(columns={"docid": "x"}),
    }.items():
        before = source.copy(deep=True)
        assert_same_outcome(source, ODD_JUDGED, case=case)
        pd.testing.assert_frame_equal(source, before)


PIECES = ["", " ", "\t", "\n", "\r", "\r\n", "#", '"', "'", ",", "nan", "-", "\x0b", "q1 Q0 b 9 7 t\n", "\ufeff"]


@settings(max_examples=12, derandomize=True)  # the same every time; raise the number to look for more
@given(
    rows=ROWS,
    form=st.sampled_from(["blanks", "tabs", "CSV", "JSONL"]),
    changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 2), st.sampled_from(PIECES)), min_size=1, max_size=2),
)
def test_damaged_files_have_the_same_outcome(folder, rows, form, changes):
    path = WRITERS[form](folder, rows)
    text = path.read_bytes().decode()
    for where, n_removed, piece in changes:
        start = int(where * len(text))
        text = text[:start] + piece + text[start + n_removed :]
    assert_same_outcome(write(path, text), ODD_JUDGED)


@pytest.mark.slow
def test_types_are_not_guessed_from_the_first_rows(tmp_path):
    """Whole numbers for a long while, then fractions: a sample of the first rows would make them all whole."""
    rows = [("q1", str(number), 30_000 - number) for number in range(25_000)] + [("q1", "x", 0.4), ("q1", "y", 0.3)]
    path = write(tmp_path / "run.jsonl", jsonl(rows, ("qid", "docid", "score")))
    qrels = Qrels({"q1": {"y": 1, "x": 0}})
    assert quick(path, qrels, Policy())["hits"] == strict(path, qrels, Policy())["hits"]
    frame = pd.DataFrame(rows, columns=["qid", "docid", "score"])
    frame["score"] = frame["score"].astype(object)
    assert taken(frame, qrels, Policy()) is None


@pytest.mark.slow
@pytest.mark.parametrize("ties", TIES)
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
    assert_same_outcome(path, Qrels(judged), Policy(ties=ties))


# --- every rule that decides ranks -----------------------------------------------------------------------------------

NEAR = st.sampled_from([0.0, 1.0, 1.00000001, 1.00000002, 1.1, 16777216.0, 16777217.0, -1e-46, 1e-46])
"""Scores of which float32 makes one where float64 tells several."""
NAMED_AS_QUERIES = st.sampled_from(["q1", "q2", "7", "a", "b", "é", *(f"d{number}" for number in range(20))])
NEAR_ROWS = st.lists(st.tuples(QUERIES, NAMED_AS_QUERIES, NEAR), min_size=1, max_size=60, unique_by=lambda row: row[:2])
NEAR_QRELS = st.dictionaries(QUERIES, st.dictionaries(NAMED_AS_QUERIES, st.integers(-1, 3), max_size=9), max_size=4)


def ranked_alike(source, qrels, rules):
    """Whether both readers rank by all these rules alike; None where the quick one does not."""
    found = rank_source(as_source(source), qrels, rules)
    if found is None:
        return None
    wanted = rank_all(Run(source), qrels, rules)
    assert set(found) == set(wanted) == set(rules)
    for rule in rules:
        policy = Policy(ties=rule.ties, precision=rule.precision, drop_self=rule.drop_self)
        assert shown(settle(found[rule], policy)) == shown(settle(wanted[rule], policy)), rule
        assert found[rule].n_extra == wanted[rule].n_extra
    return True


@settings(max_examples=10)
@given(
    rows=NEAR_ROWS,
    judged=NEAR_QRELS,
    rules=st.lists(st.sampled_from(RULES), min_size=1, max_size=5, unique=True),
    form=st.sampled_from(["blanks", "gzip", "CSV", "JSONL", "Parquet", "polars"]),
)
def test_both_readers_rank_by_several_rules_alike(folder, rows, judged, rules, form):
    left_empty = {query for query, *_ in rows} - {query for query, doc, _ in rows if doc != query}
    alike = ranked_alike(WRITERS[form](folder, rows), Qrels(judged), rules)
    assert alike is (None if left_empty and any(rule.drop_self for rule in rules) else True)


@pytest.mark.parametrize("order", ["sorted", "unsorted", "interleaved"])
def test_both_readers_rank_long_tied_rankings_by_every_rule_alike(tmp_path, order):
    rng = np.random.default_rng(3)
    rows = [
        (f"q{query}", f"d{doc}" if doc else f"q{query}", 1.0 + int(rng.integers(5)) * 1e-8)
        for query in range(8)
        for doc in rng.permutation(120).tolist()
    ]
    if order == "sorted":
        rows.sort(key=lambda row: (row[0], -row[2]))
    if order == "interleaved":
        rows = [rows[number] for number in rng.permutation(len(rows)).tolist()]
    judged = {f"q{query}": {f"q{query}": 2} | {f"d{doc}": doc % 3 for doc in range(query, 130, 3)} for query in range(9)}
    assert ranked_alike(WRITERS["blanks"](tmp_path, rows), Qrels(judged), RULES)


def test_ranks_by_hand_under_every_rule(tmp_path):
    """b and d are one score to float32, c and q1 to both; rank of each document, with and without q1 itself."""
    rows = [("q1", "b", 1.00000001), ("q1", "c", 0.5), ("q1", "q1", 0.5), ("q1", "d", 1.00000002)]
    qrels = Qrels({"q1": {"b": 1, "c": 2, "d": 3, "q1": 4}})
    found = rank_source(as_source(WRITERS["blanks"](tmp_path, rows)), qrels, RULES)
    orders = {}
    for rule in RULES:
        hits = found[rule].run.retrieved
        by_rank = sorted(zip(hits.rank.tolist(), hits.grade.tolist(), strict=True))
        orders[rule.ties, rule.precision, rule.drop_self] = "".join(" bcdq"[int(of)] for _, of in by_rank)
    wanted = {
        ("docid_desc", "float64", False): "dbqc",
        ("docid_desc", "float32", False): "dbqc",
        ("docid_asc", "float64", False): "dbcq",
        ("docid_asc", "float32", False): "bdcq",
        ("input_order", "float32", False): "bdcq",
        ("input_order", "float64", False): "dbcq",
        ("docid_desc", "float64", True): "dbc",
        ("docid_asc", "float32", True): "bdc",
    }
    assert {rule: orders[rule] for rule in wanted} == wanted


def test_scores_beyond_float32_have_the_same_outcome(tmp_path):
    for top in (1e39, -1e300):
        rows = [("q1", "a", 1.0), ("q1", "b", 1.00000001), ("q1", "x", top), ("q1", "y", 1.0)]
        source, qrels = WRITERS["blanks"](tmp_path, rows), Qrels({"q1": {"a": 1, "x": 2}})
        for ties in ("docid_desc", "ranx"):
            assert_same_outcome(source, qrels, Policy(ties=ties, precision="float32"), (top, ties))


@pytest.mark.slow
def test_every_profile_scores_a_large_file_as_a_small_one(tmp_path):
    docs = np.random.default_rng(1).permutation(40).tolist()
    tied = [(str(query), str(doc), 1.0 + (doc * 7 + query) % 9 * 1e-8) for query in range(5) for doc in docs]
    clear = [(query, doc, place * 0.5) for place, (query, doc, _) in enumerate(tied)]
    qrels = Qrels({str(query): {str(doc): doc % 3 for doc in range(query, 30, 2)} for query in range(5)})
    metrics = ["ndcg@10", "map", "mrr@10", "recall@5", "precision@5", "bpref", "judged@10", "hit@1", "err@10"]
    for name, profile in PROFILES.items():
        source = WRITERS["blanks"](tmp_path, clear if profile.policy.ties == "error" else tied)
        options = {"metrics": metrics, "profile": name, "tie_band": True, "residuals": True}
        assert outcome(source, qrels, None, 0, **options) == outcome(source, qrels, None, 10**9, **options), name
