"""nerr_ia: err_ia as a share of that of an ideal ranking."""

import pytest

from ._cases import close
from ._subtopics import CASES, gain, ideal, score, scores


def reciprocal(rank):
    return 1 / rank


def plain(ranked, missed, k=None, alpha=0.5):
    best = gain(ideal(ranked, missed, alpha), alpha, reciprocal, k)
    return gain(ranked, alpha, reciprocal, k) / best if best else 0.0


def test_by_hand():
    # a, then a again and b: 1 + 1/4 + 1/2; the other way round: 2 + 1/4
    assert score("nerr_ia", ["a", "ab"]) == close((7 / 4) / (9 / 4))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("nerr_ia@5", [], ["a"], 0),
        ("nerr_ia@5", ["", None], [], 0),
        ("nerr_ia@1", ["a"], ["b"], 1),
        ("nerr_ia", [None, "a"], [], 1 / 2),
        ("nerr_ia(judged_only=true)", [None, "a"], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize("alpha", [0, 0.3, 0.5, 1])
@pytest.mark.parametrize("k", [None, 1, 4])
def test_agrees_with_a_plain_loop(alpha, k):
    cut = "" if k is None else f"@{k}"
    assert scores(f"nerr_ia(alpha={alpha}){cut}", CASES) == close([plain(*case, k, alpha) for case in CASES])
