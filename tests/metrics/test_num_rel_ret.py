"""num_rel_ret: how many relevant documents were retrieved."""

import pytest

from ._cases import Case, assert_agrees, relevant, score, summary


def plain(ranked, missed, k=None, rel=None):
    """Count them."""
    return sum(relevant(grade, rel) for grade in ranked[:k])


def test_by_hand():
    assert score("num_rel_ret", [1, None, 0, 2], [3]) == 2
    assert summary("num_rel_ret", [Case([1]), Case([2, 2])]) == 3


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("num_rel_ret", [], [1], 0),
        ("num_rel_ret", [0, None, -1], [], 0),
        ("num_rel_ret@1", [1, 1], [], 1),
        ("num_rel_ret@9", [1, 1], [], 2),
        ("num_rel_ret(rel=2)", [1, 2], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == wanted


def test_agrees_with_a_plain_loop():
    assert_agrees("num_rel_ret", plain)
    assert_agrees("num_rel_ret(rel=2)@5", plain, k=5, rel=2)
