"""infap: average precision estimated from a pool of which only a sample was judged."""

import pytest

from ._cases import assert_agrees, close, n_relevant, relevant, score

EPSILON = 0.00001


def plain(ranked, missed, rel=None):
    """At each relevant document: the precision to be expected there, from what was pooled and judged above it."""
    total = 0.0
    for above, grade in enumerate(ranked):
        if relevant(grade, rel):
            pooled = [other for other in ranked[:above] if other is not None]
            judged = [other for other in pooled if other >= 0]
            n_good = sum(relevant(other, rel) for other in judged)
            share = (n_good + EPSILON) / (len(judged) + 2 * EPSILON)
            expected_above = len(pooled) * share
            total += (1 + expected_above) / (above + 1)
    return total / max(n_relevant(ranked, missed, rel), 1)


def test_by_hand():
    # one of the two above was judged, and relevant; so both are thought to be
    likely = (1 + EPSILON) / (1 + 2 * EPSILON)
    assert score("infap", [1, -1, 1], [1]) == close((1 + (1 + 2 * likely) / 3) / 3)


def test_two_pooled_documents_nobody_judged_are_half_a_chance_each():
    assert score("infap", [-1, -2, 1]) == close(1 / 3 + 2 / 3 * 1 / 2)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("infap", [], [1], 0),
        ("infap", [0, None, -1], [], 0),
        ("infap", [1], [], 1),
        ("infap", [None, 1], [], 1 / 2),  # not in the pool, so not relevant
        ("infap", [0, 1], [], (1 + EPSILON / (1 + 2 * EPSILON)) / 2),
        ("infap(rel=2)", [1, 2], [], (1 + EPSILON / (1 + 2 * EPSILON)) / 2),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("infap", plain)
    assert_agrees("infap(rel=2)", plain, rel=2)
