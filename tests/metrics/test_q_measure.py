"""q_measure: average precision for graded judgments, blending precision with cumulative gain."""

import pytest

from ._cases import assert_agrees, close, score, worth
from .test_average_precision import plain as plain_map


def plain(ranked, missed, k=None, gain="linear", beta=1):
    """At each gaining document: (how many so far + β · gain so far) ÷ (rank + β · gain of the ideal so far)."""
    ideal = sorted((value for grade in [*ranked, *missed] if (value := worth(grade, gain)) > 0), reverse=True)
    found, gained, total = 0, 0.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        if (value := worth(grade, gain)) > 0:
            found, gained = found + 1, gained + value
            total += (found + beta * gained) / (rank + beta * sum(ideal[:rank]))
    return total / len(ideal) if ideal else 0.0


def test_by_hand():
    # the ideal has gained 3, 5, 6, 6 after the first four ranks
    assert score("q_measure", [2, None, 0, 3], [1]) == close(((1 + 2) / (1 + 3) + (2 + 5) / (4 + 6)) / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("q_measure", [], [1], 0),
        ("q_measure", [0, None, -1], [], 0),
        ("q_measure", [3, 2, 1], [0], 1),
        ("q_measure@1", [1, 1], [], 1 / 2),  # ÷ R, although only one fits
        ("q_measure(beta=0)", [0, 3], [], 1 / 2),
        ("q_measure(gain=exp)", [0, 2], [], (1 + 3) / (2 + 3)),
        ("q_measure(gain={1: 0})", [1, 2], [], (1 + 2) / (2 + 2)),  # what gains nothing is not relevant
        ("q_measure(judged_only=true)", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_without_gain_it_is_average_precision():
    assert_agrees("q_measure(beta=0)", plain_map)


def test_agrees_with_a_plain_loop():
    assert_agrees("q_measure", plain)
    assert_agrees("q_measure(beta=10)@5", plain, k=5, beta=10)
    assert_agrees("q_measure(gain={1: 9, 2: 0})@8", plain, k=8, gain={1: 9, 2: 0})
