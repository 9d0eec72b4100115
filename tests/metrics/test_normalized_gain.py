"""g: gain of each document, discounted by how far the ranking has fallen behind the ideal one."""

from math import log2

import pytest

from ._cases import assert_agrees, close, score, worth


def plain(ranked, missed, gain="linear"):
    """Keep two accounts on the way down: what the ranks should have gained (1 at least), and what they did gain."""
    ideal = sorted((value for grade in [*ranked, *missed] if (value := worth(grade, gain)) > 0), reverse=True)
    due, got, total = 0.0, 0.0, 0.0
    for place, grade in enumerate(ranked):
        due += max(ideal[place], 1) if place < len(ideal) else 1
        got += worth(grade, gain)
        total += worth(grade, gain) / log2(2 + due - got)
    return total / sum(ideal) if ideal else 0.0


def test_by_hand():
    # due: 3, 3 + 1, 3 + 1 + 1; got: 1, 1, 4. So the ranking is 2 behind at its first document, 1 at its second
    assert score("g", [1, None, 3]) == close((1 / log2(2 + 3 - 1) + 3 / log2(2 + 5 - 4)) / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("g", [], [1], 0),
        ("g", [0, None, -1], [], 0),
        ("g", [3, 2, 1], [0], 1),
        ("g", [0.5], [], 1 / log2(2.5)),  # the first rank should have gained 1
        ("g(gain=exp)", [0, 2], [], 1 / log2(2 + 4 - 3)),
        ("g(gain={1: 0})", [1, 2], [], 1 / log2(2 + 3 - 2)),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("g", plain)
    assert_agrees("g(gain=exp)", plain, gain="exp")
    assert_agrees("g(gain={1: 9, 2: 0})", plain, gain={1: 9, 2: 0})
