"""Designs: which pairs they draw and with which probability, by hand, by enumeration and by laws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import assay
from assay.errors import BadParameter, UnknownName, UsageError
from assay.judging import (
    Request,
    all_designs,
    capped_probabilities,
    frame_of,
    parse_design,
    systematic_draw,
)
from assay.metrics import find_metric

RUNS = {"A": {"q": ["x", "y"]}, "B": {"q": ["x", "z"]}}


ROOT = 2**0.5


def chances(pool) -> dict[str, float]:
    return {pair.document: pair.probability for pair in pool.pairs}


class Start:
    """A source of random numbers that returns one number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


def many_runs(n_queries: int = 12) -> dict[str, dict[str, list[str]]]:
    rng = np.random.default_rng(3)
    return {
        name: {f"q{query:02}": [f"d{doc}" for doc in rng.permutation(20)[:12]] for query in range(n_queries)}
        for name in "ABC"
    }


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (1, {"x": ROOT / (ROOT + 2), "y": 1 / (ROOT + 2), "z": 1 / (ROOT + 2)}),  # worth 1/2 to two, one and one systems
        (2, {"x": 2 * ROOT / (ROOT + 2), "y": 2 / (ROOT + 2), "z": 2 / (ROOT + 2)}),
        (3, {"x": 1.0, "y": 1.0, "z": 1.0}),
        (9, {"x": 1.0, "y": 1.0, "z": 1.0}),
    ],
)
def test_spread_is_in_proportion_to_the_worth_of_a_pair(pairs, expected):
    pool = assay.pool(RUNS, pairs=pairs, depth=2)
    assert chances(pool) == pytest.approx(expected)
    assert len(pool.drawn) == min(pairs, 3)


def test_spread_follows_the_metric():
    pool = assay.pool({"A": {"q": ["x", "y"]}}, pairs=1, depth=2, metric="dcg@2")
    second = 1 / np.log2(3)
    assert chances(pool) == pytest.approx({"x": 1 / (1 + second), "y": second / (1 + second)})


def test_a_pair_that_would_exceed_1_is_certain_and_the_others_share_the_rest():
    assert capped_probabilities(np.array([8.0, 1.0, 1.0, 0.0]), 2).tolist() == [1.0, 0.5, 0.5, 0.0]
    assert capped_probabilities(np.array([9.0, 6.0, 1.0, 1.0]), 3).tolist() == [1.0, 1.0, 0.5, 0.5]


def test_difference_draws_only_what_can_change_it():
    pool = assay.pool(RUNS, pairs=1, depth=2, how="difference(A, B)")
    assert chances(pool) == {"y": 0.5, "z": 0.5}
    assert pool.how == "difference(a=A, b=B)"
    assert assay.pool(RUNS, pairs=1, depth=2, how="difference(a=A, b=B)") == pool


def test_whole_takes_all_pairs_of_some_queries():
    pool = assay.pool(many_runs(), pairs=60, how="whole")
    queries = {pair.query for pair in pool.drawn}
    assert {pair.probability for pair in pool.pairs} == {len(queries) / 12}
    assert {(pair.query, pair.document) for pair in pool.drawn} == {
        (pair.query, pair.document) for pair in pool.pairs if pair.query in queries
    }
    runs_of_queries = [pair.query for pair in pool.drawn]
    assert sum(a != b for a, b in itertools.pairwise(runs_of_queries)) == len(queries) - 1
    assert {pair.query for pair in assay.pool(many_runs(), pairs=1, how="whole(queries=12)").drawn} == set(many_runs()["A"])


def test_depth_takes_the_best_ranks_first():
    pool = assay.pool(many_runs(), pairs=50, how="depth")
    best = {
        (query, document): min(run[query].index(document) for run in many_runs().values() if document in run[query])
        for run in many_runs().values()
        for query, ranking in run.items()
        for document in ranking
    }
    ranks = [best[pair.query, pair.document] for pair in pool.drawn]
    assert ranks == sorted(ranks)
    assert len(ranks) == 50
    assert not pool.unit


