"""Seed 004, the metrics specification: every row and printed example, with the corrected numbers.

Its functions, with relevant ids first, are in `assay.compat.ragchat`.
"""

from __future__ import annotations

import inspect
import itertools
import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import assay
from assay.cli import main
from assay.compat import ragchat
from assay.compat.ragchat import (
    DifferenceWarning,
    MetricsCache,
    RetrievalMetricsSuite,
    average_precision_at_k,
    batch_evaluate_metrics,
    calculate_confidence_interval,
    evaluate_retrieval_batch,
    hit_at_k,
    load_config,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    statistical_significance_test,
)
from assay.evaluation import evaluate_routing
from assay.metrics import dcg_at_k, parse_metric
from assay.model import Column
from assay.views import Reranking, grade

IDS = [f"doc{number}" for number in range(6)]
QUERIES = [{"id": "1", "relevant_docs": ["doc1", "doc3", "doc5"]}, {"id": "2", "relevant_docs": "doc2;doc4"}]
RESULTS = [[{"id": "doc2"}, {"id": "doc1"}, {"id": "doc4"}], [{"id": "doc2"}, {"id": "doc9"}]]
PRINTED_YAML = """\
retrieval_metrics:
  enabled_metrics:
    - hit@1
    - hit@3
    - hit@5
    - hit@10
    - ndcg@5
    - ndcg@10
    - mrr
    - map@10

  graded_relevance: false  # Enable graded relevance scoring

  statistical_analysis:
    confidence_intervals: true
    significance_testing: true
    alpha_level: 0.05

  performance:
    batch_size: 100
    caching_enabled: true
    parallel_processing: true
"""


def printed(value):
    """A number as it is printed with six digits."""
    return pytest.approx(value, abs=5e-7)


# 3. Mathematical definitions
def test_printed_and_worked_definitions():
    assert hit_at_k(["doc1", "doc3", "doc5"], ["doc2", "doc1", "doc4"], 3) == 1
    assert mean_reciprocal_rank(["a", "a", "a"], ["a", ["x", "y", "a"], "x;y"]) == printed(0.444444)
    assert average_precision_at_k(["a", "c", "e"], list("abcde"), 5) == printed(0.755556)
    assert mean_average_precision(["a;c;e"], ["a;b;c;d;e"], 5) == printed(0.755556)
    assert recall_at_k("a;b;c", "a;x", 2) == pytest.approx(1 / 3)
    assert precision_at_k("a;b;c", "a;x", 10) == pytest.approx(1 / 2), "÷ what was retrieved, as printed"


def test_worked_ndcg_at_4_of_the_ranking_3_0_2_1():
    """Printed are 4.693 and 0.985, which belong to 3, 2, 0, 1."""
    grades = {"a": 3, "b": 2, "c": 1, "d": 0}
    assert dcg_at_k([3, 0, 2, 1], 4) == printed(4.430677)
    assert dcg_at_k([3, 2, 1, 0], 4) == printed(4.761860)
    assert ndcg_at_k(list(grades), ["a", "d", "b", "c"], 4, grades) == printed(0.930451)
    assert ndcg_at_k(list(grades), ["a", "b", "d", "c"], 4, grades) == pytest.approx(0.985, abs=1e-3)


# 4. MoE
def test_rows_of_routing_accuracy_and_gate_efficiency():
    routes = [("code", "code"), ("code", "law"), ("law", "law"), ("law", "law")]
    records = [{"query_id": str(n), "route": route, "optimal_expert": best} for n, (route, best) in enumerate(routes)]
    assert evaluate_routing(records, "routing_accuracy")["routing_accuracy"] == pytest.approx(3 / 4)
    gates = [(True, False), (True, True), (False, False), (False, True), (True, False)]
    records = [{"query_id": str(n), "gated": gated, "needs_retrieval": needed} for n, (gated, needed) in enumerate(gates)]
    found = evaluate_routing(records, "gate_efficiency")["gate_efficiency"]
    assert found == pytest.approx(100 * 2 / 5), "correctly skipped over all queries"


