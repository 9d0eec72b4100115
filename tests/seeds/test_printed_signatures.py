"""The signatures that the source documents print, as facts, beside those of the drop-ins; and calls by the printed names."""

from __future__ import annotations

import ast
import inspect
import json
import types

import pytest

from assay.compat import loop, memorybench, phentrieve, ragchat

LOOP = """
precision_at_k(retrieved_ids, relevant_ids, k)
recall_at_k(retrieved_ids, relevant_ids, k)
f1_at_k(retrieved_ids, relevant_ids, k)
hit_rate_at_k(retrieved_ids, relevant_ids, k)
mrr_at_k(retrieved_ids, relevant_ids, k)
average_precision_at_k(retrieved_ids, relevant_ids, k)
ndcg_at_k(relevance_scores, k)
mean_precision_at_k(all_queries, k)
mean_recall_at_k(all_queries, k)
mean_mrr_at_k(all_queries, k)
mean_average_precision_at_k(all_queries, k)
mean_ndcg_at_k(all_queries, k)
detect_metric_anomalies(current_metrics, previous_metrics, threshold)
BatchEvaluator(k_values)
BatchEvaluator.evaluate_query(self, query_id, retrieved_ids, relevant_ids, relevance_scores)
BatchEvaluator.get_aggregate_metrics(self)
BenchmarkDataset(name, version)
BenchmarkDataset.from_json(filepath)
BenchmarkDataset.from_trec_qrels(filepath)
BenchmarkDataset.save_json(self, filepath)
BenchmarkDataset.save_trec_qrels(self, filepath)
BenchmarkDataset.get_statistics(self)
BenchmarkDataset.get_relevant_docs(self, query_id)
BenchmarkDataset.get_relevance_grade(self, query_id, doc_id)
ReproducibleEvaluationRunner(dataset, model_name, model_version)
ReproducibleEvaluationRunner.evaluate_run(self, retrieval_results, metrics_module)
ReproducibleEvaluationRunner.save_results(self, filepath)
BenchmarkComparison.compare_runs(runs_results)
BenchmarkComparison.find_best_run(runs_results, metric)
Query(query_id, text, query_type=None, difficulty=None, domain=None, metadata=None)
Document(doc_id, text, source=None, page_number=None, section=None, metadata=None)
RelevanceJudgment(query_id, doc_id, relevance_grade, judge=None, timestamp=None)
"""
PHENTRIEVE = """
mean_reciprocal_rank(results, expected_ids)
hit_rate_at_k(results, expected_ids, k=5)
calculate_test_case_max_ont_sim(expected_ids, retrieved_ids, formula)
ndcg_at_k(results, expected_ids, k=10, relevance_scores=None)
recall_at_k(results, expected_ids, k=10)
precision_at_k(results, expected_ids, k=10)
average_precision_at_k(results, expected_ids, k=10)
bootstrap_confidence_interval(values, n_bootstrap=1000, confidence_level=0.95, metric_fn=...)
paired_bootstrap_test(values_a, values_b, n_bootstrap=10000)
evaluate_multilingual_model(model_name, languages=['de', 'en', 'fr', 'es', 'nl'])
SingleTermRetrievalMetrics(mrr, hit_rate_at_k, max_ont_sim_at_k, ndcg_at_k, recall_at_k, precision_at_k, map_at_k)
"""
RAGCHAT = """
hit_at_k(relevant_ids, predicted_ids, k=10)
ndcg_at_k(relevant_ids, predicted_ids, k=10, relevance_grades=None)
mean_reciprocal_rank(relevant_ids_list, predicted_ids_list)
evaluate_retrieval_batch(queries, retrieval_results, metrics=None)
calculate_confidence_interval(scores, confidence_level=0.95)
statistical_significance_test(scores_a, scores_b, alpha=0.05)
batch_evaluate_metrics(queries, batch_size=100)
MetricsCache()
MetricsCache.get_cached_metric(self, query_id, metric, k)
MetricsCache.cache_metric(self, query_id, metric, k, value)
RetrievalMetricsSuite()
RetrievalMetricsSuite.evaluate(self, metric_name)
"""
MEMORYBENCH = """
computeMetrics(retrievedIds, relevantSet, k)
NDCGAtKMetric(k, f1Threshold=0.3)
NDCGAtKMetric.compute(self, results)
RecallAtKMetric(k, f1Threshold=0.3)
PrecisionAtKMetric(k, f1Threshold=0.3)
MRRMetric(f1Threshold=0.3)
getBuiltinMetrics()
calculateRecallAtK(results, k)
calculatePrecisionAtK(results, k)
"""
ALL = [
    (module, line)
    for module, text in ((loop, LOOP), (phentrieve, PHENTRIEVE), (ragchat, RAGCHAT), (memorybench, MEMORYBENCH))
    for line in text.strip().splitlines()
]
BY_POSITION = memorybench
"""TypeScript has no names in calls, so only the order and the defaults matter there."""


