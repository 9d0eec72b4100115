"""Inside the dynamic Bayesian network: its E-step against all possible users, its likelihood, and what it counts.

It reaches into `assay.logs`, because judgments show only the last step of the estimation.
"""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest
from benchmarks.simulate_clicks import simulate

from assay.logs.click_tails import read_tails
from assay.logs.dynamic_bayesian import Users, estimate_users, expect, posterior, step
from assay.logs.impressions import create_impressions
from assay.logs.log_table import open_log
from assay.logs.searches import create_searches

from ._plain import HAND, repeated


def tails_of(log, least=1):
    with open_log(log) as opened:
        shape = create_impressions(opened)
        create_searches(opened, shape, (), 0)
        return read_tails(opened, least)


def every_user(docs, attracts, satisfies, go):
    """All that can happen in one search, with its probability: clicks, looks, satisfying documents, steps to the next."""
    choices = list(itertools.product((False, True), repeat=3 * len(docs)))
    for choice in choices:
        attracted, satisfied, goes_on = (choice[part::3] for part in range(3))
        probability, clicks, looks, ends, tried, continued = 1.0, [], [], [], 0, 0
        for place, doc in enumerate(docs):
            for event, chance in (
                (attracted[place], attracts[doc]),
                (satisfied[place], satisfies[doc]),
                (goes_on[place], go),
            ):
                probability *= chance if event else 1 - chance
        for place, doc in enumerate(docs):
            looks.append(doc)
            if attracted[place]:
                clicks.append(doc)
                if satisfied[place]:
                    ends.append(doc)
                    break
            if place + 1 == len(docs):
                break
            tried += 1
            if not goes_on[place]:
                break
            continued += 1
        yield probability, (tuple(clicks), looks, ends, tried, continued)


@pytest.mark.parametrize("seed", range(6))
def test_the_e_step_is_the_mean_over_all_possible_users(seed):
    draw = random.Random(seed)
    docs = "abcd"
    attracts, satisfies = ({doc: draw.uniform(0.1, 0.9) for doc in docs} for _ in range(2))
    go = draw.uniform(0.3, 0.95)
    log = []
    for _ in range(12):
        shown = draw.sample(docs, draw.randrange(1, 5))
        log += repeated("q", shown, ("".join(doc for doc in shown if draw.random() < 0.4), draw.randrange(1, 4)))
    tails = tails_of(log)
    names = tails.counts.document
    users = Users(
        np.array([*(attracts[name] for name in names), 0.5]), np.array([*(satisfies[name] for name in names), 0.5]), go
    )
    looked, ended = dict.fromkeys(docs, 0.0), dict.fromkeys(docs, 0.0)
    tried = continued = likelihood = 0.0
    for search in log:
        shown, clicks = search["shown"], tuple(search["clicks"])
        possible = [(p, what) for p, what in every_user(shown, attracts, satisfies, go) if what[0] == clicks]
        total = sum(p for p, _ in possible)
        likelihood += math.log(total)
        for p, (_, looks, ends, n_tried, n_continued) in possible:
            tried += p / total * n_tried
            continued += p / total * n_continued
            for doc in looks:
                looked[doc] += p / total
            for doc in ends:
                ended[doc] += p / total
    found = expect(tails, users)
    prior = np.log(users.satisfies * (1 - users.satisfies)).sum()
    assert found.log_posterior == pytest.approx(likelihood + prior)
    assert found.examined[:-1] == pytest.approx([looked[name] for name in names])
    assert found.satisfied[:-1] == pytest.approx([ended[name] for name in names])
    assert (found.tried, found.continued) == pytest.approx((tried, continued))


def test_slopes_are_those_of_the_likelihood():
    tails = tails_of([*repeated("q", "abc", ("a", 5), ("", 4), ("b", 3)), *repeated("q", "cab", ("c", 2), ("ca", 1))])
    users = Users(np.array([0.4, 0.3, 0.6, 0.5]), np.array([0.3, 0.6, 0.4, 0.5]), 0.8)
    small = 1e-6
    prior = 1 / users.satisfies - 1 / (1 - users.satisfies)
    slope = tails.of_last(posterior(tails, users).slope) - (tails.clicked - tails.n_last) / (1 - users.satisfies) + prior
    for pair in range(3):
        moved = users._replace(satisfies=users.satisfies + small * (np.arange(4) == pair))
        difference = expect(tails, moved).log_posterior - expect(tails, users).log_posterior
        assert slope[pair] == pytest.approx(difference / small, rel=1e-3)


@pytest.mark.parametrize("persistence", [None, 0.7, 1.0])
def test_no_step_makes_the_parameters_less_likely_and_longer_steps_reach_the_same_maximum(persistence):
    columns, *_ = simulate(20_000, 0, seed=3, cascade=True, persistence=0.8)
    log = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    tails = tails_of(log)
    n = tails.n_pairs
    users = Users(np.full(n, 0.3), np.full(n, 0.5), persistence or 0.9).inside()
    values = []
    for _ in range(300):
        found = expect(tails, users)
        values.append(found.log_posterior)
        users = step(tails, users, found, persistence)
    assert (np.diff(values) > -1e-7).all()
    best = expect(tails, estimate_users(tails, persistence)).log_posterior
    assert best >= values[-1] - 1e-3


def test_documents_that_were_shown_too_seldom_share_one_estimate():
    rare = [*repeated("q", "axb", ("a", 1)), *repeated("q", "yab", ("", 1)), *repeated("other", "xyz", ("z", 3))]
    tails = tails_of([*HAND, *rare], least=10)
    assert tails.counts.document == ("a", "b")
    assert tails.counts.n_seen == 7
    assert tails.n_pairs == 3
    assert (tails.shown.tolist(), tails.clicked.tolist()) == ([82, 82, 2], [21, 35, 0])
    assert tails.weight.sum() == 82


def test_the_same_searches_are_counted_once_in_any_order():
    tails = tails_of(HAND)
    assert sorted(tails.weight.tolist()) == [15, 30, 35]
    assert tails.lengths.tolist() == [2, 1]
    shuffled = random.Random(1).sample(HAND, len(HAND))
    assert tails_of(shuffled).counts.digest == tails.counts.digest
    assert tails_of([*HAND, HAND[0]]).counts.digest != tails.counts.digest


def test_holes_and_ties_in_ranks_and_clicks_outside_the_list():
    rows = [
        {"search_id": "s", "query": "q", "doc_id": doc, "rank": rank, "clicked": clicked}
        for doc, rank, clicked in (("a", 1, 0), ("b", 4, 1), ("c", 4, 0), ("d", 9, 0), ("e", None, 1))
    ]
    tails = tails_of(rows)
    assert tails.counts.document == ("a", "b", "c", "d")
    assert (tails.last.tolist(), tails.pair.tolist()) == ([1], [2, 3])
    assert tails.certain.tolist() == [1, 1, 0, 0, 0]
