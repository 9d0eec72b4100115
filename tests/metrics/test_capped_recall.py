"""capped_recall: relevant documents in the first k, as a share of the most that could be there."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, k, rel=None):
    """Count, and divide by the smaller of k and R."""
    most = min(k, n_relevant(ranked, missed, rel))
    return sum(relevant(grade, rel) for grade in ranked[:k]) / most if most else 0.0


def test_by_hand():
    assert score("capped_recall@2", [1, 0, 1], [1, 1]) == close(1 / 2)
    assert score("capped_recall@5", [1, 0, 1], [1, 1]) == close(2 / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("capped_recall@3", [], [1], 0),
        ("capped_recall@3", [0, None, -1], [], 0),
        ("capped_recall@3", [1], [], 1),
        ("capped_recall(rel=2)@1", [1, 2], [2], 0),
        ("capped_recall(judged_only=true)@1", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("capped_recall@3", plain, k=3)
    assert_agrees("capped_recall(rel=2)@10", plain, k=10, rel=2)
