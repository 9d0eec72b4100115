"""recall: share of the relevant documents that are among the first k."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, k=None, rel=None):
    """Count what was found, of what there is."""
    total = n_relevant(ranked, missed, rel)
    return sum(relevant(grade, rel) for grade in ranked[:k]) / total if total else 0.0


def test_by_hand():
    assert score("recall@3", [1, 0, 2, 1], [1]) == close(2 / 4)
    assert score("recall", [1, 0, 2, 1], [1]) == close(3 / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("recall@5", [], [1], 0),
        ("recall@5", [0, None, -1], [], 0),
        ("recall@5", [1], [1], 1 / 2),
        ("recall@1", [1, 1], [], 1 / 2),  # a full score is out of reach where k is below R
        ("recall(rel=2)@2", [1, 2], [2], 1 / 2),
        ("recall(judged_only=true)@1", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("recall", plain)
    assert_agrees("recall(rel=2)@5", plain, k=5, rel=2)
