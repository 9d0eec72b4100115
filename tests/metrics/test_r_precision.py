"""rprec: precision at R, the number of relevant documents of the query."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, rel=None):
    """Look at as many ranks as there are relevant documents."""
    total = n_relevant(ranked, missed, rel)
    return sum(relevant(grade, rel) for grade in ranked[:total]) / total if total else 0.0


def test_by_hand():
    # R = 4, and two of the first four are relevant
    assert score("rprec", [1, None, 0, 2, 1], [1]) == close(2 / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("rprec", [], [1], 0),
        ("rprec", [0, None, -1], [], 0),
        ("rprec", [1], [1, 1], 1 / 3),  # ÷ R, although fewer were retrieved
        ("rprec(rel=2)", [1, 2, 2], [], 1 / 2),
        ("rprec(judged_only=true)", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("rprec", plain)
    assert_agrees("rprec(rel=2)", plain, rel=2)