def test_row_reranking_improvement_is_a_ratio_of_means_and_undefined_at_0():
    metric = parse_metric("reranking_improvement@10")
    assert metric.metric.view == "reranking"
    dataset = assay.BenchmarkDataset("Reranked")
    for query in ("q1", "q2", "q3"):
        dataset.add_query(assay.Query(query, query))
        dataset.add_judgment(assay.RelevanceJudgment(query, "good", 1))
    for doc in ("good", "bad"):
        dataset.add_document(assay.Document(doc, doc))
    before = {"q1": ["bad", "good"], "q2": ["bad", "worse", "good"], "q3": ["bad"]}
    scores, overall = reranked(dataset, before, {query: ["good"] for query in before}, metric)
    first = 1 / math.log2(3)  # NDCG was that, 1 ÷ log₂ 4 = 0.5, and 0; it is 1 now
    assert scores == [pytest.approx(100 * (1 - first) / first), pytest.approx(100.0), pytest.approx(math.nan, nan_ok=True)]
    assert overall == pytest.approx(100 * (3 - (first + 0.5)) / (first + 0.5)) == pytest.approx(165.268459)
    nowhere = {query: ["bad"] for query in before}
    assert math.isnan(reranked(dataset, nowhere, before, metric)[1])


def test_row_reranking_improvement_of_two_runs_and_two_lists():
    qrels = {query: {"good": 1} for query in ("q1", "q2", "q3")}
    before = {"q1": ["bad", "good"], "q2": ["bad", "worse", "good"], "q3": ["bad"]}
    after = {query: ["good"] for query in before}
    found = assay.evaluate_reranking(qrels, before, after, "reranking_improvement@10")
    assert found["reranking_improvement@10"] == pytest.approx(165.268459)
    queries = [{"id": query, "relevant_docs": "good"} for query in qrels]
    batch = ragchat.evaluate_reranking_batch(queries, list(before.values()), list(after.values()))
    assert batch["reranking_improvement"] == pytest.approx(165.268459)
    assert ragchat.reranking_improvement_at_k("good", before["q2"], after["q2"]) == pytest.approx(100)
    assert math.isnan(ragchat.reranking_improvement_at_k("good", before["q3"], after["q3"])), "NDCG was 0 before"


def test_printed_formulas_of_section_4():
    """Names and units as printed there."""
    assert ragchat.routing_accuracy(["code", "code", "law", "law"], ["code", "law", "law", "law"]) == 3 / 4
    saved = ragchat.retrievals_saved([True, True, False, False, True], [False, True, False, True, False])
    assert ragchat.gate_efficiency(retrievals_saved=saved, total_queries=5) == pytest.approx(100 * 2 / 5)
    assert ragchat.reranking_improvement(ndcg_reranked=0.9, ndcg_baseline=0.6) == pytest.approx(50)
    assert ragchat.reranking_improvement([1.0, 0.5], [0.5, 0.5]) == pytest.approx(50), "the change of the mean"
    assert math.isnan(ragchat.reranking_improvement(0.5, 0.0))
    assert (ragchat.gate_efficiency(0, 0), ragchat.routing_accuracy([], [])) == (0.0, 0.0)


def reranked(dataset, before, after, metric):
    """Scores of queries, and the summary, of a metric of two rankings."""
    views = [grade(assay.Run(run), dataset.judged(), assay.Policy()).run for run in (before, after)]
    column = Column.of(metric.score(Reranking(*views)), metric.metric.aggregation)
    return column.score.tolist(), column.summary()


# 5. Implementation
def printed_ndcg(relevant, predicted, k, grades):
    """As it stands there, for ids that come once."""

    def gain(one):
        return (grades.get(one, 0) if grades else 1.0) if one in relevant else 0.0

    dcg = sum(gain(one) / math.log2(rank + 2) for rank, one in enumerate(predicted[:k]))
    ideal = sorted(map(gain, relevant), reverse=True)[:k]
    idcg = sum(value / math.log2(rank + 2) for rank, value in enumerate(ideal))
    return dcg / idcg if idcg > 0 else 0.0


@given(
    relevant=st.lists(st.sampled_from(IDS), unique=True),
    predicted=st.lists(st.sampled_from(IDS), unique=True),
    k=st.integers(1, 8),
    grades=st.none() | st.dictionaries(st.sampled_from(IDS), st.floats(0, 3)),
)
@pytest.mark.filterwarnings("ignore::assay.compat.ragchat.DifferenceWarning")
def test_printed_functions_give_these_numbers(relevant, predicted, k, grades):
    assert ndcg_at_k(relevant, predicted, k, grades) == pytest.approx(printed_ndcg(relevant, predicted, k, grades))
    assert hit_at_k(relevant, predicted, k) == float(any(one in relevant for one in predicted[:k]))
    ranks = [rank for rank, one in enumerate(predicted, 1) if one in relevant]
    assert mean_reciprocal_rank([relevant], [predicted]) == pytest.approx(1 / ranks[0] if ranks else 0.0)


