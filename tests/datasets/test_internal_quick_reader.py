"""The quick reader of large runs gives what the strict reader gives, or leaves it to the strict reader."""

from unittest import mock

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Qrels, Run
from assay.files import FileSource, as_source, quick_runs, rank_source
from assay.model import RankRule
from assay.views import grade, rank_all, settle

from ._cases import BOM, columns, delimited, jsonl, packed, parquet, shown, trec_run, write

NAMES = ("query_id", "doc_id", "score")
METRICS = ("map", "mrr", "dcg", "num_ret", "num_rel_ret", "runid")


def sizes(least):
    """From how many bytes and rows on the quick reader is asked."""
    return mock.patch.multiple("assay.files.tables", LARGE_FILE=least, LARGE_FRAME=least)


@pytest.fixture(autouse=True, scope="module")
def everything_is_large():
    with sizes(0):
        yield


def taken(source, qrels, policy):
    """The quick grading, or None where it is left to the strict reader."""
    ranked = rank_source(source, qrels, [policy.rank_rule], name_extra=policy.extra == "error")
    return None if ranked is None else settle(ranked[policy.rank_rule], policy)


def graded_alike(source, qrels, policy=None):
    """The grading of both readers; the quick one must have been taken."""
    policy = policy or Policy()
    grading = taken(as_source(source), qrels, policy)
    assert grading is not None
    assert shown(grading) == shown(grade(Run(source), qrels, policy))
    return shown(grading)


def outcome(source, qrels, policy, least, metrics=METRICS, **options):
    """What people see: scores and counts, or the message of the error."""
    with sizes(least):
        try:
            return assay.evaluate(qrels, source, metrics, policy=policy, **options).to_dict()
        except DataError as error:
            return str(error)


def assert_same_outcome(source, qrels, policy=None, case="", **options):
    assert outcome(source, qrels, policy, 0, **options) == outcome(source, qrels, policy, 10**12, **options), case


TEXTS = {
    "run.txt": trec_run,
    "run.csv": lambda rows: delimited(rows, NAMES),
    "turned.csv": lambda rows: delimited([(s, d, 1, q) for q, d, s in rows], ("sim", "docno", "n", "qid")),
    "run.tsv": lambda rows: delimited(rows, NAMES, "\t"),
    "run.jsonl": lambda rows: jsonl(rows, NAMES),
}
GUISES = {
    "tabs": lambda content: content.replace(b" ", b"\t"),
    "CRLF": lambda content: content.replace(b"\n", b"\r\n"),
    "gzip": packed,
    "zstd": zstandard.compress,
}
FRAMES = {"pandas": pd.DataFrame, "polars": lambda by_column: pl.DataFrame(by_column, strict=False), "pyarrow": pa.table}
FORMS = (
    *("run.txt", "run.txt tabs", "run.txt CRLF", "run.txt gzip", "run.txt zstd", "run.csv", "run.csv CRLF", "run.csv zstd"),
    *("turned.csv", "run.tsv", "run.tsv gzip", "run.jsonl", "run.jsonl gzip", "run.parquet", *FRAMES),
)


def made(folder, form, rows):
    """The rows as a file or a frame."""
    if form in FRAMES:
        return FRAMES[form](columns(rows, NAMES))
    if form == "run.parquet":
        return parquet(folder / form, rows, NAMES)
    name, _, guise = form.partition(" ")
    return write(folder / name, GUISES.get(guise, bytes)(TEXTS[name](rows).encode()))


DOCS = st.sampled_from(["a", "b", "B", "a1", "a10", "a2", "d#", "é", "日", "😀", "x.y-z_9", "NULL", "007"])
SCORES = st.sampled_from([-1.0, -0.0, 0.0, 0.1, 0.30000000000000004, 0.5, 1.0, 1e-300, 1e300])
QUERIES = st.sampled_from(["q1", "q2", "q3", "7"])
ROWS = st.lists(st.tuples(QUERIES, DOCS, SCORES), min_size=1, max_size=25, unique_by=lambda row: row[:2])
"""Queries come in any order and interleaved, scores with and without ties, sorted and not."""
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "7", "q9"]), st.dictionaries(DOCS, st.integers(-1, 3), max_size=9), max_size=4
)
TIES = ("docid_desc", "docid_asc", "input_order", "ranx")
POLICIES = st.builds(
    Policy,
    ties=st.sampled_from([*TIES, "expected"]),
    missing=st.sampled_from(["zero", "skip"]),
    no_relevant=st.sampled_from(["zero", "skip"]),
    rel=st.sampled_from([None, 2]),
    judged_only=st.booleans(),
)
RULES = [RankRule(ties, precision, own) for ties in TIES for precision in ("float64", "float32") for own in (False, True)]
JUDGED = Qrels({"q1": {"b": 2, "x": 1}, "q2": {"a": 1}, "q9": {"a": 1}})
ORDINARY = [("q1", "a", 0.5), ("q1", "b", 0.25), ("q2", "a", 1.0), ("q3", "z", 9.0)]


