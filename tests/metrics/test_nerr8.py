"""nerr8: gain per document inspected by a user who stops when satisfied, at rank k at the latest."""

import pytest

from ._cases import TOP, assert_agrees, close, gain_per_document, padded, score, share_of_top


def plain(ranked, missed, k, low=0, top=TOP):
    """Follow the user through k ranks."""
    return gain_per_document(padded([share_of_top(grade, low, top) for grade in ranked], k), lambda rank, gain: 1 - gain)


def test_by_hand():
    # gains 1/2, 0, 1: rank 2 is reached with 1/2, rank 3 too, rank 4 never
    assert score("nerr8@4", [1, None, 2, 2]) == close((1 / 2 + 1 / 2) / (1 + 1 / 2 + 1 / 2))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("nerr8@5", [], [1], 0),
        ("nerr8@5", [0, None, -1], [], 0),
        ("nerr8@5", [1], [], 1),
        ("nerr8@1", [0, 1], [], 0),
        ("nerr8@4", [0, 1], [], 1 / 2),
        ("nerr8(max_grade=2)@2", [1], [], 1 / 2 / (1 + 1 / 2)),  # past the end nothing is gained, but it is read
        ("nerr8(min_grade=1)@1", [2], [3], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_top_of_the_scale():
    assert score("nerr8@1", [1], max_grade=4) == close(1 / 4)


def test_agrees_with_a_plain_loop():
    assert_agrees("nerr8@5", plain, k=5)
    assert_agrees("nerr8(min_grade=1, max_grade=3)@20", plain, k=20, low=1, top=3)
