"""Extension: a larger pool with all pairs of a smaller one, and the probabilities of a larger draw."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.judging.test_correction import RUNS, TRUTH

from assay.errors import BadParameter, UsageError
from assay.judging import Corrected, pool, pool_from_lines, pool_lines


def ids(drawn):
    return {(pair.query, pair.document) for pair in drawn.drawn}


@pytest.mark.parametrize("how", ["spread", "whole", "whole(queries=6)", "difference(bm25, dense)"])
def test_all_pairs_stay_and_probabilities_are_those_of_the_larger_draw(how):
    first = pool(RUNS, 100, how, seed=3)
    second = pool(RUNS, 200, extends=first)
    third = pool(RUNS, 300, extends=second)
    assert ids(first) < ids(second) < ids(third)
    assert (second.extends, third.extends) == ((first.id,), (first.id, second.id))
    at_once = pool(RUNS, 300, how.partition("(queries")[0], seed=3)
    assert [pair[:3] for pair in third.pairs] == [pair[:3] for pair in at_once.pairs]
    assert third.how == at_once.how
    assert abs(len(third.drawn) - 300) < 30  # the numbers of new pairs differ a little
    assert sorted(pair.place for pair in third.drawn) == list(range(len(third.drawn)))
    assert pool_from_lines(pool_lines(third)) == third


@pytest.mark.slow
@pytest.mark.parametrize("how", ["spread", "whole"])
def test_frequencies_of_extended_draws_are_the_probabilities(how):
    """The frequencies are within 4 standard errors of the probabilities, as for a draw at once."""
    runs = {name: {query: list(docs)[:4] for query, docs in list(RUNS[name].items())[:12]} for name in ("bm25", "dense")}
    runs["bm25"]["empty"] = runs["dense"]["empty"] = []
    n, counts = 2_000, {}
    for seed in range(n):
        drawn = pool(runs, 30, extends=pool(runs, 12, how, seed, depth=4))
        for pair in drawn.drawn:
            counts[pair[:2]] = counts.get(pair[:2], 0) + 1
    for pair in drawn.pairs:
        error = np.sqrt(max(pair.probability * (1 - pair.probability), 1e-9) / n)
        assert abs(counts.get(pair[:2], 0) / n - pair.probability) <= 4 * error, pair


def test_the_grades_of_the_smaller_pool_count_and_the_estimate_gets_narrower():
    first = pool(RUNS, 100)
    second = pool(RUNS, 300, extends=first)
    widths = []
    for drawn in (first, second):
        people: dict[str, dict[str, float]] = {}
        for pair in drawn.drawn:
            people.setdefault(pair.query, {})[pair.document] = TRUTH[pair.query][pair.document]
        estimate = Corrected(people, pool=drawn).evaluate(None, RUNS["dense"])
        low, high = estimate.intervals["precision@10"].low, estimate.intervals["precision@10"].high
        widths.append(high - low)
    assert widths[1] < widths[0]


def test_what_cannot_be_extended():
    first = pool(RUNS, 100)
    with pytest.raises(BadParameter, match="pairs must be above 100, not 100"):
        pool(RUNS, 100, extends=first)
    with pytest.raises(UsageError, match="a pool of depth cannot be extended"):
        pool(RUNS, 200, extends=pool(RUNS, 100, "depth"))
    with pytest.raises(UsageError, match="was drawn from other systems or rankings"):
        pool({"bm25": RUNS["bm25"]}, 200, extends=first)
    turned = {name: {query: list(docs)[::-1] for query, docs in run.items()} for name, run in RUNS.items()}
    with pytest.raises(UsageError, match="was drawn from other systems or rankings"):
        pool(turned, 200, extends=first)
    assert replace(first, extends=("x",)).id != first.id
