"""num_rel: how many relevant documents there are, retrieved or not."""

import pytest

from ._cases import Case, assert_agrees, n_relevant, score, summary


def plain(ranked, missed, rel=None):
    """Count them."""
    return n_relevant(ranked, missed, rel)


def test_by_hand():
    assert score("num_rel", [1, None, 0, 2], [3, 0, -1]) == 3
    assert summary("num_rel", [Case([1]), Case([], [1, 1])]) == 3


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("num_rel", [], [], 0),
        ("num_rel", [0, -1], [0], 0),
        ("num_rel(rel=2)", [1, 2], [3], 2),
        ("num_rel(rel=-1)", [-1, 0], [], 1),  # a negative grade is never relevant
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == wanted


def test_agrees_with_a_plain_loop():
    assert_agrees("num_rel", plain)
    assert_agrees("num_rel(rel=2)", plain, rel=2)
