"""rbp: gain per document inspected by a user who goes on to the next with chance p."""

import pytest

from ._cases import TOP, assert_agrees, close, relevant, score


def plain(ranked, missed, k=None, p=0.8, rel=None):
    """The chance to see a rank is p^(rank − 1)."""
    return (1 - p) * sum(p**above for above, grade in enumerate(ranked[:k]) if relevant(grade, rel))


def plain_graded(ranked, missed, p=0.8, top=None):
    """Each grade counts as a share of the largest: of the scale, or of the query."""
    top = top or max((grade for grade in [*ranked, *missed] if grade is not None), default=0)
    return (1 - p) * sum(p**above * max(grade or 0, 0) / top for above, grade in enumerate(ranked)) if top > 0 else 0.0


def test_by_hand():
    assert score("rbp(p=0.5)", [1, None, 3, 0], [1]) == close(0.5 * (1 + 0.5**2))


def test_grades_may_count():
    """trec_eval 10 has this as rbp.p=0.9 for the query's own scale; ranx would multiply by 3."""
    ranked, missed = [1, None, 3, 0], [2, 1, 0]
    assert score("rbp(p=0.9, gain=query)", ranked, missed) == close(0.1 * (1 / 3 + 0.9**2 * 3 / 3))
    assert score("rbp(p=0.9, gain=scale)", ranked, missed, max_grade=4) == close(0.1 * (1 / 4 + 0.9**2 * 3 / 4))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("rbp", [], [1], 0),
        ("rbp", [0, None, -1], [], 0),
        ("rbp(gain=scale)", [0, -1], [], 0),
        ("rbp(gain=query)", [0, -1], [], 0),
        ("rbp", [1], [], 0.2),  # p is 0.8, as in ir_measures
        ("rbp(p=0.5)@2", [0, 1, 1], [], 0.25),
        ("rbp(p=0.5, rel=2)", [1, 2], [], 0.25),
        ("rbp.95", [1], [], 0.05),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("rbp(p=0.8)", plain)
    assert_agrees("rbp(p=0.5, rel=2)@5", plain, k=5, p=0.5, rel=2)
    assert_agrees("rbp(p=0.8, gain=query)", plain_graded)
    assert_agrees("rbp(p=0.9, gain=scale)", plain_graded, p=0.9, top=TOP)
