"""Lists: rankings of several runs side by side."""

from __future__ import annotations

import numpy as np
import pytest

from assay.errors import BadParameter, DataError
from assay.fusion import RankedLists, fuse
from assay.model import Run

RUNS = [
    {"q1": {"b": 1.0, "a": 2.0}, "q2": {}, "q3": {"x": 0.0}},
    {"q3": {"y": 5.0, "x": 5.0}, "q4": {"z": 1.0}, "q1": {"c": 3.0, "a": 3.0, "b": 3.0}},
]


def test_pairs_and_occurrences():
    lists = RankedLists.of(RUNS)
    assert lists.query_ids == ("q1", "q2", "q3", "q4")
    assert lists.docs == (["b", "a", "c"], [], ["x", "y"], ["z"])
    assert lists.pair.tolist() == [0, 1, 2, 1, 0, 3, 4, 3, 5]
    assert lists.score.tolist() == [1, 2, 3, 3, 3, 0, 5, 5, 1]
    assert lists.run.tolist() == [0, 0, 1, 1, 1, 0, 1, 1, 1]
    assert lists.query.tolist() == [0, 0, 0, 2, 2, 3]
    assert lists.n_found.tolist() == [2, 2, 1, 2, 1, 1]
    assert lists.n_pairs == 6


def test_ranks_go_by_score_and_then_by_id_descending():
    assert RankedLists.of(RUNS).rank.tolist() == [2, 1, 1, 3, 2, 1, 1, 2, 1]


def test_what_runs_can_be_given_as():
    forms = [Run({"7": {"1": 2.0}}), {7: {1: 2}}, {"7": ["1"]}]
    assert all(RankedLists.of([form]).docs == (["1"],) and RankedLists.of([form]).query_ids == ("7",) for form in forms)
    for wrong in ([], "rrf", {"q": {}}, None):
        with pytest.raises(BadParameter):
            RankedLists.of(wrong)
    with pytest.raises(DataError):
        RankedLists.of([{"q": {"a": float("nan")}}])


def test_runs_are_left_as_they_were():
    before = [{query: dict(ranking) for query, ranking in run.items()} for run in RUNS]
    fused = fuse(RUNS, "comb_sum")
    fused.rankings[0].clear()
    assert before == RUNS


def test_the_fused_run_is_a_run():
    fused = fuse(RUNS, "rrf", depth=2)
    assert isinstance(fused, Run)
    assert fused.tag == "rrf"
    assert [list(ranking) for ranking in fused.rankings] == [["a", "b"], [], ["x", "y"], ["z"]]
    assert fused.n_retrieved.tolist() == [2, 0, 2, 1]


def test_equal_documents_go_by_id_descending():
    values = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 3.0])
    assert [list(ranking) for ranking in RankedLists.of(RUNS).fused(values).rankings] == [
        ["c", "b", "a"],
        [],
        ["y", "x"],
        ["z"],
    ]


@pytest.mark.parametrize("n_docs", [1, 7, 300])
def test_many_rankings_at_once_as_one_by_one(n_docs):
    """Long and short rankings, in and out of order, with ties, against plain sorting."""
    rng = np.random.default_rng(n_docs)
    runs = []
    for _ in range(3):
        run = {}
        for number in range(40):
            docs = rng.choice(2 * n_docs, int(rng.integers(0, n_docs + 1)), replace=False).tolist()
            run[f"q{number}"] = {f"d{doc}": float(rng.integers(0, max(n_docs // 3, 1))) for doc in docs}
        runs.append(run)
    lists = RankedLists.of(runs)
    ranks = iter(lists.rank.tolist())
    for number in range(40):
        for run in runs:
            ranking = run[f"q{number}"]
            ordered = sorted(ranking, key=lambda doc: (ranking[doc], doc), reverse=True)
            assert [next(ranks) for _ in ranking] == [ordered.index(doc) + 1 for doc in ranking]
    fused = fuse(runs, "comb_mnz")
    for ranking in fused.rankings:
        assert list(ranking) == sorted(ranking, key=lambda doc: (ranking[doc], doc), reverse=True)
