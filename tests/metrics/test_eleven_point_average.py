"""11pt_avg: interpolated precision averaged over eleven recall points."""

import pytest

from ._cases import assert_agrees, close, score
from .test_interpolated_precision import plain as plain_iprec

ELEVEN = [point / 10 for point in range(11)]


def plain(ranked, missed, points=ELEVEN, rel=None):
    """The mean of the interpolated precisions."""
    return sum(plain_iprec(ranked, missed, point, rel) for point in points) / len(points)


def test_by_hand():
    # R = 3, found at ranks 1, 3 and 5 with precision 1, 2/3 and 3/5. Recall 0 … 0.3 asks for at most one of them
    # (⌊0.3 · 3 + 0.9⌋ = 1), 0.4 … 0.7 for two (trec_eval 9 rounds 1.2 + 0.9 down), 0.8 … 1 for three.
    assert score("11pt_avg", [1, 0, 1, 0, 1]) == close((4 * 1 + 4 * 2 / 3 + 3 * 3 / 5) / 11)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("11pt_avg", [], [1], 0),
        ("11pt_avg", [0, None, -1], [], 0),
        ("11pt_avg", [1, 1], [], 1),
        ("11pt_avg", [1], [1], 6 / 11),  # recall 0.6 asks for ⌊1.2 + 0.9⌋ = 2
        ("11pt_avg(points=[0, 1])", [0, 1], [1], (1 / 2 + 0) / 2),
        ("11pt_avg.0.2,0.8", [1], [1], 1 / 2),
        ("11pt_avg(rel=2)", [1, 2], [], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("11pt_avg", plain)
    assert_agrees("11pt_avg(points=[0.25, 0.5, 0.75], rel=2)", plain, points=[0.25, 0.5, 0.75], rel=2)