@given(rows=ROWS, judged=QRELS, policy=POLICIES, form=st.sampled_from(FORMS))
def test_both_readers_grade_alike(folder, rows, judged, policy, form):
    graded_alike(made(folder, form, rows), Qrels(judged), policy)


def test_every_form_by_hand(tmp_path):
    for form in FORMS:
        source = made(tmp_path, form, ORDINARY)
        found = shown(taken(as_source(source), JUDGED, Policy()))
        assert (found["queries"], found["hits"]) == (("q1", "q2", "q9"), [(0, 2, 2.0), (1, 1, 1.0)]), form
        assert (found["n_retrieved"], found["missing"], found["counts"]["extra"]) == ([2, 1, 0], ("q9",), 1), form
        assert found["tag"] == ("bm25" if "txt" in form else ""), form
    with mock.patch("assay.evaluation.grader.rank_all", side_effect=AssertionError("the strict reader was asked")):
        told = outcome(source, JUDGED, Policy(), 0)
    assert told == outcome(source, JUDGED, Policy(), 10**9)
    assert told["summary"]["map"] == pytest.approx((1 / 2 / 2 + 1 + 0) / 3)


def test_numbers_of_every_kind_and_ranks_instead_of_scores(tmp_path):
    rows, qrels = [(1, 10, 0.5), (1, 2, 0.5), (2, 10, 1.0)], Qrels({1: {10: 1, 2: 2}, "2": {"10": 1}})
    for form in ("polars", "run.parquet", "run.jsonl"):
        graded_alike(made(tmp_path, form, rows), qrels)
    large = str(2**64 - 1)
    by_column = {"qid": np.array([1, 1], np.int32), "docid": np.array([2**64 - 1, 1], np.uint64)}
    by_column["score"] = np.array([0.1, 0.2], np.float32)
    assert graded_alike(pd.DataFrame(by_column), Qrels({"1": {large: 1}}))["hits"] == [(0, 2, 1.0)]
    rows, names = [("q1", "a", 2), ("q1", "b", 1)], ("qid", "docid", "rank")
    for source in (write(tmp_path / "run.csv", delimited(rows, names)), pl.DataFrame(columns(rows, names))):
        assert graded_alike(source, JUDGED)["hits"] == [(0, 1, 2.0)]


def test_what_is_left_to_the_strict_reader(tmp_path):
    source = made(tmp_path, "run.txt", ORDINARY)
    for policy in (Policy(missing="error"), Policy(extra="error")):
        assert "query" in str(outcome(source, JUDGED, policy, 0))
        assert_same_outcome(source, JUDGED, policy)
    for other in ({"q1": {"a": 1.0}}, [("q1", "a", 1.0)], iter([]), np.zeros(3), None):
        assert taken(other, JUDGED, Policy()) is None
    with sizes(10**6):
        for form in ("run.txt", "run.csv", "run.jsonl", "run.parquet", *FRAMES):
            assert taken(as_source(made(tmp_path, form, ORDINARY)), JUDGED, Policy()) is None, form
    gave_up = FileSource(write(tmp_path / "run", "q1 Q0 a 1 0.5 t\n# x\nq1 Q0 b 2 0.25 t\n"))
    assert taken(gave_up, JUDGED, Policy()) is None
    assert assay.evaluate(JUDGED, gave_up, ["num_ret"])["num_ret"] == 2


def test_a_wrong_statement_is_not_taken_for_wrong_data(tmp_path, monkeypatch):
    source = as_source(made(tmp_path, "run.txt", ORDINARY))

    def answer(statement):
        monkeypatch.setattr(quick_runs, "table_of", lambda *_: quick_runs.Table(statement))
        return rank_source(source, JUDGED, RULES)

    with pytest.raises(duckdb.CatalogException):
        answer("SELECT no_such_column FROM nowhere")
    assert answer("SELECT 'q' AS q, 'd' AS d, 'x'::DOUBLE AS s, false AS bad") is None


