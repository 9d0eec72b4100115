"""hit: whether any of the first k documents is relevant."""

import pytest

from ._cases import Case, assert_agrees, close, relevant, score, summary


def plain(ranked, missed, k=None, rel=None):
    """Is there one?"""
    return float(any(relevant(grade, rel) for grade in ranked[:k]))


def test_by_hand():
    assert score("hit@2", [0, 0, 1]) == 0
    assert score("hit@3", [0, 0, 1]) == 1
    assert summary("hit@1", [Case([1]), Case([0]), Case([2, 1])]) == close(2 / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("hit@5", [], [1], 0),
        ("hit@5", [0, None, -1], [], 0),
        ("hit@5", [1], [], 1),
        ("hit", [None] * 50 + [1], [], 1),  # without a cutoff the whole ranking counts
        ("hit(rel=2)@2", [1, 1, 2], [], 0),
        ("hit(judged_only=true)@1", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == wanted


def test_agrees_with_a_plain_loop():
    assert_agrees("hit", plain)
    assert_agrees("hit@2", plain, k=2)
    assert_agrees("hit(rel=3)@5", plain, k=5, rel=3)
