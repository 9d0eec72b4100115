"""map_ia: average precision for each subtopic, averaged over the subtopics of a query."""

import pytest

from ._cases import close
from ._subtopics import CASES, score, scores, subtopics_of


def plain(ranked, missed):
    every = subtopics_of(ranked, missed)
    total = 0.0
    for letter in every:
        n_relevant = sum(letter in (about or "") for about in (*ranked, *missed))
        found, precisions = 0, 0.0
        for rank, about in enumerate(ranked, 1):
            if letter in (about or ""):
                found += 1
                precisions += found / rank
        total += precisions / n_relevant
    return total / len(every) if every else 0.0


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("map_ia", ["a", "ab"], [], (1 + 1 / 2) / 2),
        ("map_ia", ["a"], ["b", "b", "b"], 1 / 2),  # a subtopic weighs the same, however much there is about it
        ("map_ia", [None, "a"], ["a"], 1 / 4),
        ("map_ia", [], ["a"], 0),
        ("map_ia", [""], [], 0),
        ("map_ia(judged_only=true)", [None, "a"], [], 1),
    ],
)
def test_by_hand(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert scores("map_ia", CASES) == close([plain(*case) for case in CASES])