def test_move_to_front_follows_relevant_documents():
    runs = {"A": {"q": ["a1", "a2", "a3"]}, "B": {"q": ["b1", "b2", "b3"]}}
    first = assay.pool(runs, pairs=2, how="move_to_front")
    assert {pair.document for pair in first.drawn} == {"a1", "b1"}
    after = assay.pool(runs, pairs=2, how="move_to_front", judged={"q": {"a1": 0, "b1": 2}})
    assert [pair.document for pair in after.drawn] == ["b2", "a2"]  # b1 was relevant, so B is first again, until b2 is open


@pytest.mark.parametrize("how", sorted(all_designs()))
def test_laws_of_every_design(how):
    written = "difference(A, B)" if how == "difference" else how
    runs = many_runs()
    pool = assay.pool(runs, pairs=40, how=written, seed=5)
    other_order = {name: dict(reversed(runs[name].items())) for name in reversed(runs)}
    assert assay.pool(other_order, pairs=40, how=written, seed=5) == pool
    assert assay.pool(runs, pairs=40, how=written, seed=6).drawn != pool.drawn
    assert [pair.place for pair in pool.drawn] == list(range(len(pool.drawn)))
    assert all(0 < pair.probability <= 1 for pair in pool.pairs)
    assert pool.systems == ("A", "B", "C")
    if how != "whole":
        assert len(pool.drawn) == 40
        assert pool.n_expected == pytest.approx(40)


def test_each_start_of_a_systematic_draw_takes_the_right_number_of_pairs():
    probability = np.array([1.0, 0.25, 0.5, 0.25, 1.0, 0.75, 0.25])
    order = np.array([3, 1, 0, 2, 6, 5, 4])
    counts = np.zeros(7)
    for number in range(40):
        drawn = systematic_draw(probability, order, Start((number + 0.5) / 40))
        assert len(drawn) == 4
        counts[drawn] += 1
    assert (counts / 40).tolist() == probability.tolist()


def test_frequencies_of_draws_are_the_probabilities():
    frame = frame_of(many_runs(4), find_metric("precision@10"), 10)
    for how in ("spread", "whole", "difference(A, B)"):
        design, counts, n = parse_design(how), np.zeros(frame.n_pairs), 2_000
        for number in range(n):
            draw = design.draw(frame, Request(15, np.random.default_rng(number)))
            counts[draw.order] += 1
        p = draw.probability
        assert np.all(np.abs(counts / n - p) <= 4 * np.sqrt(p * (1 - p) / n) + 1e-12), how


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pairs": 0}, "pairs must be a whole number of at least 1, not 0"),
        ({"pairs": 2.5}, r"pairs must be a whole number of at least 1, not 2\.5"),
        ({"depth": 0}, "depth must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"how": "sprad"}, "no design is called 'sprad'. Did you mean spread"),
        ({"how": "spread(x=1)"}, "spread has no parameters, but 'x' is given"),
        ({"how": "difference(A)"}, r"difference needs b \(the second system\), as in difference\(a, b\)"),
        ({"how": "difference(A, C)"}, r"no system is called 'C' \(choose from A, B\)"),
        ({"how": "difference(A, A)"}, "needs two systems"),
        ({"metric": "ndcg@10"}, "ndcg@10 cannot weigh single pairs"),
    ],
)
def test_wrong_input(settings, message):
    with pytest.raises((BadParameter, UnknownName, UsageError), match=message):
        assay.pool(RUNS, **settings)


def test_wrong_systems():
    with pytest.raises(UsageError, match="needs at least one system"):
        assay.pool({})
    with pytest.raises(UsageError, match="nothing to judge"):
        assay.pool({"A": {"q": []}})
    with pytest.raises(UsageError, match="runs must have names"):
        assay.pool([{"q": ["x"]}])
    with pytest.raises(UsageError, match="no judgment can tell them apart"):
        assay.pool({"A": {"q": ["x"]}, "B": {"q": ["x"]}}, how="difference(A, B)")
    result = assay.evaluate({"q": {"x": 1}}, {"q": ["x"]}, name="bm25")
    with pytest.raises(UsageError, match="two systems are called bm25"):
        assay.pool([result, result])
