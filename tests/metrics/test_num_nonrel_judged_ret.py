"""num_nonrel_judged_ret: how many documents judged not relevant were retrieved."""

import pytest

from assay.metrics.catalog.counts import NUM_NONREL_JUDGED_RET

from ._cases import Case, assert_agrees, relevant, score, summary


def plain(ranked, missed, rel=None):
    """Count grades from 0 up that are not relevant."""
    return sum(grade is not None and grade >= 0 and not relevant(grade, rel) for grade in ranked)


def test_by_hand():
    assert score("num_nonrel_judged_ret", [0, None, 2, 0, -1], [0]) == 2
    assert summary("num_nonrel_judged_ret", [Case([0, 0]), Case([0, 1])]) == 3


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("num_nonrel_judged_ret", [], [0], 0),
        ("num_nonrel_judged_ret", [-1, None, 1], [], 0),
        ("num_nonrel_judged_ret(rel=2)", [0, 1, 2], [], 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == wanted


def test_fewer_are_better():
    assert not NUM_NONREL_JUDGED_RET.higher_is_better


def test_agrees_with_a_plain_loop():
    assert_agrees("num_nonrel_judged_ret", plain)
    assert_agrees("num_nonrel_judged_ret(rel=2)", plain, rel=2)
