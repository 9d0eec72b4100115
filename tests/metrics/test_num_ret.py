"""num_ret: how many documents were retrieved."""

import pytest

from ._cases import Case, assert_agrees, relevant, score, summary


def plain(ranked, missed, rel=None):
    """Count all, or those with the grade."""
    return len(ranked) if rel is None else sum(relevant(grade, rel) for grade in ranked)


def test_by_hand():
    assert score("num_ret", [1, None, 0, -1], [1, 1]) == 4
    assert summary("num_ret", [Case([1]), Case([None, None])]) == 3


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("num_ret", [], [1], 0),
        ("num_ret(rel=1)", [1, None, 0, 2], [], 2),
        ("num_ret(rel=2)", [1, None, 0, 2], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == wanted


def test_the_level_of_the_policy_does_not_matter():
    assert score("num_ret", [1, None], rel=2) == 2


def test_condensed_rankings_are_shorter():
    assert score("num_ret", [1, None, -1, 0], judged_only=True) == 2


def test_agrees_with_a_plain_loop():
    assert_agrees("num_ret", plain)
    assert_agrees("num_ret(rel=1)", plain, rel=1)
