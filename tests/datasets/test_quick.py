"""The quick way for large runs gives what the strict reader gives, or leaves it to the strict reader."""

import json
from unittest import mock

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
from assay.datasets import FileSource, _tables, as_source, rank_source
from assay.model.grading import grade, rank_all, settle
from assay.model.policy import CHOICES, RankRule
from assay.model.profiles import PROFILES

from ._cases import BOM, columns, delimited, jsonl, packed, parquet, trec_run, write

NAMES = ("query_id", "doc_id", "score")


def sizes(least):
    """From how many bytes and rows on the quick way is taken."""
    return mock.patch.multiple(_tables, LARGE_FILE=least, LARGE_FRAME=least)


@pytest.fixture(autouse=True, scope="module")
def _everything_is_large():
    with sizes(0):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("quick")


def shown(grading):
    """Everything a grading says, as plain values."""
    run = grading.run
    return {
        "queries": run.query_ids,
        "hits": list(
            zip(*(column.tolist() for column in (run.retrieved.query, run.retrieved.rank, run.retrieved.grade)), strict=True)
        ),
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


def outcome(source, qrels, policy, least):
    """What people see: scores and counts, or the message of the error."""
    with sizes(least):
        try:
            return assay.evaluate(
                qrels, source, ["map", "mrr", "dcg", "num_ret", "num_rel_ret", "runid"], policy=policy
            ).to_dict()
        except DataError as error:
            return str(error)


# --- one logical run in every format the database reads ------------------------------------------------------------

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
QRELS = st.dictionaries(
    st.sampled_from(["q1", "q2", "7", "q9"]), st.dictionaries(DOCS, st.integers(-1, 3), max_size=9), max_size=4
)
POLICIES = st.builds(
    Policy,
    ties=st.sampled_from(["docid_desc", "docid_asc", "input_order", "ranx", "expected"]),
    missing=st.sampled_from(["zero", "skip"]),
    no_relevant=st.sampled_from(["zero", "skip"]),
    rel=st.sampled_from([None, 2]),
    judged_only=st.booleans(),
)


@settings(max_examples=60)
@given(rows=ROWS, judged=QRELS, policy=POLICIES)
def test_both_readers_grade_alike(folder, rows, judged, policy):
    source, qrels = WRITERS["blanks"](folder, rows), Qrels(judged)
    assert quick(source, qrels, policy) == strict(source, qrels, policy)


@pytest.mark.parametrize("form", WRITERS)
@settings(max_examples=8)
@given(rows=ROWS, judged=QRELS, ties=st.sampled_from(["docid_desc", "docid_asc", "input_order", "ranx"]))
def test_both_readers_grade_every_format_alike(folder, form, rows, judged, ties):
    source, qrels, policy = WRITERS[form](folder, rows), Qrels(judged), Policy(ties=ties)
    assert quick(source, qrels, policy) == strict(source, qrels, policy)


@settings(max_examples=30)
@given(rows=ROWS, judged=QRELS)
def test_ties_in_the_order_given_are_broken_alike(folder, rows, judged):
    source, qrels, policy = WRITERS["blanks"](folder, rows), Qrels(judged), Policy(ties="input_order")
    assert outcome(source, qrels, policy, 0) == outcome(source, qrels, policy, 10**9)
    assert quick(source, qrels, policy) == strict(source, qrels, policy)


# --- every rule that decides ranks ----------------------------------------------------------------------------------

RULES = [
    RankRule(ties, precision, drop_self)
    for ties in ("docid_desc", "docid_asc", "input_order", "ranx")
    for precision in CHOICES["precision"]
    for drop_self in (False, True)
]
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


@settings(max_examples=80)
@given(rows=NEAR_ROWS, judged=NEAR_QRELS, rules=st.lists(st.sampled_from(RULES), min_size=1, max_size=5, unique=True))
def test_both_readers_rank_by_several_rules_alike(folder, rows, judged, rules):
    left_empty = {query for query, *_ in rows} - {query for query, doc, _ in rows if doc != query}
    alike = ranked_alike(WRITERS["blanks"](folder, rows), Qrels(judged), rules)
    assert alike is (None if left_empty and any(rule.drop_self for rule in rules) else True)


@pytest.mark.parametrize("form", ["blanks", "gzip", "CSV", "JSONL", "Parquet", "polars"])
@settings(max_examples=6)
@given(rows=NEAR_ROWS, judged=NEAR_QRELS)
def test_both_readers_rank_every_format_by_every_rule_alike(folder, form, rows, judged):
    rows = [*rows, *((query, "other", 0.5) for query in {query for query, *_ in rows})]
    assert ranked_alike(WRITERS[form](folder, rows), Qrels(judged), RULES)


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
    names = {1: "b", 2: "c", 3: "d", 4: "q"}
    hits = {rule: found[rule].run.retrieved for rule in RULES}
    ranks = {
        rule: {names[grade]: rank for grade, rank in zip(of.grade.tolist(), of.rank.tolist(), strict=True)}
        for rule, of in hits.items()
    }
    assert ranks[RankRule("docid_desc", "float64", False)] == {"d": 1, "b": 2, "q": 3, "c": 4}
    assert ranks[RankRule("docid_desc", "float32", False)] == {"d": 1, "b": 2, "q": 3, "c": 4}
    assert ranks[RankRule("docid_asc", "float64", False)] == {"d": 1, "b": 2, "c": 3, "q": 4}
    assert ranks[RankRule("docid_asc", "float32", False)] == {"b": 1, "d": 2, "c": 3, "q": 4}
    assert ranks[RankRule("input_order", "float32", False)] == {"b": 1, "d": 2, "c": 3, "q": 4}
    assert ranks[RankRule("input_order", "float64", False)] == {"d": 1, "b": 2, "c": 3, "q": 4}
    assert ranks[RankRule("docid_desc", "float64", True)] == {"d": 1, "b": 2, "c": 3}
    assert ranks[RankRule("docid_asc", "float32", True)] == {"b": 1, "d": 2, "c": 3}


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order", "ranx"])
@pytest.mark.parametrize("top", [1e39, -1e39, 1e300], ids=repr)
def test_scores_beyond_float32_have_the_same_outcome(tmp_path, ties, top):
    rows = [("q1", "a", 1.0), ("q1", "b", 1.00000001), ("q1", "x", top), ("q1", "y", 1.0)]
    source, qrels = WRITERS["blanks"](tmp_path, rows), Qrels({"q1": {"a": 1, "x": 2}})
    policy = Policy(ties=ties, precision="float32")
    assert outcome(source, qrels, policy, 0) == outcome(source, qrels, policy, 10**9)


@pytest.mark.parametrize("name_extra", [False, True])
def test_extra_queries_are_named_by_the_strict_reader_alone(tmp_path, name_extra):
    source = as_source(WRITERS["blanks"](tmp_path, ORDINARY))
    assert (rank_source(source, JUDGED, RULES, name_extra=name_extra) is None) == name_extra
    assert rank_source(source, Qrels({q: {"a": 1} for q in ("q1", "q2", "q3")}), RULES, name_extra=name_extra)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_scores_a_large_file_as_a_small_one(tmp_path, profile):
    rng = np.random.default_rng(1)
    docs = rng.permutation(40).tolist()
    rows = [(str(query), str(doc), 1.0 + (doc * 7 + query) % 9 * 1e-8) for query in range(5) for doc in docs]
    if PROFILES[profile].policy.ties == "error":
        rows = [(query, doc, place * 0.5) for place, (query, doc, _) in enumerate(rows)]
    qrels = Qrels({str(query): {str(doc): doc % 3 for doc in range(query, 30, 2)} for query in range(5)})
    source = WRITERS["blanks"](tmp_path, rows)
    metrics = ["ndcg@10", "map", "mrr@10", "recall@5", "precision@5", "bpref", "judged@10", "hit@1", "err@10"]
    large, small = (_under(profile, source, qrels, metrics, least) for least in (0, 10**9))
    assert large == small


def _under(profile, source, qrels, metrics, least):
    with sizes(least):
        return assay.evaluate(qrels, source, metrics, profile=profile, tie_band=True, residuals=True).to_dict()


ORDINARY = [("q1", "a", 0.5), ("q1", "b", 0.25), ("q2", "a", 1.0), ("q3", "z", 9.0)]
JUDGED = Qrels({"q1": {"b": 2, "x": 1}, "q2": {"a": 1}, "q9": {"a": 1}})


@pytest.mark.parametrize("form", WRITERS)
def test_the_quick_way_by_hand(tmp_path, form):
    found = quick(WRITERS[form](tmp_path, ORDINARY), JUDGED, Policy())
    assert found["queries"] == ("q1", "q2", "q9")
    assert found["hits"] == [(0, 2, 2.0), (1, 1, 1.0)]
    assert found["n_retrieved"] == [2, 1, 0]
    assert found["missing"] == ("q9",)
    counts = {"judged": 3, "scored": 3, "missing": 1, "without_relevant": 0, "extra": 1, "constant": 0}
    assert found["counts"] == counts
    assert found["tag"] == ("bm25" if form in ("blanks", "tabs", "CRLF", "gzip", "zstd") else "")


@pytest.mark.parametrize("form", WRITERS)
def test_evaluate_takes_it_and_says_the_same(tmp_path, form):
    source = WRITERS[form](tmp_path, ORDINARY)
    with mock.patch("assay.evaluation.grader.rank_all", side_effect=AssertionError("the strict reader was asked")):
        found = outcome(source, JUDGED, Policy(), 0)
    assert found == outcome(source, JUDGED, Policy(), 10**9)
    assert found["summary"]["map"] == pytest.approx((1 / 2 / 2 + 1 + 0) / 3)


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order", "ranx", "expected"])
def test_large_groups_of_equal_scores(tmp_path, ties):
    rows = [(f"q{query}", f"d{doc}", doc % 3) for query in range(20) for doc in range(50)]
    qrels = Qrels({f"q{query}": {f"d{doc}": doc % 4 for doc in range(query, 60, 7)} for query in range(22)})
    source, policy = WRITERS["blanks"](tmp_path, rows), Policy(ties=ties)
    assert outcome(source, qrels, policy, 0) == outcome(source, qrels, policy, 10**9)
    assert quick(source, qrels, policy) == strict(source, qrels, policy)


@pytest.mark.parametrize("least", [0, 10**9])
def test_the_order_given_decides_ties_where_the_policy_says_so(tmp_path, least):
    rows = [("q1", "b", 1.0), ("q1", "c", 1.0), ("q1", "a", 1.0), ("q1", "top", 2.0)]
    for form in ("blanks", "CSV", "JSONL", "Parquet", "polars"):
        source = WRITERS[form](tmp_path, rows)
        for doc, rank in (("top", 1), ("b", 2), ("c", 3), ("a", 4)):
            found = outcome(source, Qrels({"q1": {doc: 1}}), Policy(ties="input_order"), least)
            assert found["per_query"]["q1"]["mrr"] == 1 / rank


@pytest.mark.parametrize("judged", [{}, {"q1": {}}, {"q9": {"a": 1}}, {"q1": {"nowhere": 1}}, {"q2": {"b": 1}}])
def test_nothing_in_common(tmp_path, judged):
    source, qrels = WRITERS["blanks"](tmp_path, ORDINARY), Qrels(judged)
    assert quick(source, qrels, Policy()) == strict(source, qrels, Policy())


def test_whole_number_ids_in_frames(tmp_path):
    rows, qrels = [(1, 10, 0.5), (1, 2, 0.5), (2, 10, 1.0)], Qrels({1: {10: 1, 2: 2}, "2": {"10": 1}})
    for form in ("pandas", "polars", "pyarrow", "Parquet", "JSONL"):
        source = WRITERS[form](tmp_path, rows)
        assert quick(source, qrels, Policy()) == strict(source, qrels, Policy())


def test_numpy_types_in_frames():
    rows = {
        "qid": np.array([1, 1], np.int32),
        "docid": np.array([2**64 - 1, 1], np.uint64),
        "score": np.array([0.1, 0.2], np.float32),
    }
    qrels = Qrels({"1": {str(2**64 - 1): 1}})
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows), pa.table(rows)):
        assert quick(frame, qrels, Policy()) == strict(frame, qrels, Policy())