def printed(line: str) -> tuple[list[str], dict[str, object]]:
    """The names of the parameters, and the defaults that are plain values."""
    arguments = ast.parse(f"def f{line[line.index('(') :]}: ...").body[0].args
    names = [argument.arg for argument in arguments.args]
    with_default = names[len(names) - len(arguments.defaults) :]
    values = {name: ast.literal_eval(node) for name, node in zip(with_default, arguments.defaults, strict=True)}
    return names, {name: value for name, value in values.items() if value is not ...}


def snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


@pytest.mark.parametrize(("module", "line"), ALL, ids=[f"{module.__name__[13:]} {line}" for module, line in ALL])
def test_a_printed_signature_is_ours(module, line):
    """The same names in the same order with the same defaults; what comes after them is optional."""
    target = module
    for part in line[: line.index("(")].split("."):
        target = getattr(target, part)
    found = inspect.signature(target).parameters
    names, defaults = printed(line)
    wanted = [snake(name) for name in names] if module is BY_POSITION else names
    assert list(found)[: len(wanted)] == wanted
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    assert [name for name in list(found)[len(wanted) :] if found[name].default is found[name].empty] == [
        name for name in found if found[name].kind in kinds
    ]
    for name, value in defaults.items():
        own = found[snake(name) if module is BY_POSITION else name].default
        assert (list(own) if isinstance(value, list) else own) == value, name


def test_modules_are_where_they_are_printed():
    """`src.evaluation.metrics` is `assay.compat.loop.metrics`, and so on."""
    for module, names in {
        loop: ("metrics", "benchmark"),
        phentrieve: ("metrics", "runner", "statistics"),
    }.items():
        assert all(isinstance(getattr(module, name), types.ModuleType) for name in names)
    assert phentrieve.statistics.paired_bootstrap_test is phentrieve.paired_bootstrap_test
    assert phentrieve.statistics.bootstrap_confidence_interval is phentrieve.bootstrap_confidence_interval


EXPORT = {
    "run": {"id": "r1", "benchmark": "locomo", "provider": "aqrag"},
    "results": [
        {
            "itemId": "q1",
            "question": "Capital of France?",
            "expected": "Paris",
            "actual": "Paris",
            "correct": True,
            "retrievedContext": [
                {"id": "c1", "content": "Berlin", "score": 0.9},
                {"id": "c2", "content": "Paris", "score": 0.5},
            ],
            "metadata": {"questionType": "single-hop"},
        },
        {
            "itemId": "q2",
            "question": "Where is retry?",
            "expected": "net.py",
            "actual": "io.py",
            "correct": False,
            "retrievedContext": [{"id": "k2", "content": "x"}, {"id": "k1", "content": "def retry()"}],
            "metadata": {"relevantChunkIds": ["k1"], "questionType": "code"},
        },
    ],
}
"""What memorybench exports for a run."""


def test_memorybench_on_its_own_result_file(tmp_path):
    (tmp_path / "results.json").write_text(json.dumps(EXPORT), encoding="utf-8")
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["results"]
    found = memorybench.NDCGAtKMetric(5).compute(results)
    assert found["name"] == "ndcg_at_5"
    assert found["value"] == pytest.approx(0.6309297535714575)  # both are relevant at rank 2: 1 ÷ log2(3)
    details = {"avgNDCG", "queriesWithRelevant", "total", "k", "f1Threshold", "strategyUsed", "strategyCounts"}
    assert set(found["details"]) == details
    assert found["details"]["strategyCounts"] == {"qrels": 1, "pack": 0, "token-fallback": 1}
    assert memorybench.calculateRecallAtK(results, 5) == memorybench.calculateAccuracy(results) * 2 == 1.0
    assert memorybench.calculateMRR(results) == 1 / 2
    assert memorybench.calculateSuccessAtK(results, 5) == 1 / 2  # the second answer is wrong
    assert memorybench.calculateAccuracyByQuestionType(results) == {"single-hop": 1.0, "code": 0.0}
    assert memorybench.computeMetrics(["a", "x", "b"], {"a", "b", "c"}, 5) == memorybench.compute_metrics(
        retrieved_ids=["a", "x", "b"], relevant_set={"a", "b", "c"}, k=5
    )


