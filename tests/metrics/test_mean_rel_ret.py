"""mean_rel_ret: how many relevant documents were retrieved, on average."""

import pytest

from ._cases import Case, score, summary


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "expected"),
    [
        ("mean_rel_ret", [1, None, 0, 2], [3], 2),
        ("mean_rel_ret", [], [1], 0),
        ("mean_rel_ret", [0, None, -1], [], 0),
        ("mean_rel_ret@1", [1, 1], [], 1),
        ("mean_rel_ret(rel=2)", [1, 2], [], 1),
    ],
)
def test_by_hand(metric, ranked, missed, expected):
    assert score(metric, ranked, missed) == expected


def test_it_is_averaged():
    assert summary("mean_rel_ret", [Case([1]), Case([2, 2])]) == 1.5
