"""ideal_dcg: the dcg of the best possible ranking."""

from math import log2

import pytest

from ._cases import assert_agrees, close, score, worth


def plain(ranked, missed, k=None, gain="linear", rel=None, original=False):
    """Sort all gains, best first, and add them up with their discounts."""
    grades = [grade for grade in [*ranked, *missed] if grade is not None and (rel is None or grade >= rel)]
    best = sorted((worth(grade, gain) for grade in grades), reverse=True)[:k]
    return sum(value / (max(log2(rank), 1) if original else log2(rank + 1)) for rank, value in enumerate(best, 1))


def test_by_hand():
    assert score("ideal_dcg", [0, None, 2], [3, 1]) == close(3 / log2(2) + 2 / log2(3) + 1 / log2(4))


def test_three_relevant_documents_and_five_ranks():
    assert score("ideal_dcg@5", [1], [1, 1]) == close(1 / log2(2) + 1 / log2(3) + 1 / log2(4))
    assert score("ideal_dcg@5", [1], [1, 1]) == pytest.approx(2.130930, abs=5e-7)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("ideal_dcg", [], [1], 1),  # the ranking does not matter
        ("ideal_dcg", [0, None, -1], [], 0),
        ("ideal_dcg@1", [1], [3], 3),
        ("ideal_dcg(gain=exp)", [2], [3], 7 + 3 / log2(3)),
        ("ideal_dcg(gain={1: 9, 3: 2})", [3, 1], [], 9 + 2 / log2(3)),  # gains, not grades, are sorted
        ("ideal_dcg(rel=2)", [1], [2], 2),
        ("ideal_dcg(discount=jk2002)", [3, 2, 1], [], 3 + 2 + 1 / log2(3)),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("ideal_dcg", plain)
    assert_agrees("ideal_dcg(gain=exp)@4", plain, k=4, gain="exp")
    assert_agrees("ideal_dcg(gain={1: 9, 2: 0}, rel=1)@3", plain, k=3, gain={1: 9, 2: 0}, rel=1)
    assert_agrees("ideal_dcg(discount=jk2002)", plain, original=True)
