"""set_map: set precision times set recall."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, rel=None):
    """Work out both, and multiply."""
    found = sum(relevant(grade, rel) for grade in ranked)
    return found / len(ranked) * found / n_relevant(ranked, missed, rel) if found else 0.0


def test_by_hand():
    # precision 2/3, recall 2/4
    assert score("set_map", [1, 0, 1], [1, 1]) == close(2 / 3 * 2 / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("set_map", [], [1], 0),
        ("set_map", [0, None, -1], [], 0),
        ("set_map", [2, 1], [0], 1),
        ("set_map(rel=2)", [1, 2], [], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("set_map", plain)
    assert_agrees("set_map(rel=2)", plain, rel=2)
