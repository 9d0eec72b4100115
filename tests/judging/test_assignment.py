"""Who judges which pair of a pool, and in which order: every pair once or by all, and no rank in the order."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import BadParameter, DataError
from assay.judging import pairs_of, pool_from_lines, pool_lines, share_work

RUNS = {
    name: {f"q{query}": [f"d{(query * 7 + rank * step) % 40}" for rank in range(10)] for query in range(30)}
    for name, step in (("A", 1), ("B", 3))
}


def drawn(how="spread", pairs=200):
    return assay.pool(RUNS, pairs=pairs, how=how, depth=10, seed=3)


@settings(max_examples=25, deadline=None)
@given(
    how=st.sampled_from(["spread", "whole", "depth", "move_to_front", "difference(A, B)"]),
    n_judges=st.integers(1, 5),
    overlap=st.floats(0, 1),
    pairs=st.integers(1, 250),
)
def test_each_pair_goes_to_one_judge_or_to_all(how, n_judges, overlap, pairs):
    pool = drawn(how, pairs)
    names = [f"judge {number}" for number in range(n_judges)]
    shared = share_work(pool, names, overlap if n_judges > 1 else 0)
    assert shared.id == pool.id
    lists = {name: pairs_of(shared, name) for name in names}
    counts = {pair: sum(pair in mine for mine in lists.values()) for pair in pool.drawn}
    assert set(counts.values()) <= {1, n_judges}
    assert all(len(set(mine)) == len(mine) for mine in lists.values())
    assert pairs_of(shared, "stranger") == ()
    if pool.unit != "queries":
        n_shared = sum(count == n_judges for count in counts.values())
        assert n_judges == 1 or abs(n_shared - overlap * len(pool.drawn)) <= 1
        singles = [sum(counts[pair] == 1 for pair in mine) for mine in lists.values()]
        assert n_judges == 1 or max(singles) - min(singles) <= 1
    else:
        by_query = {(pair.query, count) for pair, count in counts.items()}
        assert len(by_query) == len({pair.query for pair in pool.drawn}), "a query goes to a judge as a whole"


def test_a_fifth_of_two_hundred_pairs():
    """By hand: 200 pairs, 20 %: 40 go to both, the other 160 are split."""
    pool = share_work(drawn(), ["Ana", "Ben"], 0.2)
    ana, ben = (set(pairs_of(pool, name)) for name in ("Ana", "Ben"))
    assert (len(ana), len(ben), len(ana & ben), len(ana | ben)) == (120, 120, 40, 200)


@pytest.mark.parametrize("how", ["depth", "move_to_front"])
def test_the_order_of_a_draw_by_rank_says_nothing_about_ranks(how):
    pool = drawn(how, 150)
    best = {(query, doc): 10 for query in RUNS["A"] for doc in set(RUNS["A"][query]) | set(RUNS["B"][query])}
    for run in RUNS.values():
        for query, ranking in run.items():
            for rank, doc in enumerate(ranking):
                best[query, doc] = min(best[query, doc], rank)
    ranks = [best[pair.query, pair.document] for pair in pairs_of(pool, "Ana")]
    assert abs(np.corrcoef(ranks, range(len(ranks)))[0, 1]) < 0.2
    assert pool.drawn != pairs_of(pool, "Ana")


def test_judges_see_a_random_draw_in_blocks_and_in_orders_of_their_own():
    """So after each block, the judged pairs are the first ones of the draw, for each judge."""
    pool = drawn()
    ana, ben = pairs_of(pool, "Ana"), pairs_of(pool, "Ben")
    assert ana != ben
    assert ana == pairs_of(pool, "Ana")
    for end in range(20, 200, 20):
        assert set(ana[:end]) == set(ben[:end]) == set(pool.drawn[:end])


def test_whole_queries_stay_together():
    for how, pairs in (("whole", 200), ("depth", 10_000)):
        queries = [pair.query for pair in pairs_of(drawn(how, pairs), "Ana")]
        changes = sum(a != b for a, b in pairwise(queries))
        assert changes == len(set(queries)) - 1


@pytest.mark.parametrize("n_draws", [40, pytest.param(150, marks=pytest.mark.slow)])
def test_what_judges_have_done_estimates_without_bias(n_draws):
    """A part of the queue of two judges, at any time: the mean of many draws is the true value."""
    truth = {(query, doc): float(hash_of(query, doc) < 0.4) for query in RUNS["A"] for doc in RUNS["A"][query]}
    exact = np.mean([np.mean([truth[query, doc] for doc in ranking]) for query, ranking in RUNS["A"].items()])
    values = []
    for seed in range(n_draws):
        pool = share_work(assay.pool(RUNS, pairs=150, seed=seed, depth=10), ["Ana", "Ben"], 0.2)
        done = {*pairs_of(pool, "Ana")[:50], *pairs_of(pool, "Ben")[:15]}
        people = {}
        for pair in done:
            people.setdefault(pair.query, {})[pair.document] = truth.get((pair.query, pair.document), 0.0)
        result = assay.evaluate({"q0": {"d0": 1}}, RUNS["A"], ["precision@10"], name="A")
        values.append(assay.Corrected(people, pool=pool).estimate(result)["precision@10"])
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert abs(np.mean(values) - exact) < 4 * error


def hash_of(*parts):
    """A number from 0 to 1 that looks random."""
    from hashlib import sha256

    return int(sha256(repr(parts).encode()).hexdigest()[:8], 16) / 16**8


def test_judges_and_guidelines_are_in_the_file_and_older_files_have_none():
    pool = share_work(drawn(), [" Ana ", "Ben"], 0.25, "Only facts count.\n")
    assert (pool.judges, pool.overlap, pool.guidelines) == (("Ana", "Ben"), 0.25, "Only facts count.")
    lines = list(pool_lines(pool))
    assert pool_from_lines(lines) == pool
    plain = list(pool_lines(drawn()))
    assert not {"judges", "overlap", "guidelines"} & json.loads(plain[0]).keys()
    assert plain[1:] == lines[1:]
    head = {**json.loads(lines[0]), "overlap": 1.5}
    with pytest.raises(DataError, match="overlap"):
        pool_from_lines([json.dumps(head), *lines[1:]])


@pytest.mark.parametrize(
    ("judges", "overlap", "why"),
    [
        (["Ana", "Ana "], 0, "each judge must be named once"),
        (["Ana"], 0.2, "an overlap needs at least two judges"),
        ([""], 0, "1 to 80 visible characters"),
        (["Ana", "Ben"], -0.1, "share from 0 to 1"),
        ([f"judge {number}" for number in range(51)], 0, "at most 50 judges"),
    ],
)
def test_what_is_wrong_is_an_error(judges, overlap, why):
    with pytest.raises(BadParameter, match=why):
        share_work(drawn(), judges, overlap)
