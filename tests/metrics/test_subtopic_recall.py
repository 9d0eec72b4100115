"""subtopic_recall: share of the subtopics that any of the first k documents is relevant to."""

import pytest

from ._cases import close
from ._subtopics import CASES, score, scores, subtopics_of


def plain(ranked, missed, k=None):
    every = subtopics_of(ranked, missed)
    return len(subtopics_of(ranked[:k], [])) / len(every) if every else 0.0


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("subtopic_recall@2", ["a", "a", "b"], ["c"], 1 / 3),
        ("subtopic_recall@3", ["a", "a", "b"], ["c"], 2 / 3),
        ("subtopic_recall", ["a", None, "", "b"], ["c", "c"], 2 / 3),
        ("subtopic_recall@5", [], ["a"], 0),
        ("subtopic_recall@5", [""], [], 0),  # no subtopic has a relevant document
        ("subtopic_recall@1", ["abcd"], [], 1),
        ("subtopic_recall(judged_only=true)@1", [None, "a"], [], 1),
    ],
)
def test_by_hand(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize("k", [None, 1, 4])
def test_agrees_with_a_plain_loop(k):
    assert scores("subtopic_recall" + ("" if k is None else f"@{k}"), CASES) == close([plain(*case, k) for case in CASES])
