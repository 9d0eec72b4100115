"""inst: gain per document inspected by a user who wants t and reads on more readily the less they have."""

import pytest

from ._cases import TOP, assert_agrees, close, gain_per_document, padded, score, share_of_top


def plain(ranked, missed, t=1.0, low=0, top=TOP, depth=1000):
    """Follow the user down, past the end of the ranking, and remember what they have."""
    has = 0.0

    def go_on(rank, gain):
        nonlocal has
        has += gain
        c = rank + t + (t - has)
        return ((c - 1) / c) ** 2

    return gain_per_document(padded([share_of_top(grade, low, top) for grade in ranked], depth), go_on)


def test_by_hand():
    # c is 1 + 2 − 1 = 2 after a perfect first document, so the second is read with (1/2)²;
    # c is then 2 + 2 − 1 = 3, so the third is read with (1/2)² · (2/3)²
    reach_2, reach_3 = 1 / 4, 1 / 4 * 4 / 9
    assert score("inst(depth=3)", [2, None, 1]) == close((1 + reach_3 / 2) / (1 + reach_2 + reach_3))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("inst", [], [1], 0),
        ("inst", [0, None, -1], [], 0),
        ("inst(depth=1)", [1, 0], [], 1),
        ("inst(depth=1)", [0, 1], [], 0),
        ("inst(depth=1, max_grade=2)", [1], [], 1 / 2),
        ("inst(depth=1, min_grade=1)", [2], [3], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_top_of_the_scale():
    assert score("inst(depth=1)", [1], max_grade=4) == close(1 / 4)


def test_agrees_with_a_plain_loop():
    assert_agrees("inst", plain)
    assert_agrees("inst(t=3, min_grade=1, max_grade=3, depth=20)", plain, t=3, low=1, top=3, depth=20)