@pytest.mark.parametrize("form", ["CSV", "JSONL", "Parquet", "pandas", "polars", "pyarrow"])
def test_ranks_instead_of_scores(tmp_path, form):
    with mock.patch(f"{__name__}.NAMES", ("qid", "docid", "rank")):
        source = WRITERS[form](tmp_path, [("q1", "a", 2), ("q1", "b", 1)])
    found = quick(source, JUDGED, Policy())
    assert found["hits"] == [(0, 1, 2.0)]
    assert found == strict(source, JUDGED, Policy())


@pytest.mark.parametrize("policy", [Policy(missing="error"), Policy(extra="error")])
def test_the_policy_is_enforced_alike(tmp_path, policy):
    source = WRITERS["blanks"](tmp_path, ORDINARY)
    assert "query" in str(outcome(source, JUDGED, policy, 0))
    assert outcome(source, JUDGED, policy, 0) == outcome(source, JUDGED, policy, 10**9)


def test_small_sources_are_left_to_the_strict_reader(tmp_path):
    with sizes(10**6):
        for form in ("blanks", "CSV", "JSONL", "Parquet", "pandas", "polars", "pyarrow"):
            assert taken(as_source(WRITERS[form](tmp_path, ORDINARY)), JUDGED, Policy()) is None


@pytest.mark.parametrize(
    "source", [{"q1": {"a": 1.0}}, [("q1", "a", 1.0)], iter([]), np.zeros(3), None], ids=lambda source: type(source).__name__
)
def test_what_has_no_columns_is_left_to_the_strict_reader(source):
    assert taken(source, JUDGED, Policy()) is None


# --- out of the ordinary: the same result, or the same error -------------------------------------------------------

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
    "quotes": ("run", LINE + 'q1 Q0 "b" 2 0.25 t\nq1 Q0 "c 2 0.25 t\n'),
    "NUL": ("run", LINE + "q1 Q0 b\0 2 0.75 t\n" + B),
    "invalid UTF-8": ("run", LINE.encode() + b"q1 Q0 b\xff 2 0.25 t\n"),
    "invalid UTF-8 in the tag": ("run", LINE.encode() + b"q1 Q0 b 2 0.25 \xff\n"),
    "two signs": ("run", LINE + "q1 Q0 b 2 +-5 t\n"),
    "underscores": ("run", LINE + "q1 Q0 b 2 1_0 t\n"),
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