LINE, B = "q1 Q0 a 1 0.5 t\n", "q1 Q0 b 2 0.25 t\n"
CSV = "qid,docid,score\nq1,a,0.5\n"
OBJECT = '{"qid": "q1", "docid": "a", "score": 0.5}\n'
ODD_VALUES = (
    *("", " ", " b", "b ", "b 7", "b  7", "b\t7", "b\x0b7", "\x0cb", "\u00a0b", "b\u3000", "#b", "# b", '"b"', 'b"x', '"b'),
    *("'b'", "b\\", "b\0", "NULL", "2024-01-01", "nan", "inf", "1_0", "+-5", "٢", "0x10", "1e999", "1e-999", "high", "true"),
    *("b\rb", "\ufeffb", "b\n", "b\r", b"b\xff"),
)
ODD_JSON = (
    *("null", "true", "7", "7.0", "-0", '"9"', '"1_0"', '" b"', "12345678901234567890123", "0.50000000000000011", "[1]"),
    *(f"{2**64}", '"2024-01-01"', '"10:30:00"', '"2F3E5D6A-1B2C-4D5E-8F90-A1B2C3D4E5F6"', '"\\ud83d\\ude00"', '"\\ud800"'),
    *("9" * 401, '{"x": 1, "x": 2}', "oops", '"b", "query_id": "q2"', '"b", "score": 0.1', '"b",', '"b\rc"', "\r1"),
)


def odd_values():
    """Files in whose second row one field is odd: name, content."""
    tables = [("run", " ", LINE), ("run", "\t", LINE.replace(" ", "\t")), ("run", "\t", "q1\ta\t1\n"), ("run.csv", ",", CSV)]
    for name, mark, first in tables:
        row = {6: ["q1", "Q0", "b", "2", "0.25", "t"], 3: ["q1", "b", "2"]}[len(first.splitlines()[-1].split(mark))]
        for place in range(len(row)):
            for value in ODD_VALUES:
                cells = [cell.encode() for cell in row]
                cells[place] = value if isinstance(value, bytes) else value.encode()
                yield name, first.encode() + mark.encode().join(cells) + b"\n"
    for place in ("qid", "docid", "score", "other"):
        for value in ODD_JSON:
            row = {"qid": '"q1"', "docid": '"b"', "score": "0.25", place: value}
            yield "run.jsonl", OBJECT + "{" + ", ".join(f'"{name}": {one}' for name, one in row.items()) + "}\n"


