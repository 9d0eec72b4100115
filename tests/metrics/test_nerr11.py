"""nerr11: gain per document inspected by a user who wants t documents' worth and stops when satisfied."""

import pytest

from ._cases import TOP, assert_agrees, close, gain_per_document, padded, score, share_of_top


def plain(ranked, missed, t=1.0, low=0, top=TOP, depth=1000):
    """Follow the user down, past the end of the ranking."""
    gains = padded([share_of_top(grade, low, top) for grade in ranked], depth)
    return gain_per_document(gains, lambda rank, gain: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2 * (1 - gain))


def test_by_hand():
    # gains 1/2, 0, 1: rank 2 is reached with (2/3)² · 1/2, rank 3 with (3/4)² of that, rank 4 never
    reach_2, reach_3 = 4 / 9 / 2, 4 / 9 / 2 * 9 / 16
    assert score("nerr11", [1, None, 2, 2]) == close((1 / 2 + reach_3) / (1 + reach_2 + reach_3))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("nerr11", [], [1], 0),
        ("nerr11", [0, None, -1], [], 0),
        ("nerr11", [1], [], 1),
        ("nerr11(depth=2)", [0, 1], [], 4 / 9 / (1 + 4 / 9)),
        ("nerr11(depth=1)", [0, 1], [], 0),
        ("nerr11(depth=1, min_grade=1)", [2], [3], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_top_of_the_scale():
    assert score("nerr11(depth=1)", [1], max_grade=4) == close(1 / 4)


def test_agrees_with_a_plain_loop():
    assert_agrees("nerr11", plain)
    assert_agrees("nerr11(t=3, min_grade=1, max_grade=3, depth=20)", plain, t=3, low=1, top=3, depth=20)
