"""gm_bpref: bpref combined by the geometric mean."""

from math import sqrt

from ._cases import Case, assert_agrees, close, score, summary
from .test_bpref import plain


def test_by_hand():
    # bpref 1/2 and 1/8
    cases = [Case([1, 0], [1]), Case([1, 0], [1] * 7)]
    assert summary("gm_bpref", cases) == close(sqrt(1 / 2 * 1 / 8))


def test_no_query_counts_as_less_than_a_hundred_thousandth():
    assert summary("gm_bpref", [Case([1]), Case([], [1])]) == close(sqrt(1 * 0.00001))


def test_the_score_of_a_query_is_its_bpref():
    assert score("gm_bpref", [], [1]) == 0
    assert score("gm_bpref", [0], []) == 0
    assert_agrees("gm_bpref", plain)
    assert_agrees("gm_bpref(rel=2)", plain, rel=2)
