"""ndcg_rel: ndcg averaged over the ranks of the relevant documents."""

from math import log2

import pytest

from ._cases import assert_agrees, close, score, worth
from .test_ndcg import plain as plain_ndcg


def plain(ranked, missed, gain="linear"):
    """The ndcg down to each document that gains; the whole ranking's for each that was not retrieved."""
    at = [plain_ndcg(ranked, missed, k=rank, gain=gain) for rank, grade in enumerate(ranked, 1) if worth(grade, gain) > 0]
    at += [plain_ndcg(ranked, missed, gain=gain) for grade in missed if worth(grade, gain) > 0]
    return sum(at) / len(at) if at else 0.0


def test_by_hand():
    # the ideal gains 2, then 1, then 1; the run gains 1 at rank 1 and 2 at rank 3, and misses one document
    at_1 = 1 / 2
    at_3 = (1 + 2 / log2(4)) / (2 + 1 / log2(3) + 1 / log2(4))
    assert score("ndcg_rel", [1, None, 2], [1]) == close((at_1 + at_3 + at_3) / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("ndcg_rel", [], [1], 0),
        ("ndcg_rel", [0, None, -1], [], 0),
        ("ndcg_rel", [3, 2, 1], [0], 1),
        ("ndcg_rel(gain=exp)", [0, 2], [], 1 / log2(3)),
        ("ndcg_rel(gain={0: 1})", [0], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("ndcg_rel", plain)
    assert_agrees("ndcg_rel(gain=exp)", plain, gain="exp")
    assert_agrees("ndcg_rel(gain={1: 9, 2: 0})", plain, gain={1: 9, 2: 0})