def test_printed_signatures_and_argument_order():
    signatures = {
        hit_at_k: ["relevant_ids", "predicted_ids", "k"],
        ndcg_at_k: ["relevant_ids", "predicted_ids", "k", "relevance_grades"],
        mean_reciprocal_rank: ["relevant_ids_list", "predicted_ids_list"],
        evaluate_retrieval_batch: ["queries", "retrieval_results", "metrics"],
        calculate_confidence_interval: ["scores", "confidence_level"],
        statistical_significance_test: ["scores_a", "scores_b", "alpha"],
        batch_evaluate_metrics: ["queries", "batch_size"],
        MetricsCache.get_cached_metric: ["self", "query_id", "metric", "k"],
        MetricsCache.cache_metric: ["self", "query_id", "metric", "k", "value"],
        RetrievalMetricsSuite.evaluate: ["self", "metric_name", "args", "kwargs"],
    }
    for function, names in signatures.items():
        assert list(inspect.signature(function).parameters)[: len(names)] == names
    assert inspect.signature(hit_at_k).parameters["k"].default == 10
    assert inspect.signature(ndcg_at_k).parameters["k"].default == 10
    assert inspect.signature(batch_evaluate_metrics).parameters["batch_size"].default == 100


def test_row_ids_are_one_string_several_joined_or_a_list():
    for relevant in ("doc1;doc3", "doc1; doc3;", ["doc1", "doc3"], ("doc1", "doc3"), {"doc1", "doc3"}):
        for predicted in ("doc2;doc1", ["doc2", "doc1"]):
            found = ndcg_at_k(relevant, predicted, 2)
            assert found == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3))), (relevant, predicted)
    assert hit_at_k("doc1", "doc1") == 1.0


def test_printed_evaluate_retrieval_batch_with_its_metrics():
    found = evaluate_retrieval_batch(QUERIES, RESULTS)
    assert list(found) == ["hit@1", "hit@3", "hit@5", "ndcg@5", "ndcg@10", "mrr"]
    assert (found["hit@1"], found["hit@3"], found["mrr"]) == (1 / 2, 1.0, pytest.approx(3 / 4))


def test_row_evaluate_retrieval_batch_honours_grades_and_refuses_unequal_lengths():
    graded = [{"relevant_docs": "a;b", "relevance_grades": {"a": 3, "b": 1}}]
    with pytest.warns(DifferenceWarning, match="relevance_grades"):
        found = evaluate_retrieval_batch(graded, [["b", "a"]], ["ndcg@2"])
    assert found["ndcg@2"] == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    partly = [{"relevant_docs": ["a", "b"], "relevance_grades": {"a": 2}}]
    with pytest.warns(DifferenceWarning, match="relevance_grades"):
        found = evaluate_retrieval_batch(partly, [["b"]], ["hit@5", "mrr", "recall@5", "ndcg@5"])
    assert found == {"hit@5": 1.0, "mrr": 1.0, "recall@5": 0.5, "ndcg@5": 0.0}, "b is relevant, and gains nothing"
    assert hit_at_k(["a", "b"], ["b"], 5) == mean_reciprocal_rank([["a", "b"]], [["b"]]) == 1.0
    with pytest.raises(assay.DataError, match="found 2 and 1"):
        evaluate_retrieval_batch(QUERIES, RESULTS[:1])
    with pytest.raises(assay.DataError, match="found 2 and 1"):
        mean_reciprocal_rank(["a", "b"], ["a"])


def test_row_an_unknown_metric_in_a_batch_is_an_error_with_near_matches():
    with pytest.raises(assay.UnknownName, match="ndcg@10"):
        evaluate_retrieval_batch(QUERIES, RESULTS, ["ncdg@10"])


# 6. Statistical analysis
@pytest.mark.filterwarnings("ignore::assay.compat.ragchat.DifferenceWarning")
def test_printed_calculate_confidence_interval_with_the_real_quantile():
    scores = [0.2, 0.4, 0.9, 1.0, 0.5]
    with pytest.warns(DifferenceWarning, match="Student"):
        calculate_confidence_interval(scores, 0.9)
    for level in (0.9, 0.95, 0.99):
        margin = stats.t.ppf((1 + level) / 2, 4) * statistics.stdev(scores) / math.sqrt(5)
        assert calculate_confidence_interval(scores, level) == pytest.approx((0.6 - margin, 0.6 + margin)), level


