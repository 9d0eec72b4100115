"""f: weighted harmonic mean of precision and recall within the first k."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, k, rel=None, beta=1):
    """Work out precision and recall, then combine them as the textbook does."""
    found = sum(relevant(grade, rel) for grade in ranked[:k])
    if not found:
        return 0.0
    p, r = found / k, found / n_relevant(ranked, missed, rel)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def test_by_hand():
    # precision 2/5, recall 2/3
    assert score("f1@5", [1, 0, 1], [1]) == close(2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3))
    assert score("f(beta=2)@5", [1, 0, 1], [1]) == close(5 * (2 / 5) * (2 / 3) / (4 * 2 / 5 + 2 / 3))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("f1@3", [], [1], 0),
        ("f1@3", [0, None, -1], [], 0),
        ("f1@2", [1, 1], [], 1),
        ("f1@2", [0, 0, 1], [], 0),
        ("f1@4", [1], [], 2 * 1 / 4 / (1 / 4 + 1)),  # precision is ÷ k, also of a short ranking
        ("f(rel=2)@1", [1, 2], [], 0),
        ("f(judged_only=true)@1", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("f1@5", plain, k=5)
    assert_agrees("f(beta=0.5, rel=2)@3", plain, k=3, rel=2, beta=0.5)
