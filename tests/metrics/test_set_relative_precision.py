"""set_relative_precision: relevant documents retrieved, as a share of the most that could have been."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, rel=None):
    """Count, and divide by the smaller of what was retrieved and what there is."""
    most = min(len(ranked), n_relevant(ranked, missed, rel))
    return sum(relevant(grade, rel) for grade in ranked) / most if most else 0.0


def test_by_hand():
    assert score("set_relative_precision", [1, 0], [1, 1]) == close(1 / 2)
    assert score("set_relative_precision", [1, 0, None], [1]) == close(1 / 2)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("set_relative_precision", [], [1], 0),
        ("set_relative_precision", [0, None, -1], [], 0),
        ("set_relative_precision", [1], [1, 1], 1),
        ("set_relative_precision(rel=2)", [1, 2], [2, 2], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("set_relative_precision", plain)
    assert_agrees("set_relative_precision(rel=2)", plain, rel=2)
