"""set_f: weighted harmonic mean of set precision and set recall, with trec_eval's weight."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, rel=None, beta=1):
    """Work out precision and recall, then combine them with β as it is."""
    found = sum(relevant(grade, rel) for grade in ranked)
    if not found:
        return 0.0
    p, r = found / len(ranked), found / n_relevant(ranked, missed, rel)
    return (beta + 1) * p * r / (r + beta * p)


def test_by_hand():
    # precision 1/2, recall 1/4
    assert score("set_f", [1, 0], [1, 1, 1]) == close(2 * 1 / 2 * 1 / 4 / (1 / 4 + 1 / 2))


def test_beta_is_not_squared():
    """The textbook's F2 would be 5/18."""
    assert score("set_f(beta=2)", [1, 0], [1, 1, 1]) == close(3 * 1 / 2 * 1 / 4 / (1 / 4 + 2 * 1 / 2))
    assert score("set_f(beta=4)", [1, 0], [1, 1, 1]) == close(5 / 18)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("set_f", [], [1], 0),
        ("set_f", [0, None, -1], [], 0),
        ("set_f", [0, None], [1], 0),
        ("set_f", [1, 2], [0], 1),
        ("set_f(rel=2)", [1, 2], [], 2 / 3),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("set_f", plain)
    assert_agrees("set_f(beta=0.5, rel=2)", plain, rel=2, beta=0.5)
