"""err and nerr, and the mean of err over the orders of equal scores."""

from itertools import chain, pairwise, permutations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay

from ._cases import TOP, assert_agrees, assert_worked_out, close, each_metric, score

WORKED_OUT = [  # metric, grades down the ranking, grades of what was missed, score
    # with grades up to 2 a document of grade 2 satisfies with 3/4, of grade 1 with 1/4
    ("err", [1, None, 2], [], 1 / 4 + 3 / 4 * 3 / 4 / 3),
    ("err", [1], [], 1 / 2),  # even the best document leaves a doubt
    ("err@1", [0, 1], [], 0),
    ("err@9", [0, 1], [], 1 / 4),
    ("err", [1], [4], 1 / 16),  # the scale is that of all judgments, retrieved or not
    ("err(max_grade=1)", [4], [], 1 / 2),  # a grade above the scale is its top
    ("err(judged_only=true)", [None, 1], [], 1 / 2),
    ("err", [1], [], 1 / 16, {"max_grade": 4}),  # the policy sets the top of the scale
    ("err(max_grade=2)", [1], [], 1 / 4, {"max_grade": 4}),  # … unless the metric does
    ("nerr", [1, 2, 0], [], (1 / 4 + 3 / 4 * 3 / 4 / 2) / (3 / 4 + 1 / 4 * 1 / 4 / 2)),
    ("nerr", [3, 2, 1], [], 1),
    ("nerr@1", [1], [1], 1),
    ("nerr", [1], [1], (1 / 2) / (1 / 2 + 1 / 2 * 1 / 2 / 2)),
    ("nerr(max_grade=1)", [1, 4], [], 1),  # grades above the scale are its top
    ("nerr(judged_only=true)", [None, 1], [], 1),
]


def err(ranked, missed, k=None, top=TOP):
    """Follow the user down: at each rank they are satisfied, or go on."""
    still_reading, expected = 1.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        satisfied = (2 ** min(max(grade or 0, 0), top) - 1) / 2**top
        expected += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return expected


def nerr(ranked, missed, k=None, top=TOP):
    """The err of the ranking ÷ the err of all grades sorted."""
    best = err(sorted((grade for grade in [*ranked, *missed] if grade is not None), reverse=True), [], k, top)
    return err(ranked, missed, k, top) / best if best else 0.0


REFERENCES = [
    ("err", err, {}),
    ("err@3", err, {"k": 3}),
    ("err(max_grade=2)@10", err, {"k": 10, "top": 2}),
    ("nerr", nerr, {}),
    ("nerr@3", nerr, {"k": 3}),
    ("nerr(max_grade=2)@10", nerr, {"k": 10, "top": 2}),
]


@each_metric(WORKED_OUT)
def test_worked_out_by_hand(rows):
    assert_worked_out(rows)


@each_metric(REFERENCES)
def test_agrees_with_a_plain_loop(rows):
    assert_agrees(rows)


def test_a_thousand_perfect_documents_are_no_trouble():
    assert score("err", [4] * 1000) == close(err([4] * 1000, []))


def expected_err(groups, k=None, top=4):
    """The err of groups of equals, as the policy `expected` has it."""
    docs = [(f"{place}.{nth}", -place, grade) for place, group in enumerate(groups) for nth, grade in enumerate(group)]
    qrels = {"q": {doc: grade for doc, _, grade in docs if grade is not None} | {"missed": top}}
    name = "err" if k is None else f"err@{k}"
    run = {"q": {doc: float(score) for doc, score, _ in docs}}
    return assay.evaluate(qrels, run, name, policy=assay.Policy(ties="expected", max_grade=top))[name]


GROUPS = st.lists(st.lists(st.sampled_from([None, -1, 0, 1, 2, 3.5, 4]), min_size=1, max_size=6), min_size=1, max_size=3)


@given(GROUPS.filter(lambda groups: sum(map(len, groups)) <= 6), st.sampled_from([None, 1, 2, 3, 4, 6]))
def test_the_mean_over_ties_is_that_of_every_order(groups, k):
    every = [list(chain.from_iterable(choice)) for choice in product(*map(permutations, groups))]
    assert expected_err(groups, k) == close(sum(err(order, [], k, 4) for order in every) / len(every))


@pytest.mark.parametrize("k", [None, 10])
def test_many_equals_with_many_stops_are_no_trouble(k):
    """80 perfect documents among 200 equals: at each place the chance to get on is that of all orders alike."""
    chances = [  # how many of the first so many are perfect is hypergeometric
        sum(hypergeometric(found, place) * (1 / 16) ** found for found in range(min(place, 80) + 1))
        for place in range((k or 200) + 1)
    ]
    expected = sum((before - after) / rank for rank, (before, after) in enumerate(pairwise(chances), 1))
    assert expected_err([[4] * 80 + [None] * 120], k) == close(expected)


def hypergeometric(found, drawn, special=80, total=200):
    others = drawn - found
    if others > total - special:
        return 0.0
    return comb(special, found) * comb(total - special, others) / comb(total, drawn)


def test_a_scale_so_long_that_a_document_hardly_ever_satisfies():
    """Next to nothing is lost to rounding: two equals at a chance of 2⁻⁴⁰ each, to nine digits of what they add up to."""
    chance = (2**1 - 1) / 2**40
    assert expected_err([[1, 1]], top=40) == pytest.approx(chance * (1 + (1 - chance) / 2), rel=1e-9, abs=0)
