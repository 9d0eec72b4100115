"""set_precision: share of everything retrieved that is relevant."""

import pytest

from ._cases import assert_agrees, close, relevant, score


def plain(ranked, missed, rel=None):
    """Count, and divide by what was retrieved."""
    return sum(relevant(grade, rel) for grade in ranked) / len(ranked) if ranked else 0.0


def test_by_hand():
    assert score("set_precision", [1, 0, None, 1, -1], [1]) == close(2 / 5)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("set_precision", [], [1], 0),
        ("set_precision", [0, None, -1], [], 0),
        ("set_precision", [1], [1], 1),
        ("set_precision(rel=2)", [1, 2], [], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("set_precision", plain)
    assert_agrees("set_precision(rel=2)", plain, rel=2)
