"""err: expected reciprocal of the rank at which a user going down the list is satisfied."""

from itertools import chain, pairwise, permutations, product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay

from ._cases import TOP, assert_agrees, close, score


def plain(ranked, missed, k=None, top=TOP):
    """Follow the user down: at each rank they are satisfied, or go on."""
    still_reading, expected = 1.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        satisfied = (2 ** min(max(grade or 0, 0), top) - 1) / 2**top
        expected += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return expected


def test_by_hand():
    # with grades up to 2 a document of grade 2 satisfies with 3/4, of grade 1 with 1/4
    assert score("err", [1, None, 2]) == close(1 / 4 + 3 / 4 * 3 / 4 / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("err", [], [1], 0),
        ("err", [0, None, -1], [], 0),
        ("err", [1], [], 1 / 2),  # even the best document leaves a doubt
        ("err@1", [0, 1], [], 0),
        ("err@9", [0, 1], [], 1 / 4),
        ("err", [1], [4], 1 / 16),  # the scale is that of all judgments, retrieved or not
        ("err(max_grade=1)", [4], [], 1 / 2),  # a grade above the scale is its top
        ("err(judged_only=true)", [None, 1], [], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_top_of_the_scale():
    assert score("err", [1], max_grade=4) == close(1 / 16)
    assert score("err(max_grade=2)", [1], max_grade=4) == close(1 / 4)


def test_a_thousand_perfect_documents_are_no_trouble():
    assert score("err", [4] * 1000) == close(plain([4] * 1000, []))


def test_agrees_with_a_plain_loop():
    assert_agrees("err", plain)
    assert_agrees("err@3", plain, k=3)
    assert_agrees("err(max_grade=2)@10", plain, k=10, top=2)


def tied_err(groups, k, top=4):
    """The mean over all orders of equals, each order followed down one by one."""
    every = [list(chain.from_iterable(choice)) for choice in product(*map(permutations, groups))]
    return sum(plain(order, [], k, top) for order in every) / len(every)


def expected_err(groups, k=None, top=4):
    docs = [(f"{place}.{nth}", -place, grade) for place, group in enumerate(groups) for nth, grade in enumerate(group)]
    qrels = {"q": {doc: grade for doc, _, grade in docs if grade is not None} | {"missed": top}}
    name = "err" if k is None else f"err@{k}"
    run = {"q": {doc: float(score) for doc, score, _ in docs}}
    return assay.evaluate(qrels, run, name, policy=assay.Policy(ties="expected", max_grade=top))[name]


GROUPS = st.lists(st.lists(st.sampled_from([None, -1, 0, 1, 2, 3.5, 4]), min_size=1, max_size=6), min_size=1, max_size=3)


@given(GROUPS.filter(lambda groups: sum(map(len, groups)) <= 7), st.sampled_from([None, 1, 2, 3, 4, 6]))
@settings(max_examples=60, deadline=None)
def test_the_mean_over_ties_is_that_of_every_order(groups, k):
    assert expected_err(groups, k) == close(tied_err(groups, k))


@pytest.mark.parametrize("k", [None, 10])
def test_many_equals_with_many_stops_are_no_trouble(k):
    """80 perfect documents among 200 equals: at each place the chance to get on is that of all orders alike."""
    group = [4] * 80 + [None] * 120
    chances = [  # how many of the first so many are perfect is hypergeometric
        sum(hypergeometric(found, place) * (1 / 16) ** found for found in range(min(place, 80) + 1))
        for place in range((k or 200) + 1)
    ]
    wanted = sum((before - after) / rank for rank, (before, after) in enumerate(pairwise(chances), 1))
    assert expected_err([group], k) == close(wanted)


def hypergeometric(found, drawn, special=80, total=200):
    others = drawn - found
    if others > total - special:
        return 0.0
    return comb(special, found) * comb(total - special, others) / comb(total, drawn)


def test_a_scale_so_long_that_a_document_hardly_ever_satisfies():
    """Next to nothing is lost to rounding: two equals at a chance of 2⁻⁴⁰ each, to nine digits of what they add up to."""
    chance = (2**1 - 1) / 2**40
    wanted = chance * (1 + (1 - chance) / 2)
    assert expected_err([[1, 1]], top=40) == pytest.approx(wanted, rel=1e-9, abs=0)
