"""bpm: gain per document inspected by a user who stops once they have t, or after k documents."""

from itertools import accumulate

import pytest

from ._cases import TOP, assert_agrees, close, padded, score, share_of_top


def plain(ranked, missed, k, t=1.0, low=0, top=TOP):
    """Read until there is enough."""
    totals = list(accumulate(padded([share_of_top(grade, low, top) for grade in ranked], k)))
    stop = next((rank for rank, total in enumerate(totals, 1) if total >= t), k)
    return totals[stop - 1] / stop


def test_by_hand():
    # gains 1/4, 0, 1: after three documents the user has 5/4 of the 1 they want
    assert score("bpm(max_grade=4)@10", [1, None, 4, 4]) == close(5 / 4 / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("bpm@5", [], [1], 0),
        ("bpm@5", [0, None, -1], [], 0),  # with no grade above 0 nothing can be gained
        ("bpm@5", [1], [], 1),
        ("bpm(t=2)@5", [1], [], 1 / 5),  # never satisfied, so all five ranks are read
        ("bpm@2", [0, 1, 1], [], 1 / 2),
        ("bpm(min_grade=1)@5", [1, 3], [], 1 / 2),
        ("bpm(max_grade=1)@5", [3], [], 1),  # a grade above the scale is its top
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_scale_ends_at_the_largest_grade_of_all_judgments():
    assert score("bpm@5", [2], [4]) == close(2 / 4 / 5)
    assert score("bpm@5", [2], [4], max_grade=2) == 1


def test_agrees_with_a_plain_loop():
    assert_agrees("bpm@5", plain, k=5)
    assert_agrees("bpm(t=2)@10", plain, k=10, t=2)
    assert_agrees("bpm(min_grade=1, max_grade=3)@6", plain, k=6, low=1, top=3)