def test_printed_statistical_significance_test():
    a, b = [0.9, 0.8, 0.7, 0.9], [0.1, 0.2, 0.4, 0.3]
    found = statistical_significance_test(a, b)
    t_stat, p_value = stats.ttest_ind(a, b)
    assert found == {
        "t_statistic": pytest.approx(t_stat),
        "p_value": pytest.approx(p_value),
        "significant": True,
        "mean_a": pytest.approx(0.825),
        "mean_b": pytest.approx(0.25),
    }


# 7. Known test cases
def test_printed_cases_1_and_2_perfect_retrieval_and_nothing_relevant_retrieved():
    for retrieved, value in ((["doc1", "doc2", "doc3", "doc4"], 1.0), (["doc3", "doc4", "doc5", "doc6"], 0.0)):
        found = [function(["doc1", "doc2"], retrieved, k) for function in (hit_at_k, ndcg_at_k) for k in (1, 2, 10)]
        assert [*found, mean_reciprocal_rank([["doc1", "doc2"]], [retrieved])] == [value] * 7, retrieved


def test_worked_case_3_partial_retrieval():
    """NDCG@4 is printed as about 0.693."""
    relevant, retrieved = ["doc1", "doc2", "doc3"], ["doc4", "doc1", "doc5", "doc2"]
    assert (hit_at_k(relevant, retrieved, 2), hit_at_k(relevant, retrieved, 1)) == (1.0, 0.0)
    assert ndcg_at_k(relevant, retrieved, 4) == printed(0.498189)
    assert ndcg_at_k(relevant, retrieved, 2) == printed(0.386853)
    assert precision_at_k(relevant, retrieved, 4) == 0.5
    assert recall_at_k(relevant, retrieved, 4) == printed(0.666667)
    assert average_precision_at_k(relevant, retrieved, 4) == printed(0.333333)
    assert average_precision_at_k(relevant, retrieved, 2) == printed(0.166667)
    by_min = assay.evaluate({"q": dict.fromkeys(relevant, 1)}, {"q": retrieved}, "map(norm=min)@2")
    assert by_min["map(norm=min)@2"] == pytest.approx(0.25)
    assert mean_reciprocal_rank([relevant], [retrieved]) == 0.5


def test_printed_edge_cases():
    for function in (hit_at_k, ndcg_at_k, recall_at_k, precision_at_k, average_precision_at_k):
        for relevant, retrieved in (([], ["a"]), ("", "a"), (["a"], []), (["a"], "")):
            assert function(relevant, retrieved, 10) == 0.0, (function, relevant, retrieved)
        assert function("a", "a", 1) == 1.0, function
        assert 0 < function("a", "b;a", 99) <= 1, function


# 8. Performance considerations
def test_row_batch_evaluate_metrics_really_works():
    queries = [{**QUERIES[number % 2], "id": str(number)} for number in range(7)]
    results = [RESULTS[number % 3 % 2] for number in range(7)]
    wanted = evaluate_retrieval_batch(queries, results)
    for batch_size, parallel in itertools.product((2, 100), (False, True)):
        assert batch_evaluate_metrics(queries, batch_size, results, parallel=parallel) == wanted, (batch_size, parallel)
    bringing = [{**query, "retrieval_results": hits} for query, hits in zip(queries, results, strict=True)]
    assert batch_evaluate_metrics(bringing, batch_size=2) == wanted


def test_printed_metrics_cache_whose_keys_do_not_collide_and_heed_the_data():
    cache = MetricsCache()
    assert cache.get_cached_metric("q1", "ndcg", 10) is None
    cache.cache_metric("q1", "ndcg", 10, 0.5)
    assert cache.get_cached_metric("q1", "ndcg", 10) == 0.5
    cache.cache_metric("a_b", "c", 1, 0.1)
    with pytest.warns(DifferenceWarning, match="cache entries"):
        assert cache.get_cached_metric("a", "b_c", 1) is None
    first = evaluate_retrieval_batch(QUERIES, RESULTS, ["mrr"], cache=cache)
    changed = [[{"id": "doc1"}], RESULTS[1]]
    assert evaluate_retrieval_batch(QUERIES, changed, ["mrr"], cache=cache)["mrr"] == 1.0 != first["mrr"]
    assert evaluate_retrieval_batch(QUERIES, RESULTS, ["mrr"], cache=cache) == first


