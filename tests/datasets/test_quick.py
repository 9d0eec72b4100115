"""The quick way for large runs gives what the strict reader gives, or leaves it to the strict reader."""

from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Policy, Qrels
from assay.files import as_source, rank_source

from . import _quick
from ._quick import DOCS, JUDGED, ROWS, RULES, WRITERS, outcome, quick, strict, taken
from ._sizes import sizes

pytestmark = pytest.mark.usefixtures("everything_is_large")


# --- one logical run in every format the database reads ------------------------------------------------------------


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


@pytest.mark.parametrize("name_extra", [False, True])
def test_extra_queries_are_named_by_the_strict_reader_alone(tmp_path, name_extra):
    source = as_source(WRITERS["blanks"](tmp_path, ORDINARY))
    assert (rank_source(source, JUDGED, RULES, name_extra=name_extra) is None) == name_extra
    assert rank_source(source, Qrels({q: {"a": 1} for q in ("q1", "q2", "q3")}), RULES, name_extra=name_extra)


def test_a_wrong_statement_is_not_taken_for_wrong_data(tmp_path, monkeypatch):
    import duckdb

    from assay.files import quick_runs

    source = as_source(WRITERS["blanks"](tmp_path, ORDINARY))
    monkeypatch.setattr(quick_runs, "table_of", lambda *_: quick_runs.Table("SELECT no_such_column FROM nowhere"))
    with pytest.raises(duckdb.CatalogException):
        rank_source(source, JUDGED, RULES)
    monkeypatch.setattr(
        quick_runs, "table_of", lambda *_: quick_runs.Table("SELECT 'q' AS q, 'd' AS d, 'x'::DOUBLE AS s, false AS bad")
    )
    assert rank_source(source, JUDGED, RULES) is None


ORDINARY = [("q1", "a", 0.5), ("q1", "b", 0.25), ("q2", "a", 1.0), ("q3", "z", 9.0)]


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
    with mock.patch.object(_quick, "NAMES", ("qid", "docid", "rank")):
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
