"""accuracy: the chance that a retrieved relevant document stands above a retrieved non-relevant one."""

import pytest

from ._cases import assert_agrees, close, relevant, score


def plain(ranked, missed, k=None, rel=None):
    """Look at every pair of a relevant and another document."""
    top = [relevant(grade, rel) for grade in ranked[:k]]
    pairs = [(good, bad) for good, yes in enumerate(top) if yes for bad, also in enumerate(top) if not also]
    return sum(good < bad for good, bad in pairs) / len(pairs) if pairs else float(any(top))


def test_by_hand():
    # relevant at ranks 1 and 3, others at 2 and 4: four pairs, of which only (3, 2) is the wrong way round
    assert score("accuracy", [1, 0, 1, None]) == close(3 / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("accuracy", [], [1], 0),
        ("accuracy", [0, None, -1], [1], 0),
        ("accuracy", [1, 2], [], 1),  # no pair can be the wrong way round
        ("accuracy", [1, 0], [1, 1, 0], 1),  # what was not retrieved does not matter
        ("accuracy@2", [0, 1, 0, 0], [], 0),
        ("accuracy@9", [0, 1, 0, 0], [], 2 / 3),
        ("accuracy(rel=2)", [1, 2, 0], [], 1 / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_a_relevant_document_may_lower_it_by_entering_the_first_k():
    assert score("accuracy@3", [1, 0, 0, 1]) == close(1)
    assert score("accuracy@3", [1, 0, 1, 0]) == close(1 / 2)


def test_agrees_with_a_plain_loop():
    assert_agrees("accuracy", plain)
    assert_agrees("accuracy@4", plain, k=4)
    assert_agrees("accuracy(rel=2)@7", plain, k=7, rel=2)