# 9. Integration
def test_printed_retrieval_metrics_suite():
    suite = RetrievalMetricsSuite()
    assert list(suite.metrics) == ["hit", "ndcg", "mrr", "map", "recall", "precision"]
    assert suite.evaluate("hit", ["a"], ["b", "a"], k=1) == 0.0
    assert suite.evaluate("ndcg", ["a"], ["b", "a"], k=2) == pytest.approx(1 / math.log2(3))
    assert suite.evaluate("mrr", [["a"]], [["b", "a"]]) == suite.evaluate("map", [["a"]], [["b", "a"]]) == 1 / 2
    assert suite.evaluate("recall", "a;c", "b;a") == suite.evaluate("precision", "a;c", "b;a") == 1 / 2
    with pytest.raises(ValueError, match=r"'mpa'\. Did you mean map"):
        suite.evaluate("mpa")


def test_printed_configuration(tmp_path):
    (tmp_path / "config.yaml").write_text(PRINTED_YAML)
    config = load_config(tmp_path / "config.yaml")
    assert config.enabled_metrics == ("hit@1", "hit@3", "hit@5", "hit@10", "ndcg@5", "ndcg@10", "mrr", "map@10")
    assert (config.graded_relevance, config.alpha_level) == (False, 0.05)
    assert (config.batch_size, config.caching_enabled, config.parallel_processing) == (100, True, True)
    found = config.evaluate(QUERIES, RESULTS, baseline_results=[["doc9"], ["doc2"]])
    assert found["metrics"] == evaluate_retrieval_batch(QUERIES, RESULTS, config.enabled_metrics)
    assert list(found["confidence_intervals"]) == list(found["significance"]) == list(config.enabled_metrics)


def test_row_graded_relevance_false_makes_grades_binary():
    block = {"enabled_metrics": ["ndcg@2"], "graded_relevance": False}
    queries, results = [{"relevant_docs": {"a": 3, "b": 1}}], [["b", "a"]]
    assert load_config({"retrieval_metrics": block}).evaluate(queries, results)["metrics"] == {"ndcg@2": 1.0}
    graded = load_config({"retrieval_metrics": {**block, "graded_relevance": True}})
    assert graded.evaluate(queries, results)["metrics"]["ndcg@2"] < 1


def test_row_unknown_keys_are_errors():
    for wrong in ({"enabled_metric": []}, {"performance": {"batchsize": 1}}, {"statistical_analysis": {"alpha": 0.1}}):
        with pytest.raises(assay.UnknownName):
            load_config({"retrieval_metrics": {"enabled_metrics": ["mrr"], **wrong}})


def test_row_the_block_is_read_by_a_plan_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.yaml").write_text(f"benchmarks: [rag-template]\nproviders: [random_order]\n{PRINTED_YAML}")
    assert main(["eval", "plan.yaml", "--no-store", "--quiet"]) == 0
    assert "map@10" in capsys.readouterr().out


# 10. Future enhancements
def test_row_err_rbp_and_q_measure():
    """Grades 3 and 1 at the first and the third rank, the largest grade 3, two relevant."""
    wanted = {
        "err@10": 7 / 8 + 1 / 3 * (1 - 7 / 8) * 1 / 8,
        "rbp(p=0.8)": 0.2 * (1 + 0.8**2),
        "q_measure": ((1 + 3) / (1 + 3) + (2 + 4) / (3 + 4)) / 2,
    }
    found = assay.evaluate({"q": {"a": 3, "b": 1}}, {"q": ["a", "x", "b"]}, list(wanted))
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)


# Mistakes in the originals
def test_mistakes_duplicate_ids_and_grades_of_what_is_not_relevant_add_nothing():
    with pytest.warns(DifferenceWarning, match="twice"):
        assert ndcg_at_k("a;b", "a;a;b") == pytest.approx((1 + 1 / math.log2(4)) / (1 + 1 / math.log2(3)))
    with pytest.warns(DifferenceWarning, match="twice"):
        assert ndcg_at_k("a", "a;a;a") == recall_at_k("a", "a;a;a") == 1.0
    with pytest.warns(DifferenceWarning, match="not relevant"):
        assert ndcg_at_k("a", "b;a", 2, {"a": 1, "b": 5}) == pytest.approx(1 / math.log2(3))


def test_mistake_no_queries_do_not_crash():
    assert evaluate_retrieval_batch([], [], ["mrr"]) == batch_evaluate_metrics([], metrics=["mrr"]) == {"mrr": 0.0}
    with pytest.raises(assay.DataError):
        calculate_confidence_interval([])
