"""alpha_dcg: discounted gain of the first k over all subtopics, less for each document that repeats one."""

from math import log2

import pytest

from ._cases import close
from ._subtopics import CASES, gain, score, scores, subtopics_of


def log_discount(rank):
    return 1 / log2(rank + 1)


def plain(ranked, missed, k, alpha=0.5):
    most = sum((1 - alpha) ** (rank - 1) * log_discount(rank) for rank in range(1, k + 1))
    n_subtopics = len(subtopics_of(ranked, missed))
    return gain(ranked, alpha, log_discount, k) / most / n_subtopics if n_subtopics else 0.0


def test_by_hand():
    # the second document repeats a, which then gains half, and adds b; two subtopics could gain 2 · (1 + 0.5 / log₂ 3)
    wanted = (1 + 1.5 / log2(3)) / (2 * (1 + 0.5 / log2(3)))
    assert score("alpha_dcg@2", ["a", "ab"]) == close(wanted)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("alpha_dcg@5", [], ["a"], 0),
        ("alpha_dcg@5", ["", None], [], 0),
        ("alpha_dcg@1", ["a"], ["b"], 1 / 2),  # one of two subtopics; ndeval says 1 here
        ("alpha_dcg@1", [None, "a"], [], 0),
        ("alpha_dcg@2", ["ab", "ab"], [], 1),
        ("alpha_dcg(alpha=1)@2", ["a", "a"], [], 1),  # the second a gains nothing, and nothing could be gained there
        ("alpha_dcg(judged_only=true)@1", [None, "a"], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize("alpha", [0, 0.3, 0.5, 1])
@pytest.mark.parametrize("k", [1, 3, 20])
def test_agrees_with_a_plain_loop(alpha, k):
    found = scores(f"alpha_dcg(alpha={alpha})@{k}", CASES)
    assert found == close([plain(*case, k, alpha) for case in CASES])
