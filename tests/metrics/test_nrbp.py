"""nrbp: gain over all subtopics of a user who goes on with chance beta, less for each document that repeats one."""

import pytest

from ._cases import close
from ._subtopics import CASES, gain, score, scores, subtopics_of


def plain(ranked, missed, alpha=0.5, beta=0.5):
    n_subtopics = len(subtopics_of(ranked, missed))
    found = gain(ranked, alpha, lambda rank: beta ** (rank - 1))
    return (1 - (1 - alpha) * beta) * found / n_subtopics if n_subtopics else 0.0


def test_by_hand():
    # a gains 1, then a half of a half, and b a half; for two subtopics, at 1 − 1/4
    assert score("nrbp", ["a", "ab"]) == close(3 / 4 * (1 + 1 / 4 + 1 / 2) / 2)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("nrbp", [], ["a"], 0),
        ("nrbp", [""], [], 0),
        ("nrbp(alpha=1, beta=0.8)", ["a", "a"], [], 1),
        ("nrbp(beta=0.8)", [None, "a"], ["b"], 0.6 * 0.8 / 2),
        ("nrbp(judged_only=true)", [None, "a"], [], 3 / 4),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_every_document_about_everything_is_nearly_perfect():
    assert score("nrbp", ["abcd"] * 60) == close(1)


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0.5), (0.5, 0.5), (0.3, 0.9), (1, 0.2)])
def test_agrees_with_a_plain_loop(alpha, beta):
    assert scores(f"nrbp(alpha={alpha}, beta={beta})", CASES) == close([plain(*case, alpha, beta) for case in CASES])
