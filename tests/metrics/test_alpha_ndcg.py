"""alpha_ndcg: discounted gain over all subtopics, less for repeating one, as a share of that of an ideal ranking."""

from math import e, log2

import pytest

import assay

from ._cases import close
from ._subtopics import CASES, gain, ideal, score, scores


def log_discount(rank):
    return 1 / log2(rank + 1)


def plain(ranked, missed, k=None, alpha=0.5):
    best = gain(ideal(ranked, missed, alpha), alpha, log_discount, k)
    return gain(ranked, alpha, log_discount, k) / best if best else 0.0


def test_by_hand():
    # the best ranking is ab, then the other a: 2 + 0.5 / log₂ 3; here the two come the other way round
    assert score("alpha_ndcg", ["a", "ab"]) == close((1 + 1.5 / log2(3)) / (2 + 0.5 / log2(3)))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("alpha_ndcg@5", [], ["a"], 0),
        ("alpha_ndcg@5", ["", None], [], 0),
        ("alpha_ndcg@1", ["a"], ["b"], 1),  # no document is about both
        ("alpha_ndcg@1", ["a"], ["ab"], 1 / 2),
        ("alpha_ndcg@9", [None, "a"], [], 1 / log2(3)),
        ("alpha_ndcg(judged_only=true)", [None, "a"], [], 1),
        ("alpha_ndcg(alpha=0)@2", ["a", "a"], ["b", "b"], 1),  # nobody minds more of the same
        ("alpha_ndcg(alpha=1)@2", ["a", "a"], ["b", "b"], 1 / (1 + 1 / log2(3))),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_a_ranking_may_be_better_than_the_greedy_one():
    """All three gain 2 at first; the larger id is taken, and leaves less to the others than they would have had."""
    found = score("alpha_ndcg@2", ["ac", "bd"], ["ab"])
    assert found == close((2 + 2 / log2(3)) / (2 + 1.5 / log2(3)))
    assert 1 < found < e / (e - 1)


@pytest.mark.parametrize("alpha", [0, 0.3, 0.5, 1])
@pytest.mark.parametrize("k", [None, 1, 4])
def test_agrees_with_a_plain_loop(alpha, k):
    cut = "" if k is None else f"@{k}"
    assert scores(f"alpha_ndcg(alpha={alpha}){cut}", CASES) == close([plain(*case, k, alpha) for case in CASES])


def test_two_settings_of_alpha_do_not_share_anything():
    """ir_measures gives 0 for the second of them (trap 29)."""
    judged = [("q", "x", 1, "a"), ("q", "y", 1, "a"), ("q", "z", 1, "b")]
    one, other = "alpha_nDCG(alpha=.5)@10", "alpha_nDCG(alpha=.9)@10"
    both = assay.evaluate(judged, {"q": ["x", "y", "z"]}, [one, other])
    for name in (one, other):
        assert both[name] == assay.evaluate(judged, {"q": ["x", "y", "z"]}, [name])[name] > 0
