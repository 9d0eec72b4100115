"""BatchEvaluator: queries come one at a time, the means at the end."""

from math import log2

import pytest

import assay
from assay.metrics import BatchEvaluator

from ._cases import close

RETRIEVED, RELEVANT = ["d1", "d3", "d5"], {"d1", "d5", "d10"}


def test_the_worked_query():
    scores = BatchEvaluator([5, 10]).evaluate_query("q1", RETRIEVED, RELEVANT, [3, 0, 2])
    assert scores["precision@5"] == close(2 / 5)
    assert scores["precision@10"] == close(2 / 10)
    assert scores["recall@5"] == scores["recall@10"] == close(2 / 3)
    assert scores["f1@5"] == close(1 / 2)
    assert scores["f1@10"] == close(2 * (2 / 10) * (2 / 3) / (2 / 10 + 2 / 3))
    assert scores["hit@5"] == scores["mrr@5"] == scores["mrr@10"] == 1
    assert scores["map@5"] == scores["map@10"] == close((1 + 2 / 3) / 3)


def test_ndcg_counts_the_relevant_document_that_was_not_retrieved():
    """d10 is relevant, so it belongs into the ideal ranking; a set says no more than grade 1 about it."""
    scores = BatchEvaluator([5]).evaluate_query("q1", RETRIEVED, RELEVANT, [3, 0, 2])
    assert scores["ndcg@5"] == close((3 + 2 / log2(4)) / (3 + 2 / log2(3) + 1 / log2(4)))
    assert scores["ndcg@5"] == pytest.approx(0.840008, abs=5e-7)


def test_grades_of_the_ground_truth_are_used_for_what_was_not_retrieved():
    relevant = {"d1": 1, "d5": 1, "d10": 3}
    scores = BatchEvaluator([5]).evaluate_query("q1", RETRIEVED, relevant, [3, 0, 2])
    assert scores["ndcg@5"] == close((3 + 2 / log2(4)) / (3 + 3 / log2(3) + 2 / log2(4)))


def test_without_relevance_scores_the_ground_truth_grades():
    scores = BatchEvaluator([5]).evaluate_query("q1", ["a", "b"], {"a": 1, "b": 3})
    assert scores["ndcg@5"] == close((1 + 3 / log2(3)) / (3 + 1 / log2(3)))
    scores = BatchEvaluator([5]).evaluate_query("q1", ["x", "b"], {"b"})
    assert scores["ndcg@5"] == close(1 / log2(3))


def test_relevance_scores_change_nothing_but_ndcg():
    plain = BatchEvaluator([5]).evaluate_query("q1", RETRIEVED, RELEVANT)
    graded = BatchEvaluator([5]).evaluate_query("q1", RETRIEVED, RELEVANT, [0, 3, 0])
    assert {name for name in plain if plain[name] != graded[name]} == {"ndcg@5"}


def test_means():
    evaluator = BatchEvaluator([1, 3])
    evaluator.evaluate_query("a", ["x", "y"], {"x"})
    evaluator.evaluate_query("b", ["x", "y"], {"y"})
    evaluator.evaluate_query("c", [], {"y"})
    evaluator.evaluate_query("d", ["x"], set())
    means = evaluator.get_aggregate_metrics()
    assert means["hit@1"] == close(1 / 4)
    assert means["mrr@3"] == close((1 + 1 / 2 + 0 + 0) / 4)
    assert means["ndcg@3"] == close((1 + 1 / log2(3) + 0 + 0) / 4)
    assert list(means) == [
        f"{name}@{k}" for k in (1, 3) for name in ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg")
    ]


def test_no_queries_score_0():
    assert set(BatchEvaluator().get_aggregate_metrics().values()) == {0.0}
    assert BatchEvaluator().k_values == (5, 10)


def test_what_is_empty_scores_0():
    evaluator = BatchEvaluator([5])
    assert set(evaluator.evaluate_query("a", [], {"x"}).values()) == {0.0}
    assert set(evaluator.evaluate_query("b", ["x"], []).values()) == {0.0}
    assert set(evaluator.evaluate_query("c", [], [], []).values()) == {0.0}


def test_whole_numbers_are_ids():
    evaluator = BatchEvaluator([2])
    assert evaluator.evaluate_query(1, [7, 8], {8, 9}, [0, 2]) == evaluator.evaluate_query(
        "2", ["7", "8"], {"8", "9"}, [0, 2]
    )
    assert list(evaluator.per_query) == ["1", "2"]


def test_a_query_may_come_once():
    evaluator = BatchEvaluator([5])
    evaluator.evaluate_query(1, ["a"], {"a"})
    with pytest.raises(assay.DataError, match="query 1 was evaluated already"):
        evaluator.evaluate_query("1", ["a"], {"a"})


def test_a_failed_query_leaves_no_trace():
    evaluator = BatchEvaluator([5])
    with pytest.raises(assay.DataError, match="document a is retrieved twice"):
        evaluator.evaluate_query("q", ["a", "a"], {"a"})
    with pytest.raises(assay.DataError, match="3 documents were retrieved but 2 relevance scores were given"):
        evaluator.evaluate_query("q", RETRIEVED, RELEVANT, [3, 0])
    assert evaluator.per_query == {}


@pytest.mark.parametrize("k", [0, -1, 2.5, "many"])
def test_a_bad_cutoff_is_an_error(k):
    with pytest.raises(assay.BadParameter, match="k is a whole number from 1 up"):
        BatchEvaluator([5, k])


def test_no_cutoff_is_an_error():
    with pytest.raises(assay.BadParameter, match="no metric was given"):
        BatchEvaluator([])
