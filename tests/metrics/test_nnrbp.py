"""nnrbp: nrbp as a share of that of an ideal ranking."""

import pytest

from ._cases import close
from ._subtopics import CASES, gain, ideal, score, scores


def plain(ranked, missed, alpha=0.5, beta=0.5):
    def fading(rank):
        return beta ** (rank - 1)

    best = gain(ideal(ranked, missed, alpha), alpha, fading)
    return gain(ranked, alpha, fading) / best if best else 0.0


def test_by_hand():
    # 1 + 1/4 + 1/2, and the other way round 2 + 1/4
    assert score("nnrbp", ["a", "ab"]) == close(7 / 9)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("nnrbp", [], ["a"], 0),
        ("nnrbp", [""], [], 0),  # ndeval says nan
        ("nnrbp", ["ab", "a"], [], 1),
        ("nnrbp(beta=0.8)", [None, "a"], [], 0.8),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0.5), (0.5, 0.5), (0.3, 0.9), (1, 0.2)])
def test_agrees_with_a_plain_loop(alpha, beta):
    assert scores(f"nnrbp(alpha={alpha}, beta={beta})", CASES) == close([plain(*case, alpha, beta) for case in CASES])
