"""insq: gain per document inspected by a user who wants t and reads on more readily the deeper they are."""

import pytest

from ._cases import TOP, assert_agrees, close, gain_per_document, padded, score, share_of_top


def plain(ranked, missed, t=1.0, low=0, top=TOP, depth=1000):
    """Follow the user down, past the end of the ranking."""
    gains = padded([share_of_top(grade, low, top) for grade in ranked], depth)
    return gain_per_document(gains, lambda rank, gain: ((rank + 2 * t - 1) / (rank + 2 * t)) ** 2)


def test_by_hand():
    # with t = 1 the user goes on with (2/3)² after rank 1 and (3/4)² after rank 2, so reaches rank 3 with (2/4)²
    read = 1 + (2 / 3) ** 2 + (2 / 4) ** 2
    assert score("insq(depth=3)", [2, None, 1]) == close((1 + (2 / 4) ** 2 * 1 / 2) / read)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("insq", [], [1], 0),
        ("insq", [0, None, -1], [], 0),
        ("insq(depth=1)", [1, 0], [], 1),
        ("insq(depth=1)", [0, 1], [], 0),
        ("insq(depth=1, max_grade=2)", [1], [], 1 / 2),
        ("insq(depth=1, min_grade=1)", [2], [3], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_top_of_the_scale():
    assert score("insq(depth=1)", [1], max_grade=4) == close(1 / 4)


def test_agrees_with_a_plain_loop():
    assert_agrees("insq", plain)
    assert_agrees("insq(t=3, min_grade=1, max_grade=3, depth=20)", plain, t=3, low=1, top=3, depth=20)
