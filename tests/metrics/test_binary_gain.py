"""bing: each relevant document, discounted by the number of non-relevant ones above it."""

from math import log2

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, rel=None):
    """Count the others on the way down."""
    others, total = 0, 0.0
    for grade in ranked:
        if relevant(grade, rel):
            total += 1 / log2(2 + others)
        else:
            others += 1
    return total / max(n_relevant(ranked, missed, rel), 1)


def test_by_hand():
    # above the three relevant documents stand 0, 1 and 3 others; one relevant document is missing
    assert score("bing", [1, 0, 1, 0, None, 1], [1]) == close((1 / log2(2) + 1 / log2(3) + 1 / log2(5)) / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("bing", [], [1], 0),
        ("bing", [0, None, -1], [], 0),
        ("bing", [1, 3, 2], [0], 1),
        ("bing", [-1, 1], [], 1 / log2(3)),
        ("bing(rel=2)", [1, 2], [], 1 / log2(3)),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("bing", plain)
    assert_agrees("bing(rel=2)", plain, rel=2)