PAIR = (LINE + B).encode()
ODD_CONTENTS = {
    "run": [
        *("# a b 1 9.5 t\n" + LINE + B, BOM + PAIR, LINE + "\n" + B + "\n\n", LINE + " " + B, "", "q1 0 a 1\n"),
        *(LINE + "q2 Q0 a 1 0.5 t\n" + "q1 Q0 a 3 0.1 t\n", "q1 Q0 a  1 0.5\n", LINE + "q1 Q0 b 2 0.25 t x\n"),
        *("q1 Q0 a 1 0.5 t x\nq1 Q0 b 2 0.25 t x\n", LINE + "q1 Q0 b 2 0.25\n", "q1 Q0 a 1 0.5 t\r\n" + B),
        *(LINE + "q1 Q0 b 2 0.25 t\rq1 Q0 x 2 0.75 t\n", "q1\tQ0\tb 7\t1\t0.5\t\nq1\tQ0\ta\t2\t0.25\t\n"),
        *("q1\tQ0\tb 7\t1\t0.5\tt\r\nq1\tQ0\ta\t2\t0.25\tt\r\n", LINE + B.rstrip("\n"), LINE + "q1 Q0 b 2 0.25 "),
        *("q1\ta\t1\nq2\ta\t1\nq1\tb\t2\n", "q1\ta\t2\nq1\tb\t1\n", "q1\ta\t1.0\nq1\tb\t2.00\n", "q1\ta\t9.5\nq1\tb\t8.5\n"),
        "q1\ta\t1\n" + LINE,
    ],
    "run.gz": [packed(PAIR)[:-4], packed(PAIR)[:-8] + b"12345678", packed(PAIR) + b"rubbish", packed(PAIR) + packed(b"")],
    "run.zst": [zstandard.compress(PAIR)[:-4], zstandard.compress(LINE.encode()) + zstandard.compress(B.encode())],
    "run[1].txt": [LINE + B],  # which is no pattern
    "run[1].csv": [CSV + "q1,b,0.25\n"],
    "run[1].jsonl": [OBJECT],
    "query_id=q2/run.csv": [CSV + "q1,b,0.25\n"],  # which is no column
    "run.csv": [
        *("qid,docid,score\nq1,a,0.5\nq1,b,0.25,", "qid,docid,score,\nq1,a,0.5,x\nq1,b,0.25,y\n", "# x\n" + CSV),
        *("n,qid,docid,score\n1,q1,a,0.5\n#2,q1,b,0.75\n", "qid,docid,rank\nq1,a,1\nq1,b,1_0\n", CSV + CSV),
        *("qid,docid,score\n'q1','a','0.5'\n'q1','b','0.25'\n", CSV + 'q1,"b""",0.25\nq1,b,0.1\n', BOM + CSV.encode()),
        *('qid,docid,text,score\nq1,a,"x\n# y",0.5\nq1,b,z,0.25\n', "qid,docid,score\nq1,a,1,5\nq1,b,2,5\n", "q1,a,0.5\n"),
        *("qid,docid,score,n\nq1,a,1\nq1,b,2\n", "qid,docid,score,Score\nq1,a,0.1,0.9\nq1,b,0.2,0.8\n"),
    ],
    "run.tsv": ["qid\tdocid\tscore\nq1\ta\t0.5\t\nq1\tb\t0.25\n"],
    "run.jsonl": [
        *(OBJECT + "# x\n", BOM + OBJECT.encode(), OBJECT + '{"qid": "q2", "results": ["a"]}\n', OBJECT[:-1] + OBJECT),
        *('{"qid": "q1", "results": ["b", "a"]}\n{"qid": "q2", "results": []}\n', OBJECT + OBJECT.replace("q", "query_", 1)),
        OBJECT.replace("0.5", '"0.5"') + '{"qid": "q1", "docid": "b", "score": "9"}\n',
        '{"qid": "q1", "docid": "a", "rank": 1}\n' + OBJECT.replace('"a"', '"b"'),
        OBJECT.replace('"a"', str(2**64)) + OBJECT.replace('"a"', str(2**64 + 1)),
        OBJECT + OBJECT.replace("0.5", '0.5, "n": ' + "9" * 5000),
        OBJECT + '{"score": 0.25, "docid": "b", "qid": "q1"}\n',
    ],
    "run.json": ['{"q1": {"a": 0.5, "b": 0.25}}'],
    "run.parquet": ["PAR1"],
}
ODD_FILES = [(name, content) for name, contents in ODD_CONTENTS.items() for content in contents]
ODD_IDS = ["a", "b", "'b'", " b", "#b", "b\t7", "b\x0b7", "b 7", "b\0", 'b"', "b\\", "c", "007", "NULL"]
ODD_JUDGED = Qrels({"q1": {doc: grade for grade, doc in enumerate(ODD_IDS, 1)}, "q2": {"a": 1, "b": 2}, "7": {"b": 1}})
"""Every id has its own grade, so that no two readings score the same."""


@pytest.mark.parametrize("step", [16, pytest.param(1, marks=pytest.mark.slow)])
def test_odd_files_have_the_same_outcome(tmp_path, step):
    write(tmp_path / "run1.txt", "q2 Q0 b 1 1 t\n")  # decoys for paths that look like patterns
    write(tmp_path / "run1.csv", "qid,docid,score\nq2,b,1\n")
    write(tmp_path / "run1.jsonl", OBJECT.replace("q1", "q2"))
    (tmp_path / "query_id=q2").mkdir()
    for name, content in [*ODD_FILES[::step], *list(odd_values())[:: 4 * step]]:
        assert_same_outcome(write(tmp_path / name, content), ODD_JUDGED, case=(name, content))
    path, policy = write(tmp_path / "run", LINE + B + "q1 Q0 b 3 0.75 t\n"), Policy(duplicates="keep_best")
    assert_same_outcome(path, ODD_JUDGED, policy)
    assert outcome(path, ODD_JUDGED, policy, 0)["per_query"]["q1"]["dcg"] == 2 + 1 / np.log2(3)


PLAIN = {"qid": ["q1", "q1", "q2"], "docid": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]}
ODD_COLUMNS = {
    "qid": [["#q1", "q1", "q2"], ["q1", None, "q2"], [None, "q1", "q2"], [1.0, 1.0, 2.0]],
    "docid": [["a", " b", "a "], ["a", "", "a"], ["a", None, "a"], ["a", "a", "a"], [True, False, True], ["b\0", "b", "a"]],
    "score": [
        *([0.5, None, 1.0], [0.5, float("nan"), 1.0], [0.5, float("inf"), -float("inf")], [1, 2, 3], [True, False, True]),
        *(["1", "10", "9"], ["1", "1_0", "9"], ["1", "x", "9"]),
    ],
}


