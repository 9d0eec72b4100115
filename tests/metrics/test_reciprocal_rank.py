"""mrr: one over the rank of the first relevant document."""

import pytest

import assay

from ._cases import Case, assert_agrees, close, relevant, score, summary


def plain(ranked, missed, k=None, rel=None):
    """Find the first."""
    return next((1 / rank for rank, grade in enumerate(ranked[:k], 1) if relevant(grade, rel)), 0.0)


def test_by_hand():
    assert score("mrr", [0, None, 1, 1]) == close(1 / 3)


def test_the_mean_of_first_third_and_nowhere():
    assert summary("mrr", [Case([1]), Case([0, 0, 1]), Case([0], [1])]) == close((1 + 1 / 3 + 0) / 3)


@pytest.mark.parametrize(
    ("metric", "ranked", "missed", "wanted"),
    [
        ("mrr", [], [1], 0),
        ("mrr", [0, None, -1], [], 0),
        ("mrr@2", [0, 0, 1], [], 0),
        ("mrr@3", [0, 0, 1], [], 1 / 3),
        ("mrr@10", [0, 1], [], 1 / 2),
        ("mrr(rel=2)", [1, 2], [], 1 / 2),
        ("mrr(judged_only=true)", [None, 1], [], 1),
    ],
)
def test_edge_cases(metric, ranked, missed, wanted):
    assert score(metric, ranked, missed) == close(wanted)


@pytest.mark.parametrize(("ties", "wanted"), [("docid_desc", 1 / 4), ("docid_asc", 1), ("input_order", 1 / 3)])
def test_equal_scores_are_ordered_as_the_policy_says(ties, wanted):
    run = {"q": {"d2": 1.0, "d4": 1.0, "d1": 1.0, "d3": 1.0}}
    assert assay.evaluate({"q": {"d1": 1}}, run, "mrr", policy=assay.Policy(ties=ties))["mrr"] == close(wanted)


def test_agrees_with_a_plain_loop():
    assert_agrees("mrr", plain)
    assert_agrees("mrr(rel=2)@5", plain, k=5, rel=2)
