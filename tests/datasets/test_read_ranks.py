"""Reading ranks: equal scores stand as the rank column says, where there is one."""

import io
import json

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy, Run

from ._cases import columns, delimited, jsonl, parquet, trec_run, write
from ._sizes import sizes

BY_RANK = Policy(ties="rank_column")
NAMES = ("query_id", "doc_id", "score", "rank")
ROWS = [("q1", "b", 1.0, 3), ("q1", "a", 1.0, 2), ("q1", "c", 1.0, 1), ("q1", "d", 2.0, 9), ("q2", "a", 1.0, 1)]
ORDER = "dcab"
"""d has the best score, whatever its rank; the others are equal."""


def places(run, **given):
    return "".join(sorted(ORDER, key=lambda doc: -assay.evaluate({"q1": {doc: 1}}, run, "mrr", **given)["mrr"]))


FORMS = {
    "TREC": lambda path: write(path / "run", "".join(f"{q} Q0 {d} {r} {s} t\n" for q, d, s, r in ROWS)),
    "tabs": lambda path: write(path / "run", "".join(f"{q}\tQ0\t{d}\t{r}\t{s}\tt\n" for q, d, s, r in ROWS)),
    "CSV": lambda path: write(path / "run.csv", delimited(ROWS, NAMES)),
    "JSONL": lambda path: write(path / "run.jsonl", jsonl(ROWS, NAMES)),
    "JSON": lambda path: write(path / "run.json", json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS])),
    "Parquet": lambda path: parquet(path / "run.parquet", ROWS, NAMES),
    "pandas": lambda path: pd.DataFrame(columns(ROWS, NAMES)),
    "polars": lambda path: pl.DataFrame(columns(ROWS, NAMES)),
    "columns": lambda path: columns(ROWS, NAMES),
    "dicts": lambda path: [dict(zip(NAMES, row, strict=True)) for row in ROWS],
}


@pytest.mark.parametrize("least", [0, 10**9], ids=["large", "small"])
@pytest.mark.parametrize("make", FORMS.values(), ids=FORMS)
def test_equal_scores_stand_by_their_ranks(tmp_path, make, least):
    with sizes(least):
        assert places(make(tmp_path), policy=BY_RANK) == ORDER
    prepared = Run(make(tmp_path))
    assert places(prepared, policy=BY_RANK) == ORDER
    assert places(Run(prepared), policy=BY_RANK) == ORDER
    assert "".join(prepared.in_order(0, BY_RANK.rank_rule)) == ORDER


def test_a_stream_is_kept_as_long_as_its_ranks_may_be_asked_for(tmp_path):
    run = Run(io.BytesIO(FORMS["TREC"](tmp_path).read_bytes()))
    assert places(run, policy=BY_RANK) == ORDER


def test_other_rules_do_not_heed_ranks(tmp_path):
    assert places(FORMS["TREC"](tmp_path)) == "dcba"
    assert places(FORMS["TREC"](tmp_path), policy=Policy(ties="input_order")) == "dbac"


def test_documents_of_one_rank_stand_as_given(tmp_path):
    path = write(tmp_path / "run", "q1 Q0 b 1 1 t\nq1 Q0 a 1 1 t\nq1 Q0 c 1 1 t\nq1 Q0 d 1 2 t\n")
    assert places(path, policy=BY_RANK) == "dbac"


def test_ranks_are_dropped_with_their_documents(tmp_path):
    path = write(tmp_path / "run", "q1 Q0 q1 1 1 t\nq1 Q0 b 3 1 t\nq1 Q0 a 2 1 t\n")
    result = assay.evaluate({"q1": {"b": 1}}, path, "mrr", policy=Policy(ties="rank_column", drop_self=True))
    assert result["mrr"] == 0.5


def test_a_document_ranked_twice_has_the_better_rank(tmp_path):
    path = write(tmp_path / "run", "q1 Q0 a 3 1 t\nq1 Q0 b 2 1 t\nq1 Q0 a 1 1 t\n")
    policy = Policy(ties="rank_column", duplicates="keep_best")
    assert assay.evaluate({"q1": {"a": 1}}, path, "mrr", policy=policy)["mrr"] == 1.0


@pytest.mark.parametrize(
    "run",
    [{"q1": {"a": 1.0, "b": 1.0}}, {"q1": [("a", 1.0), ("b", 1.0)]}, iter([("q1", "a", 1.0), ("q1", "b", 1.0)])],
    ids=["scores", "pairs", "rows that come once"],
)
def test_without_ranks_a_tie_is_an_error(run):
    with pytest.raises(
        DataError, match="ties=rank_column orders equal scores by the ranks beside them, and this run has none"
    ):
        assay.evaluate({"q1": {"a": 1}}, run, "mrr", policy=BY_RANK)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("run.csv", "qid,docid,score\nq1,a,1\nq1,b,1\n", "no column for the rank among 'qid', 'docid', 'score'"),
        (
            "run.jsonl",
            '{"qid": "q1", "docid": "a", "score": 1}\n{"qid": "q1", "docid": "b", "score": 1}\n',
            "no column for the rank",
        ),
        ("run", "q1 Q0 a - 1 t\nq1 Q0 b 2 1 t\n", "run:1: rank '-' is not a number"),
        ("run.json", '[["q1", "a", 1], ["q1", "b", 1]]', "found"),
    ],
)
def test_a_tie_that_no_rank_settles_says_what_is_needed(tmp_path, name, text, says):
    path = write(tmp_path / name, text)
    with pytest.raises(DataError) as caught:
        assay.evaluate({"q1": {"a": 1}}, path, "mrr", policy=BY_RANK)
    assert str(caught.value).startswith("ties=rank_column orders equal scores by the ranks beside them: ")
    assert says in str(caught.value)


@pytest.mark.parametrize("run", [{"q1": ["b", "a"]}, {"q1": {"a": 1.0, "b": 2.0}}], ids=["ids", "scores"])
def test_without_ties_no_ranks_are_needed(run):
    assert assay.evaluate({"q1": {"a": 1}}, run, "mrr", policy=BY_RANK)["mrr"] == 0.5


def test_constant_scores_are_no_doubt_where_ranks_count(tmp_path):
    path = write(tmp_path / "run", "q1 Q0 b 1 0 t\nq1 Q0 a 2 0 t\n")
    assert assay.evaluate({"q1": {"a": 1}}, path, "mrr", policy=BY_RANK).notes == ()


@given(st.permutations(range(1, 7)), st.lists(st.sampled_from([0.0, 1.0]), min_size=6, max_size=6))
def test_it_is_a_plain_sort_by_score_and_rank(ranks, scores):
    rows = [
        {"query_id": "q", "doc_id": f"d{n}", "score": s, "rank": r}
        for n, (s, r) in enumerate(zip(scores, ranks, strict=True))
    ]
    wanted = [row["doc_id"] for row in sorted(rows, key=lambda row: (-row["score"], row["rank"]))]
    assert Run(rows).in_order(0, BY_RANK.rank_rule) == wanted


def test_ranks_of_files_written_by_us_are_those_of_their_scores(tmp_path):
    path = write(tmp_path / "run", trec_run())
    assert assay.evaluate({"q1": {"d1": 1}}, path, "mrr", policy=BY_RANK)["mrr"] == 0.5