@pytest.mark.parametrize("kind", ["polars", *(pytest.param(one, marks=pytest.mark.slow) for one in ("pandas", "pyarrow"))])
def test_odd_frames_have_the_same_outcome(tmp_path, kind):
    cases = [(name, odd) for name, values in ODD_COLUMNS.items() for odd in values]
    for name, odd in cases[:: 3 if kind == "polars" else 1]:
        frame = FRAMES[kind](PLAIN | {name: odd})
        assert_same_outcome(frame, ODD_JUDGED, case=odd)
        if kind == "pyarrow":
            pl.DataFrame(frame).write_parquet(tmp_path / "run.parquet")
            assert_same_outcome(tmp_path / "run.parquet", ODD_JUDGED, case=odd)
    frame = pd.DataFrame(PLAIN)
    changes = [{"qid": pd.array([1, None, 2], dtype="Int64")}, {"docid": pd.Series(["a", 7, "a"], dtype=object)}]
    changes += [{"docid": pd.to_datetime(["2024-01-01"] * 3)}, {"docid": frame.docid.astype("category")}, {"text": "x"}]
    for source in (*(frame.assign(**one) for one in changes), frame.astype(object), frame[:0], frame[["qid", "score"]]):
        before = source.copy(deep=True)
        assert_same_outcome(source, ODD_JUDGED, case=source)
        pd.testing.assert_frame_equal(source, before)  # which stays as it was


@pytest.mark.slow
def test_types_are_not_guessed_from_the_first_rows(tmp_path):
    """Whole numbers for a long while, then fractions: a sample of the first rows would make them all whole."""
    rows = [("q1", str(number), 30_000 - number) for number in range(25_000)] + [("q1", "x", 0.4), ("q1", "y", 0.3)]
    qrels = Qrels({"q1": {"y": 1, "x": 0}})
    graded_alike(write(tmp_path / "run.jsonl", jsonl(rows, ("qid", "docid", "score"))), qrels)
    assert taken(pd.DataFrame(rows, columns=["qid", "docid", "score"], dtype=object), qrels, Policy()) is None


@pytest.mark.slow
def test_large_files_with_interleaved_queries_keep_the_order_of_the_file(tmp_path):
    """Many chunks and threads: rows must not be taken in the order in which they happen to arrive."""
    rng = np.random.default_rng(3)
    queries, docs, scores = rng.integers(0, 40, 300_000), rng.permutation(300_000), rng.integers(0, 30, 300_000)
    rows = zip(queries.tolist(), docs.tolist(), scores.tolist(), strict=True)
    path = write(tmp_path / "large.run", "".join(f"q{query} Q0 d{doc} 1 {score} x\n" for query, doc, score in rows))
    judged = {}
    for query, doc in zip(queries[::500].tolist(), docs[::500].tolist(), strict=True):
        judged.setdefault(f"q{query}", {})[f"d{doc}"] = 1
    for ties in TIES:
        assert_same_outcome(path, Qrels(judged), Policy(ties=ties), ties)


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


@given(
    rows=NEAR_ROWS,
    judged=NEAR_QRELS,
    rules=st.lists(st.sampled_from(RULES), min_size=1, max_size=5, unique=True),
    form=st.sampled_from(["run.txt", "run.txt gzip", "run.csv", "run.jsonl", "run.parquet", "polars"]),
)
def test_both_readers_rank_by_several_rules_alike(folder, rows, judged, rules, form):
    left_empty = {query for query, *_ in rows} - {query for query, doc, _ in rows if doc != query}
    alike = ranked_alike(made(folder, form, rows), Qrels(judged), rules)
    assert alike is (None if left_empty and any(rule.drop_self for rule in rules) else True)


def test_both_readers_rank_long_tied_rankings_by_every_rule_alike(tmp_path):
    rng = np.random.default_rng(3)
    rows = [
        (f"q{query}", f"d{doc}" if doc else f"q{query}", 1.0 + int(rng.integers(5)) * 1e-8)
        for query in range(8)
        for doc in rng.permutation(120).tolist()
    ]
    judged = {f"q{query}": {f"q{query}": 2} | {f"d{doc}": doc % 3 for doc in range(query, 130, 3)} for query in range(9)}
    for order in (sorted(rows, key=lambda row: (row[0], -row[2])), [rows[number] for number in rng.permutation(len(rows))]):
        assert ranked_alike(made(tmp_path, "run.txt", order), Qrels(judged), RULES)
    for top in (1e39, -1e300):  # beyond float32
        beyond = made(tmp_path, "run.txt", [("q1", "a", 1.0), ("q1", "b", 1.00000001), ("q1", "x", top), ("q1", "y", 1.0)])
        for ties in ("docid_desc", "ranx"):
            assert_same_outcome(beyond, Qrels({"q1": {"a": 1, "x": 2}}), Policy(ties=ties, precision="float32"), (top, ties))
