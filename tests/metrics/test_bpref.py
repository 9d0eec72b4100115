"""bpref: how rarely a judged non-relevant document stands above a relevant one."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, rel=None):
    """Each relevant document found loses what was wrongly preferred to it, of the most that could be."""
    total = n_relevant(ranked, missed, rel)
    n_other = sum(grade is not None and grade >= 0 for grade in [*ranked, *missed]) - total
    above, kept = 0, 0.0
    for grade in ranked:
        if relevant(grade, rel):
            kept += 1 - min(above, total) / min(n_other, total) if above else 1
        elif grade is not None and grade >= 0:
            above += 1
    return kept / total if total else 0.0


def test_by_hand():
    # R = 3 and N = 2; above the relevant documents stand 0, 1 and 2 judged others
    assert score("bpref", [1, 0, None, 1, 0, 1]) == close((1 + (1 - 1 / 2) + (1 - 2 / 2)) / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("bpref", [], [1], 0),
        ("bpref", [0, 0], [], 0),
        ("bpref", [None, 1], [1], 1 / 2),  # nothing was judged non-relevant: what is found counts fully
        ("bpref", [-1, -2, 1], [], 1),  # a negative grade is no judgment
        ("bpref", [0, 0, 0, 1], [0], 0),  # only the first R others count, and R is 1
        ("bpref(rel=2)", [1, 2], [], 0),
        ("bpref(rel=0)", [0, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("bpref", plain)
    assert_agrees("bpref(rel=2)", plain, rel=2)
