"""compat.ragchat: input that meets each difference, and input that does not."""

import pytest
from tests.compat._differences import check_case

from assay.compat import ragchat

LEVELS = {"relevance_grades": {"a": 3, "b": 1}}


def batch(results, metrics, **query):
    return ragchat.evaluate_retrieval_batch([{"relevant_docs": "a;b", **query}], [results], metrics)


def cached(query, metric, k, content=None):
    cache = ragchat.MetricsCache()
    cache.cache_metric("q_1", "hit", 5, 1.0)
    return cache.get_cached_metric(query, metric, k, content)


def interval(n, level):
    return ragchat.calculate_confidence_interval([0.0, 1.0] * (n // 2), level)


CASES = {
    "twice": (
        lambda: ragchat.ndcg_at_k("a", "a;a", 2),
        lambda: (
            ragchat.ndcg_at_k("a", "x;x;a", 3),  # a copy that is not relevant
            ragchat.ndcg_at_k("a", "a;x;a", 2),  # a copy after the cutoff
            ragchat.hit_at_k("a", "a;a", 2),
            ragchat.recall_at_k("a", "a;a", 2),
            ragchat.mean_reciprocal_rank(["a"], ["a;a"]),
            batch("a;a", ["hit@2", "mrr"]),
            batch("a;x;a", ["ndcg@2"]),
        ),
    ),
    "graded but not relevant": (
        lambda: ragchat.ndcg_at_k("a", "x;a", 2, {"a": 1, "x": 2}),
        lambda: (
            ragchat.ndcg_at_k("a", "a;x", 1, {"a": 1, "x": 2}),  # after the cutoff
            ragchat.ndcg_at_k("a", "x;a", 2, {"a": 1, "x": 0}),
            ragchat.ndcg_at_k("a", "y;a", 2, {"a": 1, "x": 2}),  # not retrieved
        ),
    ),
    "grades in a batch": (
        lambda: batch("b;a", ["ndcg@5"], **LEVELS),
        lambda: (
            batch("b;a", ["ndcg@5"], relevance_grades={"a": 2, "b": 2}),  # the same factor everywhere
            batch("b;a", ["hit@5", "mrr"], **LEVELS),
            batch("b;a", ["ndcg@5"]),
        ),
    ),
    "interval": (lambda: interval(10, 0.95), lambda: (interval(400, 0.95), interval(400, 0.99))),
    "cache key": (
        lambda: cached("q", "1_hit", 5),
        lambda: (cached("q_1", "hit", 5), cached("q_2", "hit", 5), cached("q", "1_hit", 5, content=["a"])),
    ),
    "lengths": (
        lambda: ragchat.mean_reciprocal_rank(["a", "b"], ["a"]),
        lambda: ragchat.mean_reciprocal_rank(["a", "b"], ["a", "b"]),
    ),
    "unknown metric": (lambda: batch("a", ["ncdg@5"]), lambda: batch("a", ["ndcg@5"])),
}


@pytest.mark.parametrize("name", ragchat.DIFFERENCES)
def test_a_difference_is_noticed_where_it_matters(name):
    check_case(ragchat.DIFFERENCES, name, CASES[name], __file__)


def test_batches_and_levels_warn_too():
    with pytest.warns(ragchat.DifferenceWarning, match="retrieved twice"):
        batch("a;a", ["ndcg@5"])
    with pytest.warns(ragchat.DifferenceWarning, match="Student"):
        interval(400, 0.9)
    with pytest.warns(ragchat.DifferenceWarning, match="retrieved twice"):
        ragchat.reranking_improvement_at_k("a", "x;a", "a;a", 2)
