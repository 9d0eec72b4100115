"""compat.ragchat: what tests/seeds/test_seed_004.py does not say about it."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.compat import ragchat
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
    recall_at_k,
)

IDS = st.sampled_from("abcdef")
GRADES = st.none() | st.dictionaries(IDS, st.integers(0, 3))
CONTENTS = [
    *(None, "", "a", "None", "1", 1, True, 1.0, [], {}, [1], ["1"], [[1]], [1, [2]], [1, 2], [2, 1], [[1], 2]),
    *({"a": 1}, {"a": 2}, {"b": 1}, [["a", 1]], [("a", 1), ("b", 2)], {"a": 1, "b": 2}, {"a": {"b": 1}}, {"a"}, ["a"]),
]


@given(
    cases=st.lists(st.tuples(st.lists(IDS, unique=True), st.lists(IDS), GRADES), max_size=5), batch_size=st.integers(1, 6)
)
@pytest.mark.filterwarnings("ignore::assay.compat.ragchat.DifferenceWarning")
def test_a_batch_is_the_mean_of_its_queries_whatever_its_size_and_their_grades(cases, batch_size):
    """What each function by itself says about a query; only NDCG asks for grades."""
    queries = [{"relevant_docs": relevant, "relevance_grades": grades} for relevant, _, grades in cases]
    results = [retrieved for _, retrieved, _ in cases]
    by_list = [("hit@2", hit_at_k, 2), ("precision@5", precision_at_k, 5), ("recall@3", recall_at_k, 3)]
    names = [name for name, _, _ in by_list]
    found = batch_evaluate_metrics(queries, batch_size, results, [*names, "ndcg@3", "mrr", "map"])
    assert found == evaluate_retrieval_batch(queries, results, list(found))
    n = max(len(cases), 1)
    means = {name: sum(function(*case[:2], k) for case in cases) / n for name, function, k in by_list}
    means["ndcg@3"] = sum(ndcg_at_k(relevant, retrieved, 3, grades) for relevant, retrieved, grades in cases) / n
    relevant = [one for one, _, _ in cases]
    means |= {"mrr": mean_reciprocal_rank(relevant, results), "map": mean_average_precision(relevant, results)}
    assert found == pytest.approx(means)


GRADED = [{"id": "1", "relevant_docs": {"a": 1}}, {"id": "2", "relevant_docs": {"a": 3}}]


def test_the_scale_ends_at_the_largest_grade_of_all_queries():
    """ERR of the first query is 1/8 and of the second 7/8; a batch of its own would give the first 1/2."""
    for batch_size, parallel in itertools.product((1, 2, 100), (False, True)):
        found = batch_evaluate_metrics(GRADED, batch_size, [["a"], ["a"]], ["err@5"], parallel=parallel)
        assert found == {"err@5": pytest.approx(0.5)}, (batch_size, parallel)


def test_the_cache_heeds_the_largest_grade():
    cache = MetricsCache()
    binary = [GRADED[0], {"id": "2", "relevant_docs": {"a": 1}}]
    assert evaluate_retrieval_batch(binary, [["a"], ["a"]], ["err@5"], cache=cache) == {"err@5": 0.5}
    assert evaluate_retrieval_batch(GRADED, [["a"], ["a"]], ["err@5"], cache=cache) == {"err@5": pytest.approx(0.5)}
    assert evaluate_retrieval_batch(GRADED, [["a"], []], ["err@5"], cache=cache) == {"err@5": pytest.approx(1 / 16)}


def test_what_is_no_mean_has_its_own_figure():
    queries, results = [{"relevant_docs": "a;b"}, {"relevant_docs": "a"}], [["a", "b"], ["x"]]
    found = evaluate_retrieval_batch(queries, results, ["num_rel", "gm_map"])
    assert found == {"num_rel": 3.0, "gm_map": pytest.approx(math.sqrt(1e-5))}
    config = load_config({"retrieval_metrics": {"enabled_metrics": ["num_rel", "mrr"]}})
    assert config.evaluate(queries, results, results)["metrics"] == {"num_rel": 3.0, "mrr": 0.5}
    for part in ("confidence_intervals", "significance"):
        assert list(config.evaluate(queries, results, results)[part]) == ["mrr"]


def test_names_and_ids_in_any_form():
    one = [{"relevant_docs": "a"}]
    assert evaluate_retrieval_batch(one, ["a"], "mrr") == {"mrr": 1.0}
    assert batch_evaluate_metrics(one, 1, ["a"], metrics="hit@1") == {"hit@1": 1.0}
    found = evaluate_retrieval_batch(one, ["b;a"], ["NDCG@5", "precision_at_2", "P(over=k)@4"])
    assert found == {"NDCG@5": pytest.approx(1 / math.log2(3)), "precision_at_2": 1 / 2, "P(over=k)@4": 1 / 4}
    assert evaluate_retrieval_batch([{"relevant_docs": [7]}], [[{"chunk_id": 7}]], ["hit@1"]) == {"hit@1": 1.0}
    assert evaluate_retrieval_batch([{"relevant_docs": "7"}], [[7]], ["hit@1"]) == {"hit@1": 1.0}


def test_what_cannot_be_used(snapshots):
    one = [{"relevant_docs": "a"}]

    def config(**block):
        return lambda: load_config({"retrieval_metrics": block})

    cases = {
        "no relevant_docs": lambda: evaluate_retrieval_batch([{}], [[]]),
        "a number": lambda: evaluate_retrieval_batch([{"relevant_docs": 7}], [[]]),
        "no id": lambda: evaluate_retrieval_batch(one, [[{"text": "?"}]]),
        "no results": lambda: batch_evaluate_metrics(one),
        "no maps": lambda: batch_evaluate_metrics(["a"]),
        "batch size": lambda: batch_evaluate_metrics([], 0),
        "batch size, a truth value": lambda: batch_evaluate_metrics([], True),
        "text": lambda: evaluate_retrieval_batch([], [], ["runid"]),
        "no ranking": lambda: evaluate_retrieval_batch([], [], ["latency"]),
        "one query": lambda: evaluate_retrieval_batch(one[0], ["a"]),
        "one result": lambda: evaluate_retrieval_batch(one, "a"),
        "two texts": lambda: mean_reciprocal_rank("ab", "ab"),
        "one text": lambda: mean_average_precision(["a"], "a"),
        "grades": lambda: ndcg_at_k("a", "a", 1, ["a"]),
        "a grade": lambda: ndcg_at_k("a", "a", 1, {"a": "high"}),
        "k": lambda: hit_at_k("a", "a", 0),
        "routes and experts": lambda: ragchat.routing_accuracy(["a"], ["a", "b"]),
        "one route": lambda: ragchat.routing_accuracy("a", "a"),
        "gate decisions in words": lambda: ragchat.retrievals_saved(["yes"], [True]),
        "more saved than there are": lambda: ragchat.gate_efficiency(3, 2),
        "part of a query": lambda: ragchat.gate_efficiency(0.5, 2),
        "an NDCG in per cent": lambda: ragchat.reranking_improvement(90, 60),
        "an NDCG in words": lambda: ragchat.reranking_improvement("high", 0.5),
        "NDCGs of other queries": lambda: ragchat.reranking_improvement([0.5], [0.5, 0.1]),
        "reranked results of other queries": lambda: ragchat.evaluate_reranking_batch(one, ["a"], ["a", "b"]),
        "configuration, text": config(enabled_metrics=["relstring"]),
        "configuration, no metric": config(enabled_metrics=[]),
        "configuration, two faults": config(performance={"parallel_processing": "often", "batch_size": 0}),
        "configuration, unknown": config(enabled_metrics=["ncdg@5"]),
        "configuration, no block": lambda: load_config({}),
        "configuration, no file": lambda: load_config("nowhere.yaml"),
    }
    snapshots.check_errors("compat/ragchat", cases)


# The cache
def test_other_content_is_another_key():
    """The order of sets and maps does not matter, and that of lists does."""
    cache = MetricsCache()
    for place, content in enumerate(CONTENTS):
        cache.cache_metric("q", "mrr", 1, float(place), content=content)
    found = [cache.get_cached_metric("q", "mrr", 1, content=content) for content in CONTENTS]
    assert found == list(range(len(CONTENTS)))
    cache.cache_metric("q", "mrr", 1, 0.5, content=[{"a": 1, "b": 2}, {"x", "y"}, ["c", "d"]])
    assert cache.get_cached_metric("q", "mrr", 1, content=[{"b": 2, "a": 1}, {"y", "x"}, ["c", "d"]]) == 0.5
    assert cache.get_cached_metric("q", "mrr", 1, content=[{"b": 2, "a": 1}, {"y", "x"}, ["d", "c"]]) is None


# The configuration
def test_what_the_block_leaves_out_is_as_usual():
    config = load_config({"retrieval_metrics": {"enabled_metrics": ["mrr"]}})
    assert (config.graded_relevance, config.batch_size) == (True, 100)
    assert (config.caching_enabled, config.parallel_processing) == (True, False)
    found = config.evaluate([{"relevant_docs": "a"}, {"relevant_docs": "b"}], ["a", "a"])
    assert (found["metrics"], "significance" in found) == ({"mrr": 0.5}, False)
    assert config.evaluate([], []) == {"metrics": {"mrr": 0.0}}
    empty = load_config({"retrieval_metrics": None})
    assert list(empty.evaluate([], [])["metrics"]) == list(evaluate_retrieval_batch([], []))
    off = load_config({"retrieval_metrics": {"performance": {"parallel_processing": "no", "caching_enabled": "off"}}})
    assert (off.parallel_processing, off.caching_enabled) == (False, False)


def test_intervals_end_where_the_metric_does():
    """Student's interval of 0 and 1 is from −5.85 to 6.85."""
    config = load_config({"retrieval_metrics": {"enabled_metrics": ["hit@1", "dcg@1"]}})
    queries = [{"relevant_docs": {"a": 4}}, {"relevant_docs": {"b": 4}}]
    found = config.evaluate(queries, ["a", "a"])["confidence_intervals"]
    assert found["hit@1"] == (0.0, 1.0)
    assert found["dcg@1"] == (0.0, pytest.approx(2 + 12.706205 * 2))


def test_what_is_switched_off_is_not_worked_out():
    block = {
        "enabled_metrics": ["mrr"],
        "statistical_analysis": {"confidence_intervals": False, "significance_testing": False},
        "performance": {"caching_enabled": False},
    }
    config = load_config({"retrieval_metrics": block})
    assert config.evaluate([{"relevant_docs": "a"}], ["a"], ["b"]) == {"metrics": {"mrr": 1.0}}
    assert len(config.cache) == 0
