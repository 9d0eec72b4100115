"""err_ia: reciprocal of the rank at which a user is satisfied, averaged over what subtopic the user means."""

import pytest

from ._cases import close
from ._subtopics import CASES, gain, score, scores, subtopics_of


def reciprocal(rank):
    return 1 / rank


def plain(ranked, missed, k, alpha=0.5):
    most = sum((1 - alpha) ** (rank - 1) / rank for rank in range(1, k + 1))
    n_subtopics = len(subtopics_of(ranked, missed))
    return gain(ranked, alpha, reciprocal, k) / most / n_subtopics if n_subtopics else 0.0


def test_by_hand():
    # a at rank 1, then a again (a half of a half) and b (a half); two subtopics could have 1 + 1/4 each
    assert score("err_ia@2", ["a", "ab"]) == close((1 + 1 / 4 + 1 / 2) / (2 * 5 / 4))


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("err_ia@5", [], ["a"], 0),
        ("err_ia@1", ["a"], ["b"], 1 / 2),  # ndeval says 1 here
        ("err_ia@2", ["ab", "ab"], [], 1),
        ("err_ia@2", [None, "ab"], [], 1 / 2 / (5 / 4)),
        ("err_ia(alpha=1)@9", ["a", "a"], [], 1),
        ("err_ia(judged_only=true)@1", [None, "a"], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize("alpha", [0, 0.3, 0.5, 1])
@pytest.mark.parametrize("k", [1, 3, 20])
def test_agrees_with_a_plain_loop(alpha, k):
    assert scores(f"err_ia(alpha={alpha})@{k}", CASES) == close([plain(*case, k, alpha) for case in CASES])
