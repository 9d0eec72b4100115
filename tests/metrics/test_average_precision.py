"""map: precision at each relevant document, averaged over all relevant documents."""

import pytest

from ._cases import Case, assert_agrees, close, n_relevant, relevant, score, summary


def plain(ranked, missed, k=None, rel=None, most=None):
    """Walk down the ranking, noting the precision at every relevant document."""
    precisions = []
    for rank, grade in enumerate(ranked[:k], 1):
        if relevant(grade, rel):
            precisions.append((len(precisions) + 1) / rank)
    total = n_relevant(ranked, missed, rel)
    return sum(precisions) / min(total, most or total) if total else 0.0


def test_by_hand():
    assert score("map", [1, 0, 1, None, 1], [1]) == close((1 / 1 + 2 / 3 + 3 / 5) / 4)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("map", [], [1], 0),
        ("map", [0, None, -1], [], 0),
        ("map", [1, 1], [], 1),
        ("map@9", [0, 1], [], 1 / 2),
        ("map@2", [1, 0, 1], [1, 1], 1 / 4),  # ÷ R, although only two could be found
        ("map(norm=min)@2", [1, 0, 1], [1, 1], 1 / 2),
        ("map(norm=min)", [1, 0, 1], [1, 1], (1 + 2 / 3) / 4),  # without a cutoff R is the smaller
        ("map(rel=2)", [1, 2, 3], [1], (1 / 2 + 2 / 3) / 2),
        ("map(judged_only=true)", [None, 1, -1, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


def test_the_policy_sets_the_level_unless_the_metric_does():
    assert score("map", [1, 2], rel=2) == close(1 / 2)
    assert score("map(rel=1)", [1, 2], rel=2) == 1


def test_a_query_without_relevant_documents_counts_unless_skipped():
    cases = [Case([1]), Case([0])]
    assert summary("map", cases) == close(1 / 2)
    assert summary("map", cases, no_relevant="skip") == 1


def test_agrees_with_a_plain_loop():
    assert_agrees("map", plain)
    assert_agrees("map@3", plain, k=3)
    assert_agrees("map(rel=2)@5", plain, k=5, rel=2)
    assert_agrees("map(norm=min)@3", plain, k=3, most=3)
