"""precision: share of the first k ranks that hold a relevant document."""

import pytest

from ._cases import assert_agrees, close, relevant, score


def plain(ranked, missed, k, rel=None, over_retrieved=False):
    """Count, and divide by k or by what is there."""
    places = len(ranked[:k]) if over_retrieved else k
    return sum(relevant(grade, rel) for grade in ranked[:k]) / places if places else 0.0


def test_by_hand():
    assert score("precision@4", [1, 0, None, 2, 1], [1]) == close(2 / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("precision@5", [], [1], 0),
        ("precision(over=retrieved)@5", [], [1], 0),
        ("precision@5", [0, None, -1], [], 0),
        ("precision@10", [1, 0, 1, None], [], 2 / 10),  # a short ranking is still divided by k
        ("precision(over=retrieved)@10", [1, 0, 1, None], [], 2 / 4),
        ("precision(over=retrieved)@2", [1, 0, 1, None], [], 1 / 2),
        ("precision(rel=2)@2", [1, 2], [], 1 / 2),
        ("precision(judged_only=true)@1", [-1, 1], [], 1),
        ("precision@1", [0.5], [], 1),  # any grade above 0 is relevant
        ("precision(rel=1)@1", [0.5], [], 0),
        ("precision(rel=0)@3", [0, None, -1], [], 1 / 3),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_level_unless_the_metric_does():
    assert score("precision@2", [1, 2], rel=2) == close(1 / 2)
    assert score("precision(rel=1)@2", [1, 2], rel=2) == 1


def test_agrees_with_a_plain_loop():
    assert_agrees("precision@5", plain, k=5)
    assert_agrees("precision(rel=2, over=retrieved)@10", plain, k=10, rel=2, over_retrieved=True)
