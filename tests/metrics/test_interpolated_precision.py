"""iprec: best precision reached at this recall or any higher one."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score


def plain(ranked, missed, recall, rel=None):
    """The best precision among all ranks by which enough has been found."""
    needed = int(recall * n_relevant(ranked, missed, rel) + 0.9)
    best, found = 0.0, 0
    for rank, grade in enumerate(ranked, 1):
        found += relevant(grade, rel)
        if found >= needed:
            best = max(best, found / rank)
    return best


def test_by_hand():
    # precision is 1/2 at the first relevant document, 2/3 at the second, 3/6 at the third
    ranked = [0, 1, 1, 0, None, 1]
    assert score("iprec@0", ranked) == close(2 / 3)
    assert score("iprec@0.6", ranked) == close(2 / 3)  # ⌊1.8 + 0.9⌋ = 2
    assert score("iprec@1", ranked) == close(3 / 6)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("iprec@0.5", [], [1], 0),
        ("iprec@0", [], [], 0),
        ("iprec@0.5", [0, None, -1], [], 0),
        ("iprec@0.5", [1], [1], 1),
        ("iprec@0.6", [1], [1], 0),  # never reached
        ("iprec(rel=2)@1", [1, 2], [], 1 / 2),
        ("iprec(judged_only=true)@1", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize(("recall", "wanted"), [(0.4, 2 / 3), (0.8, 3 / 5)])
def test_recall_is_rounded_as_in_trec_eval_9(recall, wanted):
    """trec_eval 10 gives 1 and 2/3 here."""
    assert score(f"iprec@{recall}", [1, 0, 1, 0, 1]) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("iprec@0", plain, recall=0)
    assert_agrees("iprec@0.35", plain, recall=0.35)
    assert_agrees("iprec(rel=2)@1", plain, recall=1, rel=2)
