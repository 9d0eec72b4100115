"""unjudged: share of the first k ranks that hold a document nobody judged."""

import pytest

from ._cases import assert_agrees, close, score


def plain(ranked, missed, k):
    """Count those without a grade from 0 up, and divide by k."""
    return sum(grade is None or grade < 0 for grade in ranked[:k]) / k


def test_by_hand():
    assert score("unjudged@4", [1, None, 0, -1, None]) == close(2 / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("unjudged@5", [], [1], 0),  # a rank that holds nothing holds nothing unjudged
        ("unjudged@5", [1, None, 3, 0], [], 1 / 5),
        ("unjudged@10", [1, None, 3, 0], [], 1 / 10),
        ("unjudged@2", [-1, None], [], 1),  # a negative grade is no judgment, as in trec_eval 10
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("unjudged@5", plain, k=5)
    assert_agrees("unjudged@20", plain, k=20)
