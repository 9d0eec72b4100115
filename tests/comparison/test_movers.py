"""The queries that moved most."""

import pytest

import assay
from assay.comparison.comparison import compare_results
from assay.comparison.queries import largest_gains, largest_losses

from ._systems import old_and_new, system


def test_largest_first_and_only_those_that_moved_that_way():
    comparison = compare_results(old_and_new())
    losses = largest_losses(comparison, "mrr", "old", "new")
    assert [(one.query, one.score_a, one.score_b, one.difference) for one in losses] == [("q6", 1.0, 0.5, -0.5)]
    gains = largest_gains(comparison, "RR", "old", "new", 4)
    assert [one.query for one in gains] == ["q5", "q2", "q4", "q7"]  # equals in the order of the queries
    assert gains[0].improvement == pytest.approx(0.8)
    assert [one.query for one in largest_losses(comparison, "mrr", "new", "old", 1)] == ["q5"]
    assert largest_losses(comparison, "mrr", "old", "new", 0) == []


def test_a_longer_wait_is_a_loss():
    comparison = compare_results([system("a", {"latency": [5.0, 5.0]}), system("b", {"latency": [4.0, 9.0]})])
    (loss,) = largest_losses(comparison, "latency", "a", "b")
    assert (loss.query, loss.difference, loss.improvement) == ("q2", 4.0, -4.0)


def test_a_query_without_a_score_did_not_move():
    comparison = compare_results([system("a", {"mrr": [float("nan"), 1.0]}), system("b", {"mrr": [1.0, 0.5]})])
    assert largest_gains(comparison, "mrr", "a", "b") == []


@pytest.mark.parametrize("n", [-1, True, 1.5])
def test_a_number_of_queries_is_one(n):
    with pytest.raises(assay.BadParameter, match="n is a number of queries"):
        largest_losses(compare_results(old_and_new()), "mrr", "old", "new", n)


def test_rankings_relevant_documents_and_words():
    qrels = {"q": {"d1": 2, "d2": 1, "d3": 3, "d4": 0}, "r": {"d1": 1}}
    runs = {"a": {"q": {"d1": 2.0, "x": 2.0, "d2": 1.0}, "r": {"d1": 1.0}}, "b": {"q": {"x": 1.0}, "r": {"d1": 1.0}}}
    results = [assay.evaluate(qrels, run, "map", name=name).with_fields(run=run) for name, run in runs.items()]
    results[1] = results[1].with_fields(queries={"q": assay.Query("q", "how long?")})
    (loss,) = largest_losses(compare_results(results), "map", "a", "b")
    assert loss.text == "how long?"
    assert loss.ranking_a == ("x", "d1", "d2")  # equal scores: ids descending, as they were scored
    assert loss.ranking_b == ("x",)
    assert dict(loss.relevant) == {"d3": 3.0, "d1": 2.0, "d2": 1.0}
    assert loss.to_dict()["relevant"]["d1"] == {"grade": 2.0, "rank_a": 2, "rank_b": None}


def test_the_relevance_level_counts():
    qrels = {"q": {"d1": 2, "d2": 1}}
    results = [
        assay.evaluate(qrels, {"q": ranking}, "mrr", name=name, policy=assay.Policy(rel=2))
        for name, ranking in (("a", ["d1"]), ("b", ["d2"]))
    ]
    (loss,) = largest_losses(compare_results(results), "mrr", "a", "b")
    assert dict(loss.relevant) == {"d1": 2.0}
    assert (loss.ranking_a, loss.ranking_b, loss.text) == ((), (), "")
