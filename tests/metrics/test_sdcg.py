"""sdcg: dcg of the first k, as a share of the dcg if all k documents had the largest grade."""

from math import log2

import pytest

from ._cases import TOP, assert_agrees, close, score, share_of_top


def plain(ranked, missed, k, low=0, top=TOP):
    """A weighted mean of gains from 0 to 1."""
    found = sum(share_of_top(grade, low, top) / log2(rank + 1) for rank, grade in enumerate(ranked[:k], 1))
    return found / sum(1 / log2(rank + 1) for rank in range(1, k + 1))


def test_by_hand():
    best = 1 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert score("sdcg@3", [1, None, 2, 2]) == close((1 / 2 + 1 / log2(4)) / best)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("sdcg@5", [], [1], 0),
        ("sdcg@5", [0, None, -1], [], 0),
        ("sdcg@1", [1, 0], [], 1),
        ("sdcg@2", [1], [], 1 / (1 + 1 / log2(3))),  # one relevant document is all there is, and still not enough
        ("sdcg(max_grade=1)@1", [3], [], 1),
        ("sdcg(min_grade=1)@1", [2], [3], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_top_of_the_scale():
    assert score("sdcg@1", [1], max_grade=4) == close(1 / 4)


def test_agrees_with_a_plain_loop():
    assert_agrees("sdcg@5", plain, k=5)
    assert_agrees("sdcg(min_grade=1, max_grade=3)@10", plain, k=10, low=1, top=3)
