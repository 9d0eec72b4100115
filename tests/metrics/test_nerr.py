"""nerr: err as a share of the err of the best possible ranking."""

import pytest

from ._cases import TOP, assert_agrees, close, score
from .test_err import plain as plain_err


def plain(ranked, missed, k=None, top=TOP):
    """The err of the ranking ÷ the err of all grades sorted."""
    ideal = sorted((grade for grade in [*ranked, *missed] if grade is not None), reverse=True)
    best = plain_err(ideal, [], k, top)
    return plain_err(ranked, missed, k, top) / best if best else 0.0


def test_by_hand():
    # a grade of 2 satisfies with 3/4, of 1 with 1/4
    found = 1 / 4 + 3 / 4 * 3 / 4 / 2
    assert score("nerr", [1, 2, 0]) == close(found / (3 / 4 + 1 / 4 * 1 / 4 / 2))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("nerr", [], [1], 0),
        ("nerr", [0, None, -1], [], 0),
        ("nerr", [3, 2, 1], [], 1),
        ("nerr@1", [1], [1], 1),
        ("nerr", [1], [1], (1 / 2) / (1 / 2 + 1 / 2 * 1 / 2 / 2)),
        ("nerr(max_grade=1)", [1, 4], [], 1),  # grades above the scale are its top
        ("nerr(judged_only=true)", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("nerr", plain)
    assert_agrees("nerr@3", plain, k=3)
    assert_agrees("nerr(max_grade=2)@10", plain, k=10, top=2)
