"""ndcg: discounted gain of the ranking, as a share of the best possible ranking's."""

from math import log2

import pytest

from ._cases import Case, assert_agrees, close, score, summary
from .test_dcg import plain as plain_dcg
from .test_ideal_dcg import plain as plain_ideal


def plain(ranked, missed, **given):
    """What was gained, of what could have been."""
    ideal = plain_ideal(ranked, missed, **given)
    return plain_dcg(ranked, missed, **given) / ideal if ideal else 0.0


def test_by_hand():
    ideal = 3 / log2(2) + 2 / log2(3) + 1 / log2(4) + 1 / log2(5)
    assert score("ndcg", [1, None, 3, 0], [2, 1]) == close((1 / log2(2) + 3 / log2(4)) / ideal)


def test_the_example_with_grades_three_nought_two_one():
    found = 3 / log2(2) + 2 / log2(4) + 1 / log2(5)
    assert score("ndcg@4", [3, 0, 2, 1]) == close(found / (3 + 2 / log2(3) + 1 / 2))
    assert score("ndcg@4", [3, 0, 2, 1]) == pytest.approx(0.930451, abs=5e-7)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("ndcg", [], [1], 0),
        ("ndcg", [0, None, -1], [], 0),
        ("ndcg", [-1, 1], [], 1 / log2(3)),  # a negative grade gains nothing, and costs nothing
        ("ndcg@5", [1], [1, 1], 1 / (1 + 1 / log2(3) + 1 / log2(4))),  # the ideal holds what was missed
        ("ndcg@1", [1], [1, 1], 1),  # … as far as it fits into k
        ("ndcg(gain=exp)@2", [1, 2], [], (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
        ("ndcg(gain=binary)", [1, 3], [], 1),
        ("ndcg(gain={1: 3.5, 2: 9})", [1, 2], [], (3.5 + 9 / log2(3)) / (9 + 3.5 / log2(3))),
        ("ndcg(gain={0: 1, 1: 5})", [0, 1], [], (1 + 5 / log2(3)) / (5 + 1 / log2(3))),
        ("ndcg(gain={1: 9, 3: 2})@1", [3, 1], [], 2 / 9),  # the best gain comes first, not the best grade
        ("ndcg(discount=jk2002)", [1, 2], [], 1),  # the first two ranks weigh the same
        ("ndcg@3-l2", [1, 2, 0], [], 1 / log2(3)),
        ("ndcg(judged_only=true)", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_level_of_the_policy_does_not_matter():
    """trec_eval ignores its relevance level here; ranx, whose level makes it 1 ÷ log₂ 3, is `ndcg@3-l2`."""
    found, ideal = 1 + 2 / log2(3), 2 + 1 / log2(3)
    assert score("ndcg@3", [1, 2, 0], rel=2) == close(found / ideal)


def test_the_mean_counts_queries_that_were_not_retrieved():
    assert summary("ndcg@10", [Case([2]), Case([], [1])]) == close(1 / 2)


def test_agrees_with_a_plain_loop():
    assert_agrees("ndcg", plain)
    assert_agrees("ndcg@3", plain, k=3)
    assert_agrees("ndcg(gain=exp)@10", plain, k=10, gain="exp")
    assert_agrees("ndcg(gain={1: 9, 2: 0}, rel=1)@5", plain, k=5, gain={1: 9, 2: 0}, rel=1)
    assert_agrees("ndcg(gain=binary)@5", plain, k=5, gain="binary")
    assert_agrees("ndcg(discount=jk2002)@5", plain, k=5, original=True)
