"""rndcg: ndcg averaged over the ranks at which the ideal ranking drops to its next lower grade."""

from math import log2

import pytest

from ._cases import assert_agrees, close, n_relevant, score, worth
from .test_ndcg import plain as plain_ndcg


def plain(ranked, missed, gain="linear", rel=None):
    """The mean of ndcg down to the last document of each gain, and to the end of a ranking that goes on after that."""
    values = [value for grade in [*ranked, *missed] if (value := worth(grade, gain)) > 0]
    points = [sum(other >= value for other in values) for value in set(values)]
    if len(ranked) > len(values) + 1:
        points.append(None)
    if not points or not n_relevant(ranked, missed, rel):
        return 0.0
    return sum(plain_ndcg(ranked, missed, k=point, gain=gain) for point in points) / len(points)


def test_by_hand():
    # the ideal is 2 2 1: it drops after rank 2 and after rank 3; the ranking of five goes on after that
    at_2 = (1 + 2 / log2(3)) / (2 + 2 / log2(3))
    at_3 = (1 + 2 / log2(3)) / (2 + 2 / log2(3) + 1 / log2(4))
    at_5 = (1 + 2 / log2(3) + 2 / log2(6)) / (2 + 2 / log2(3) + 1 / log2(4))
    assert score("rndcg", [1, 2, None, 0, 2]) == close((at_2 + at_3 + at_5) / 3)


def test_a_ranking_that_hardly_goes_on_does_not_count_as_going_on():
    at_2 = (1 + 2 / log2(3)) / (2 + 2 / log2(3))
    at_3 = (1 + 2 / log2(3)) / (2 + 2 / log2(3) + 1 / log2(4))
    assert score("rndcg", [1, 2, None, 0], [2]) == close((at_2 + at_3) / 2)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("rndcg", [], [1], 0),
        ("rndcg", [0, None, -1], [], 0),
        ("rndcg", [3, 2, 1], [0], 1),
        ("rndcg", [1], [1], 1 / (1 + 1 / log2(3))),
        ("rndcg(gain=binary)", [1, 2], [], 1),
        ("rndcg(rel=2)", [1], [], 0),  # nothing is relevant at that level
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("rndcg", plain)
    assert_agrees("rndcg(gain=exp)", plain, gain="exp")
    assert_agrees("rndcg(gain={1: 9, 2: 0}, rel=2)", plain, gain={1: 9, 2: 0}, rel=2)
