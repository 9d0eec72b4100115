"""dcg: gains of the documents found, each discounted by the logarithm of its rank."""

from math import log2

import pytest

from ._cases import Case, assert_agrees, close, score, summary, worth


def plain(ranked, missed, k=None, gain="linear", rel=None, original=False):
    """Add up what each rank gains; the original discount of 2002 spares the first two."""
    return sum(
        worth(grade, gain) / (max(log2(rank), 1) if original else log2(rank + 1))
        for rank, grade in enumerate(ranked[:k], 1)
        if rel is None or (grade is not None and grade >= rel)
    )


def test_by_hand():
    assert score("dcg", [3, None, 2, 0, 1], [3]) == close(3 / log2(2) + 2 / log2(4) + 1 / log2(6))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("dcg", [], [1], 0),
        ("dcg", [0, None, -2], [], 0),
        ("dcg@2", [3, 2, 1], [], 3 + 2 / log2(3)),
        ("dcg@9", [3], [], 3),
        ("dcg(gain=exp)", [3, 2], [], 7 + 3 / log2(3)),
        ("dcg(gain=binary)", [3, 2], [], 1 + 1 / log2(3)),
        ("dcg(gain={1: 3.5, 2: 9})", [2, 1, 3], [], 9 + 3.5 / log2(3) + 3 / log2(4)),  # other grades stay linear
        ("dcg.1=3.5,2=9", [2, 1], [], 9 + 3.5 / log2(3)),
        ("dcg(discount=jk2002)", [3, 2, 3], [], 3 + 2 + 3 / log2(3)),
        ("dcg(rel=2)", [1, 2], [], 2 / log2(3)),
        ("dcg(judged_only=true)", [None, 1], [], 1),
        ("dcg", [0.5], [], 0.5),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_level_of_the_policy_does_not_matter():
    assert score("dcg", [1, 2], rel=2) == close(1 + 2 / log2(3))


def test_queries_with_more_to_find_weigh_more():
    assert summary("dcg", [Case([4]), Case([1])]) == close((4 + 1) / 2)


def test_agrees_with_a_plain_loop():
    assert_agrees("dcg", plain)
    assert_agrees("dcg@3", plain, k=3)
    assert_agrees("dcg(gain=exp)@10", plain, k=10, gain="exp")
    assert_agrees("dcg(gain={0: 1, 2: 7}, rel=1)", plain, gain={0: 1, 2: 7}, rel=1)
    assert_agrees("dcg(gain=binary)", plain, gain="binary")
    assert_agrees("dcg(discount=jk2002)", plain, original=True)
