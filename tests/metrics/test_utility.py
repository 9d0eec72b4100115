"""utility: a linear account of the four cells retrieved × relevant."""

import pytest

from ._cases import Case, assert_agrees, close, n_relevant, relevant, score, summary


def plain(ranked, missed, weights=(1, -1, 0, 0), collection=0, rel=None):
    """Fill the four cells and weigh them."""
    found = sum(relevant(grade, rel) for grade in ranked)
    other = len(ranked) - found
    lost = n_relevant(ranked, missed, rel) - found
    cells = (found, other, lost, collection - found - other - lost)
    return sum(weight * cell for weight, cell in zip(weights, cells, strict=True))


def test_by_hand():
    # found 2, retrieved 3 others, missed 1, and 100 − 6 others were rightly left alone
    ranked, missed = [1, 0, None, 2, -1], [1, 0]
    assert score("utility", ranked, missed) == 2 - 3
    assert score("utility(weights=[3, -2, -1, 0.5], collection=100)", ranked, missed) == close(
        3 * 2 - 2 * 3 - 1 * 1 + 0.5 * 94
    )


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("utility", [], [1], 0),
        ("utility", [0, None, -1], [], -3),
        ("utility.1,0,-1,0", [], [1, 1], -2),
        ("utility(rel=2)", [1, 2], [], 0),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_queries_are_averaged():
    assert summary("utility", [Case([1, 1]), Case([0])]) == close((2 - 1) / 2)


def test_agrees_with_a_plain_loop():
    assert_agrees("utility", plain)
    assert_agrees(
        "utility(weights=[2, -0.5, -1, 0.25], collection=500, rel=2)",
        plain,
        weights=(2, -0.5, -1, 0.25),
        collection=500,
        rel=2,
    )
