"""err: expected reciprocal of the rank at which a user going down the list is satisfied."""

import pytest

from ._cases import TOP, assert_agrees, close, score


def plain(ranked, missed, k=None, top=TOP):
    """Follow the user down: at each rank they are satisfied, or go on."""
    still_reading, expected = 1.0, 0.0
    for rank, grade in enumerate(ranked[:k], 1):
        satisfied = (2 ** min(max(grade or 0, 0), top) - 1) / 2**top
        expected += still_reading * satisfied / rank
        still_reading *= 1 - satisfied
    return expected


def test_by_hand():
    # with grades up to 2 a document of grade 2 satisfies with 3/4, of grade 1 with 1/4
    assert score("err", [1, None, 2]) == close(1 / 4 + 3 / 4 * 3 / 4 / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("err", [], [1], 0),
        ("err", [0, None, -1], [], 0),
        ("err", [1], [], 1 / 2),  # even the best document leaves a doubt
        ("err@1", [0, 1], [], 0),
        ("err@9", [0, 1], [], 1 / 4),
        ("err", [1], [4], 1 / 16),  # the scale is that of all judgments, retrieved or not
        ("err(max_grade=1)", [4], [], 1 / 2),  # a grade above the scale is its top
        ("err(judged_only=true)", [None, 1], [], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_top_of_the_scale():
    assert score("err", [1], max_grade=4) == close(1 / 16)
    assert score("err(max_grade=2)", [1], max_grade=4) == close(1 / 4)


def test_a_thousand_perfect_documents_are_no_trouble():
    assert score("err", [4] * 1000) == close(plain([4] * 1000, []))


def test_agrees_with_a_plain_loop():
    assert_agrees("err", plain)
    assert_agrees("err@3", plain, k=3)
    assert_agrees("err(max_grade=2)@10", plain, k=10, top=2)
