"""precision_ia: precision of the first k for each subtopic, averaged over the subtopics of a query."""

import pytest

from ._cases import close
from ._subtopics import CASES, score, scores, subtopics_of


def plain(ranked, missed, k):
    every = subtopics_of(ranked, missed)
    each = [sum(letter in (about or "") for about in ranked[:k]) / k for letter in every]
    return sum(each) / len(each) if each else 0.0


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("precision_ia@2", ["a", "ab"], [], (1 + 1 / 2) / 2),
        ("precision_ia@4", ["a", "ab"], [], (2 / 4 + 1 / 4) / 2),  # still divided by 4
        ("precision_ia@1", ["a"], ["b", "b"], 1 / 2),
        ("precision_ia@5", [], ["a"], 0),
        ("precision_ia@5", [""], [], 0),
        ("precision_ia(judged_only=true)@1", [None, "a"], [], 1),
    ],
)
def test_by_hand(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize("k", [1, 4])
def test_agrees_with_a_plain_loop(k):
    assert scores(f"precision_ia@{k}", CASES) == close([plain(*case, k) for case in CASES])
