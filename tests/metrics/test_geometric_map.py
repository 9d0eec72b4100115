"""gm_map: average precision combined by the geometric mean."""

from math import sqrt

from ._cases import Case, assert_agrees, close, score, summary
from .test_average_precision import plain


def test_by_hand():
    # average precision 1/2 and 1/8
    cases = [Case([0, 1]), Case([1], [1] * 7)]
    assert summary("gm_map", cases) == close(sqrt(1 / 2 * 1 / 8))
    assert summary("map", cases) == close((1 / 2 + 1 / 8) / 2)


def test_no_query_counts_as_less_than_a_hundred_thousandth():
    assert summary("gm_map", [Case([1]), Case([], [1])]) == close(sqrt(1 * 0.00001))


def test_the_score_of_a_query_is_its_average_precision():
    assert score("gm_map", [], [1]) == 0
    assert score("gm_map", [0], []) == 0
    assert_agrees("gm_map", plain)
    assert_agrees("gm_map(rel=2)", plain, rel=2)
