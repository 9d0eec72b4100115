"""set_recall: share of the relevant documents that were retrieved."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, rel=None):
    """Count what was found, of what there is."""
    total = n_relevant(ranked, missed, rel)
    return sum(relevant(grade, rel) for grade in ranked) / total if total else 0.0


def test_by_hand():
    assert score("set_recall", [1, 0, None, 1], [1]) == close(2 / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("set_recall", [], [1], 0),
        ("set_recall", [0, None, -1], [], 0),
        ("set_recall", [None] * 99 + [1], [], 1),
        ("set_recall(rel=2)", [1, 2], [2], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("set_recall", plain)
    assert_agrees("set_recall(rel=2)", plain, rel=2)
