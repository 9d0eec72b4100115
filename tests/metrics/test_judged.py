"""judged: share of the first k retrieved documents that have a judgment at all."""

import pytest

from ._cases import assert_agrees, close, score


def plain(ranked, missed, k=None):
    """Count those with a grade, whatever it is."""
    top = ranked[:k]
    return sum(grade is not None for grade in top) / len(top) if top else 0.0


def test_by_hand():
    assert score("judged@4", [1, None, 0, -1, None]) == close(3 / 4)
    assert score("judged", [1, None, 0, -1, None]) == close(3 / 5)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("judged@5", [], [1], 0),
        ("judged@5", [None], [1], 0),
        ("judged@10", [1, 1, 0, None], [], 3 / 4),  # ÷ what was retrieved, not ÷ k
        ("judged@2", [-1, -2], [], 1),  # a negative grade is a judgment here, as in ir_measures
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("judged", plain)
    assert_agrees("judged@5", plain, k=5)
