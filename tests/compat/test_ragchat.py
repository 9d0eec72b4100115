"""compat.ragchat: what tests/seeds/test_seed_004.py does not say about it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.compat.ragchat import (
    MetricsCache,
    batch_evaluate_metrics,
    evaluate_retrieval_batch,
    hit_at_k,
    load_config,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
)

IDS = st.sampled_from("abcdef")
CONTENT = st.recursive(
    st.none() | st.text(max_size=3) | st.integers(0, 3) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(
    cases=st.lists(st.tuples(st.lists(IDS, unique=True), st.lists(IDS)), max_size=6),
    batch_size=st.integers(1, 7),
)
def test_a_batch_is_the_mean_of_its_queries_whatever_its_size(cases, batch_size):
    queries = [{"relevant_docs": relevant} for relevant, _ in cases]
    results = [retrieved for _, retrieved in cases]
    found = batch_evaluate_metrics(queries, batch_size, results, ["hit@2", "ndcg@3", "precision@5", "mrr", "map"])
    assert found == evaluate_retrieval_batch(queries, results, list(found))
    means = {
        name: sum(function(*case, k) for case in cases) / max(len(cases), 1)
        for name, function, k in [("hit@2", hit_at_k, 2), ("ndcg@3", ndcg_at_k, 3), ("precision@5", precision_at_k, 5)]
    }
    relevant = [one for one, _ in cases]
    means |= {"mrr": mean_reciprocal_rank(relevant, results), "map": mean_average_precision(relevant, results)}
    assert found == pytest.approx(means)


def test_names_of_metrics_stay_as_they_were_asked_for():
    found = evaluate_retrieval_batch([{"relevant_docs": "a"}], ["b;a"], ["NDCG@5", "precision_at_2", "P(over=k)@4"])
    assert found == {"NDCG@5": pytest.approx(1 / math.log2(3)), "precision_at_2": 1 / 2, "P(over=k)@4": 1 / 4}


def test_hits_may_be_ids_or_carry_their_id_under_another_name():
    assert evaluate_retrieval_batch([{"relevant_docs": [7]}], [[{"chunk_id": 7}]], ["hit@1"]) == {"hit@1": 1.0}
    assert evaluate_retrieval_batch([{"relevant_docs": "7"}], [[7]], ["hit@1"]) == {"hit@1": 1.0}


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: evaluate_retrieval_batch([{}], [[]]), assay.DataError, "a map with relevant_docs"),
        (lambda: evaluate_retrieval_batch([{"relevant_docs": 7}], [[]]), assay.DataError, "ids are one text"),
        (lambda: evaluate_retrieval_batch([{"relevant_docs": "a"}], [[{"text": "?"}]]), assay.DataError, "needs an id"),
        (lambda: batch_evaluate_metrics([{"relevant_docs": "a"}]), assay.DataError, "without retrieval_results"),
        (lambda: batch_evaluate_metrics([], 0), assay.BadParameter, "batch_size is a whole number from 1 up, not 0"),
        (lambda: batch_evaluate_metrics([], True), assay.BadParameter, "batch_size"),
        (lambda: hit_at_k("a", "a", 0), assay.BadParameter, "k is a whole number from 1 up, not 0"),
        (lambda: ndcg_at_k("a", "a", 1, {"a": "high"}), assay.DataError, "grade"),
        (lambda: load_config({}), assay.DataError, "expected a block retrieval_metrics:, found nothing"),
        (lambda: load_config("nowhere.yaml"), assay.DataError, "no such file"),
        (lambda: load_config({"retrieval_metrics": {"enabled_metrics": ["ncdg@5"]}}), assay.UnknownName, "ndcg@5"),
    ],
)
def test_what_cannot_be_used_is_told(call, error, said):
    with pytest.raises(error, match=said):
        call()


# The cache


def test_the_cache_spares_what_is_known(monkeypatch):
    asked = []

    def counting(qrels, run, metrics):
        asked.append(len(run))
        return assay.evaluate(qrels, run, metrics)

    monkeypatch.setattr("assay.compat.ragchat._batch.evaluate", counting)
    cache = MetricsCache()
    queries = [{"id": "1", "relevant_docs": "a"}, {"id": "2", "relevant_docs": "b"}]
    first = evaluate_retrieval_batch(queries, ["a", "a"], ["mrr"], cache=cache)
    assert evaluate_retrieval_batch(queries, ["a", "a"], ["mrr"], cache=cache) == first == {"mrr": 0.5}
    assert evaluate_retrieval_batch(queries, ["a", "b"], ["mrr"], cache=cache) == {"mrr": 1.0}
    assert asked == [2, 1]
    assert len(cache) == 3


@given(CONTENT, CONTENT)
def test_other_content_is_another_key(one, other):
    cache = MetricsCache()
    cache.cache_metric("q", "mrr", 1, 0.5, content=one)
    assert cache.get_cached_metric("q", "mrr", 1, content=one) == 0.5
    if repr(one) != repr(other) and one != other:
        assert cache.get_cached_metric("q", "mrr", 1, content=other) is None


def test_the_order_of_sets_and_maps_does_not_matter_and_that_of_lists_does():
    cache = MetricsCache()
    cache.cache_metric("q", "mrr", 1, 0.5, content=[{"a": 1, "b": 2}, {"x", "y"}, ["c", "d"]])
    assert cache.get_cached_metric("q", "mrr", 1, content=[{"b": 2, "a": 1}, {"y", "x"}, ["c", "d"]]) == 0.5
    assert cache.get_cached_metric("q", "mrr", 1, content=[{"b": 2, "a": 1}, {"y", "x"}, ["d", "c"]]) is None


# The configuration


def test_what_the_block_leaves_out_is_as_usual():
    config = load_config({"retrieval_metrics": {"enabled_metrics": ["mrr"]}})
    assert (config.graded_relevance, config.batch_size, config.caching_enabled, config.parallel_processing) == (
        *(True, 100, True, False),
    )
    found = config.evaluate([{"relevant_docs": "a"}, {"relevant_docs": "b"}], ["a", "a"])
    assert found["metrics"] == {"mrr": 0.5}
    assert "significance" not in found
    assert load_config({"retrieval_metrics": {"enabled_metrics": ["mrr"]}}).evaluate([], []) == {"metrics": {"mrr": 0.0}}


def test_what_is_switched_off_is_not_worked_out():
    block = {
        "enabled_metrics": ["mrr"],
        "statistical_analysis": {"confidence_intervals": False, "significance_testing": False},
        "performance": {"caching_enabled": False},
    }
    config = load_config({"retrieval_metrics": block})
    assert config.evaluate([{"relevant_docs": "a"}], ["a"], ["b"]) == {"metrics": {"mrr": 1.0}}
    assert len(config.cache) == 0