def test_loop_on_its_own_file(tmp_path):
    """The printed JSON layout, by the printed names of arguments."""
    layout = {
        "metadata": {"dataset_name": "Physical AI RAG", "version": "1.0", "created_date": "2025-01-10"},
        "queries": {"q1": {"query_id": "q1", "text": "What is ML?", "query_type": "factual", "difficulty": "easy"}},
        "documents": {"d1": {"doc_id": "d1", "text": "ML is", "source": "chapter_1.md", "page_number": 42}},
        "qrels": {"q1": {"d1": 3, "d2": 0}},
    }
    (tmp_path / "benchmark.json").write_text(json.dumps(layout), encoding="utf-8")
    benchmark = loop.BenchmarkDataset.from_json(filepath=str(tmp_path / "benchmark.json"))
    assert (benchmark.name, benchmark.documents["d1"].page_number) == ("Physical AI RAG", 42)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 3\nq1 0 d2 0\nq2 0 d2 3\n", encoding="utf-8")
    judged = loop.BenchmarkDataset.from_trec_qrels(filepath=str(tmp_path / "qrels.txt"))
    assert judged.get_relevance_grade(query_id="q2", doc_id="d2") == 3
    runner = loop.ReproducibleEvaluationRunner(dataset=benchmark, model_name="rag-v1", model_version="1.0")
    found = runner.evaluate_run(retrieval_results={"q1": ["d2", "d1"]}, metrics_module=loop.metrics)
    assert found["mrr@10"] == 1 / 2


def test_phentrieve_on_its_own_files(tmp_path, monkeypatch):
    """Today's list form below `tests/data/benchmarks/german`, and the proposed schema below `en`."""
    today = [{"description": "Seizures", "text": "Krampfanfälle", "expected_hpo_ids": ["HP:0001250"]}]
    case = {"case_id": "en_neuro_001", **today[0], "text": "Fits", "difficulty": "easy", "category": "synonym"}
    metadata = {"dataset_id": "en", "version": "1", "language": "en", "description": "d"}
    for folder, content in {"german": today, "en": {"metadata": metadata, "test_cases": [case]}}.items():
        path = tmp_path / "tests" / "data" / "benchmarks" / folder
        path.mkdir(parents=True)
        (path / "standard_v1.json").write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def model(text, n_results):
        first = "HP:0001250" if text == "Fits" else "HP:0000365"
        return {"ids": [["1", "2"]], "metadatas": [[{"hpo_id": first}, {"hpo_id": "HP:0001250"}]][:1]}

    with pytest.warns(phentrieve.DifferenceWarning):  # HP:0000365 is not expected, so the depth of terms matters
        found = phentrieve.evaluate_multilingual_model(model_name=model, languages=["de", "en"])
    assert {code: each["avg_mrr_dense"] for code, each in found["per_language"].items()} == {"de": 1 / 2, "en": 1.0}
    assert (found["average_mrr"], found["cross_lingual_variance"]) == (3 / 4, 1 / 16)
    results = model("Fits", 2)
    similarity = phentrieve.calculate_test_case_max_ont_sim(
        expected_ids=["HP:0001250"], retrieved_ids=["HP:0001250"], formula=phentrieve.SimilarityFormula.HYBRID
    )
    assert (
        similarity == phentrieve.ndcg_at_k(results={**results}, expected_ids=["HP:0001250"], k=1, relevance_scores=None) == 1
    )


def test_ragchat_by_its_printed_names():
    queries = [{"id": "1", "relevant_docs": "doc1;doc3"}, {"id": "2", "relevant_docs": ["doc2"]}]
    before = [[{"id": "doc9"}, {"id": "doc1"}], [{"id": "doc2"}]]
    after = [[{"id": "doc1"}, {"id": "doc9"}], [{"id": "doc2"}]]
    found = ragchat.evaluate_retrieval_batch(queries=queries, retrieval_results=before, metrics=["hit@1", "ndcg@5", "mrr"])
    assert (found["hit@1"], found["mrr"]) == (1 / 2, 3 / 4)
    ideal = 1 + 1 / 1.584962500721156
    means = [(1 / 1.584962500721156 / ideal + 1) / 2, (1 / ideal + 1) / 2]
    assert found["ndcg@5"] == pytest.approx(means[0])
    change = ragchat.evaluate_reranking_batch(queries, baseline_results=before, reranked_results=after, k=5)
    assert change["reranking_improvement"] == pytest.approx(100 * (means[1] - means[0]) / means[0])
    assert ragchat.reranking_improvement(ndcg_reranked=0.75, ndcg_baseline=0.5) == 50.0
    assert ragchat.routing_accuracy(routes=["a", "b"], optimal_experts=["a", "c"]) == 1 / 2
    assert ragchat.gate_efficiency(retrievals_saved=1, total_queries=4) == 25.0
    suite = ragchat.RetrievalMetricsSuite()
    assert set(suite.metrics) == {"hit", "ndcg", "mrr", "map", "recall", "precision"}
    assert suite.evaluate(metric_name="hit", relevant_ids="doc1", predicted_ids="doc2;doc1", k=2) == 1.0
