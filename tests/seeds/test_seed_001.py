"""Seed 001, the Python evaluation module: every row and printed example, changed only in import path.

`from src.evaluation.metrics import …` is `from assay.compat.loop.metrics import …` here; the numbers are the corrected ones.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import unittest
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import assay
from assay.compat.loop import (
    BatchEvaluator,
    BenchmarkComparison,
    BenchmarkDataset,
    DifferenceWarning,
    Document,
    Query,
    RelevanceJudgment,
    ReproducibleEvaluationRunner,
    average_precision_at_k,
    binary_to_graded,
    dcg_at_k,
    detect_metric_anomalies,
    f1_at_k,
    hit_rate_at_k,
    mean_average_precision_at_k,
    mean_mrr_at_k,
    mean_ndcg_at_k,
    mean_precision_at_k,
    mean_recall_at_k,
    metrics,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    save_trec_run,
)

PRINTED_JSON = {
    "metadata": {"dataset_name": "Physical AI RAG", "version": "1.0", "created_date": "2025-01-10"},
    "queries": {
        "q1": {"query_id": "q1", "text": "What is machine learning?", "query_type": "factual", "difficulty": "easy"}
    },
    "documents": {"d1": {"doc_id": "d1", "text": "Machine learning is...", "source": "chapter_1.md", "page_number": 42}},
    "qrels": {"q1": {"d1": 3, "d2": 0}},
}
RETRIEVED, RELEVANT = ["d1", "d3", "d5"], {"d1", "d5", "d10"}


def printed(value):
    """A number as it is printed with six digits."""
    return pytest.approx(value, abs=5e-7)


@pytest.fixture
def benchmark():
    """Two queries, as the pipeline example assumes."""
    made = BenchmarkDataset("MyBenchmark", "1.0")
    for query, text in {"q1": "What is ML?", "q2": "What is RAG?"}.items():
        made.add_query(Query(query, text))
    for number in range(1, 6):
        made.add_document(Document(f"d{number}", f"text {number}"))
    for query, doc, grade in [("q1", "d1", 3), ("q1", "d2", 0), ("q1", "d5", 2), ("q2", "d2", 3)]:
        made.add_judgment(RelevanceJudgment(query, doc, grade))
    return made


# Quick start
def test_printed_basic_usage(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # Single metric
    relevance_scores = [3, 0, 2, 1, 0]  # Graded relevance 0-3
    ndcg = ndcg_at_k(relevance_scores, k=5)
    print(f"NDCG@5: {ndcg:.3f}")  # noqa: T201 (as printed)
    assert capsys.readouterr().out == "NDCG@5: 0.930\n"

    # Batch evaluation
    evaluator = BatchEvaluator(k_values=[5, 10])
    with pytest.warns(DifferenceWarning, match="ideal ranking"):  # d10 was not retrieved
        evaluator.evaluate_query(
            query_id="q1", retrieved_ids=["d1", "d3", "d5"], relevant_ids={"d1", "d5", "d10"}, relevance_scores=[3, 0, 2]
        )
    print(evaluator.get_aggregate_metrics())  # noqa: T201 (as printed)
    assert "'ndcg@10'" in capsys.readouterr().out

    # Full benchmark workflow
    benchmark = BenchmarkDataset("MyBenchmark", "1.0")
    benchmark.add_query(Query("q1", "What is ML?"))
    benchmark.add_document(Document("d1", "ML is..."))
    benchmark.save_json("benchmark.json")
    assert BenchmarkDataset.from_json("benchmark.json").queries["q1"].text == "What is ML?"


# Metrics reference
def test_row_functions_of_retrieved_ids_relevant_ids_k():
    for function in (precision_at_k, recall_at_k, f1_at_k, hit_rate_at_k, mrr_at_k, average_precision_at_k):
        by_name = function(retrieved_ids=RETRIEVED, relevant_ids=RELEVANT, k=5)
        assert by_name == function(RETRIEVED, RELEVANT, 5) > 0


def test_worked_ndcg_of_3_0_2_1_0_is_0930451_and_exponential_0950801():
    assert ndcg_at_k([3, 0, 2, 1, 0], 5) == ndcg_at_k(relevance_scores=[3, 0, 2, 1, 0], k=5) == printed(0.930451)
    assert dcg_at_k([3, 2, 1], 3) == pytest.approx(3 + 2 / math.log2(3) + 1 / math.log2(4))
    grades = {f"d{rank}": grade for rank, grade in enumerate([3, 0, 2, 1, 0])}
    found = assay.evaluate({"q": grades}, {"q": list(grades)}, "ndcg(gain=exp)@5")
    assert found["ndcg(gain=exp)@5"] == printed(0.950801)


def test_worked_batch_q1():
    evaluator = BatchEvaluator(k_values=[5, 10])
    with pytest.warns(DifferenceWarning, match="ideal ranking"):
        found = evaluator.evaluate_query("q1", RETRIEVED, RELEVANT, [3, 0, 2])
    wanted = {"precision@5": 0.4, "precision@10": 0.2, "recall@5": 0.666667, "f1@5": 0.5, "mrr@5": 1, "map@5": 0.555556}
    wanted["ndcg@5"] = 0.840008  # d10 is relevant and was missed: grade 1
    assert {name: found[name] for name in wanted} == {name: printed(value) for name, value in wanted.items()}
    assert ndcg_at_k([3, 0, 2], 5) == printed(0.938557)
    names = {"precision@5", "recall@10", "f1@5", "hit@10", "mrr@10", "map@10", "ndcg@10"}
    assert names <= evaluator.get_aggregate_metrics().keys()


def test_row_means_over_pairs_or_dicts():
    pairs = [(["d1", "d2"], {"d2"}), (["d3"], {"d3", "d4"})]
    dicts = [{"retrieved_ids": retrieved, "relevant_ids": relevant} for retrieved, relevant in pairs]
    for mean, single in {
        mean_precision_at_k: precision_at_k,
        mean_recall_at_k: recall_at_k,
        mean_mrr_at_k: mrr_at_k,
        mean_average_precision_at_k: average_precision_at_k,
    }.items():
        wanted = pytest.approx(sum(single(*pair, 2) for pair in pairs) / 2)
        assert (mean(pairs, 2), mean(all_queries=dicts, k=2)) == (wanted, wanted), mean


def test_row_mean_ndcg_over_lists_of_grades_too():
    assert mean_ndcg_at_k([[3, 2, 1], [0, 1]], 3) == pytest.approx((1 + 1 / math.log2(3)) / 2)
    assert mean_ndcg_at_k([(["d1"], {"d1": 3})], 3) == 1


# Dataset formats
def test_printed_json_format(tmp_path):
    (tmp_path / "benchmark.json").write_text(json.dumps(PRINTED_JSON))
    found = BenchmarkDataset.from_json(tmp_path / "benchmark.json")
    assert (found.name, found.version) == ("Physical AI RAG", "1.0")
    assert found.queries["q1"] == Query("q1", "What is machine learning?", "factual", "easy")
    assert found.documents["d1"] == Document("d1", "Machine learning is...", "chapter_1.md", 42)
    assert found.qrels == {"q1": {"d1": 3, "d2": 0}}
    assert (found.format, found.path) == ("json", tmp_path / "benchmark.json")
    assert BenchmarkDataset.from_json(str(tmp_path / "benchmark.json")).path == found.path


def test_printed_trec_qrels_format_with_and_without_their_heading(tmp_path):
    lines = "q1 0 d1 3\nq1 0 d2 0\nq2 0 d2 3\n"
    for text in (f"query_id iter doc_id relevance_grade\n{lines}", lines):
        (tmp_path / "qrels.txt").write_text(text)
        found = BenchmarkDataset.from_trec_qrels(tmp_path / "qrels.txt")
        assert found.qrels == {"q1": {"d1": 3, "d2": 0}, "q2": {"d2": 3}}
    found.save_trec_qrels(tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_text() == lines


# Evaluation pipeline
def test_printed_evaluation_pipeline(tmp_path, monkeypatch, benchmark):
    monkeypatch.chdir(tmp_path)
    benchmark.save_json("benchmark.json")

    # 1. Create or load benchmark
    benchmark = BenchmarkDataset.from_json("benchmark.json")

    # 2. Run retrieval (your RAG system)
    retrieval_results = {
        "q1": ["d1", "d3", "d5"],  # In rank order
        "q2": ["d2", "d4", "d1"],
    }

    # 3. Evaluate
    runner = ReproducibleEvaluationRunner(dataset=benchmark, model_name="rag-v1", model_version="1.0")
    results = runner.evaluate_run(retrieval_results, metrics)
    runner.save_results("results.json")

    # 4. Compare multiple runs
    with pytest.warns(DifferenceWarning, match="skips"):  # q2 has no results
        baseline_results = ReproducibleEvaluationRunner(benchmark, "baseline").evaluate_run({"q1": ["d3", "d1"]}, metrics)
    comparison = BenchmarkComparison.compare_runs({"baseline": baseline_results, "model_v1": results})

    assert results["ndcg@5"] == pytest.approx(((3 + 2 / math.log2(4)) / (3 + 2 / math.log2(3)) + 1) / 2)
    assert comparison.best("ndcg@10") == "model_v1"
    saved = json.loads((tmp_path / "results.json").read_text())["results"][0]
    assert saved["provenance"]["model"] == {"name": "rag-v1", "version": "1.0"}


def test_row_evaluate_run_takes_a_list_of_names_or_a_module_and_keeps_full_provenance(benchmark):
    runner = ReproducibleEvaluationRunner(benchmark, "rag-v1", "1.0")
    results = {"q1": ["d1"], "q2": []}
    by_name = runner.evaluate_run(results, ["mrr", "ndcg_at_10"])
    assert list(by_name) == ["mrr", "ndcg@10"]
    parts = {"dataset", "model", "metrics", "policy", "counts", "started", "finished", "repository"}
    assert parts <= by_name.provenance.keys()
    assert by_name.provenance["dataset"]["fingerprints"]
    by_module = runner.evaluate_run(results, metrics)
    assert {"precision@5", "recall@10", "mrr@10", "map@10", "ndcg@10"} <= set(by_module)


def test_row_find_best_run_goes_the_way_the_metric_points():
    runs = {"slow": {"ndcg@10": 0.9, "latency": 30.0}, "quick": {"ndcg@10": 0.8, "latency": 10.0}}
    assert BenchmarkComparison.find_best_run(runs, "ndcg@10") == "slow"
    with pytest.warns(DifferenceWarning, match="lower value"):
        assert BenchmarkComparison.find_best_run(runs, "latency") == "quick"


def test_row_run_export_to_trec(tmp_path, benchmark):
    results = {"q1": ["d1", "d3"], "q2": ["d2"]}
    save_trec_run(results, tmp_path / "model.run", "rag-v1")
    assert (tmp_path / "model.run").read_text() == ("q1 Q0 d1 1 0.0 rag-v1\nq1 Q0 d3 2 -1.0 rag-v1\nq2 Q0 d2 1 0.0 rag-v1\n")
    again = assay.evaluate(benchmark, tmp_path / "model.run", "ndcg@10")
    assert again["ndcg@10"] == assay.evaluate(benchmark, results, "ndcg@10")["ndcg@10"]


# Production usage
def test_printed_monitoring_with_logging(caplog):
    logger = logging.getLogger("monitoring")

    # Previous
    previous_metrics = {"ndcg@10": 0.85, "map@10": 0.80}

    # Current
    current_metrics = {"ndcg@10": 0.78, "map@10": 0.75}

    # Detect regression
    anomalies = detect_metric_anomalies(
        current_metrics,
        previous_metrics,
        threshold=0.05,  # 5% change threshold
    )

    if anomalies:
        logger.warning(f"Metric regression detected: {anomalies}")
        # Alert on-call team, rollback, etc.

    assert "Metric regression detected" in caplog.text
    assert anomalies["ndcg@10"].percent == pytest.approx(-8.2353, abs=5e-5)
    assert anomalies["map@10"].percent == pytest.approx(-6.25)


def test_printed_batch_evaluation(benchmark):
    retrieval_results = {"q1": ["d1", "d3", "d5"], "q2": ["d4", "d2"]}
    evaluator = BatchEvaluator(k_values=[5, 10, 100])

    # Evaluate 1000s of queries
    for query_id, retrieved_ids in retrieval_results.items():
        relevant_ids = benchmark.get_relevant_docs(query_id)
        relevance_scores = [benchmark.get_relevance_grade(query_id, doc_id) for doc_id in retrieved_ids]

        evaluator.evaluate_query(
            query_id=query_id, retrieved_ids=retrieved_ids, relevant_ids=relevant_ids, relevance_scores=relevance_scores
        )

    # Get aggregate metrics
    metrics = evaluator.get_aggregate_metrics()

    assert metrics == pytest.approx({name: assay.evaluate(benchmark, retrieval_results, name)[name] for name in metrics})


# Integration with existing code
@dataclass
class Chunk:
    """What the service of the seed returns: ids of chunks are integers."""

    chunk_id: int


class RetrievalService:
    """Answers without blocking."""

    async def retrieve(self, query, top_k):
        await asyncio.sleep(0)
        return [Chunk(number) for number in ([7, 3, 9] if "ML" in query else [4, 8])][:top_k]


def test_printed_async_retrieval_service_with_integer_chunk_ids():
    retrieval_service = RetrievalService()
    benchmark = BenchmarkDataset("Chunks", "1.0")
    benchmark.add_query(Query("q1", "What is ML?"))
    benchmark.add_query(Query("q2", "What is RAG?"))
    for query, chunk, grade in [("q1", 3, 3), ("q1", 9, 0), ("q2", 4, 2)]:
        benchmark.add_judgment(RelevanceJudgment(query, chunk, grade))

    async def evaluate():
        # Evaluate retrieval performance
        evaluator = BatchEvaluator(k_values=[5, 10])

        for query_id, relevant_ids in benchmark.qrels.items():
            # Get retrieval results
            results = await retrieval_service.retrieve(query=benchmark.queries[query_id].text, top_k=10)

            retrieved_ids = [r.chunk_id for r in results]
            relevance_scores = [benchmark.get_relevance_grade(query_id, str(chunk_id)) for chunk_id in retrieved_ids]

            evaluator.evaluate_query(
                query_id=query_id,
                retrieved_ids=[str(cid) for cid in retrieved_ids],
                relevant_ids=relevant_ids,
                relevance_scores=relevance_scores,
            )

        return evaluator.get_aggregate_metrics()

    with pytest.warns(DifferenceWarning, match="grade 0"):
        metrics = asyncio.run(evaluate())
    assert metrics["mrr@5"] == pytest.approx((1 / 2 + 1) / 2)
    assert metrics["precision@5"] == pytest.approx((1 / 5 + 1 / 5) / 2), "9 was judged 0, which is not relevant"


def test_row_async_services_are_providers_too():
    benchmark = BenchmarkDataset("Chunks", "1.0")
    benchmark.add_query(Query("q1", "What is ML?"))
    benchmark.add_judgment(RelevanceJudgment("q1", 3, 3))

    async def search(query, top_k):
        return [chunk.chunk_id for chunk in await RetrievalService().retrieve(query, top_k)]

    assert assay.run(benchmark, search, "mrr")["mrr"] == pytest.approx(1 / 2)


@pytest.mark.filterwarnings("ignore::assay.compat.loop.DifferenceWarning")
def test_row_integer_ids_are_accepted_and_normalised_to_text():
    assert precision_at_k([1, 2], {"2"}, 2) == precision_at_k(["1", "2"], {2}, 2) == 1 / 2
    assert RelevanceJudgment(1, 2, 3).doc_id == "2"


# Data models
def test_printed_data_models():
    query = Query("q1", "text", "factual", "easy", "ai_fundamentals", {"a": 1})
    assert (query.query_type, query.difficulty, query.domain) == ("factual", "easy", "ai_fundamentals")
    document = Document("d1", "text", "a.md", 42, "Intro", {"a": 1})
    assert (document.source, document.page_number, document.section) == ("a.md", 42, "Intro")
    assert query.metadata == document.metadata == {"a": 1}
    judgment = RelevanceJudgment("q1", "d1", 3, "ann", "2025-01-10")
    assert (judgment.relevance_grade, judgment.judge, judgment.timestamp) == (3, "ann", "2025-01-10")


def test_row_get_statistics_get_relevant_docs_get_relevance_grade(benchmark):
    found = benchmark.get_statistics()
    assert (found["num_queries"], found["num_documents"], found["num_judgments"]) == (2, 5, 4)
    assert benchmark.get_relevant_docs("q1") == {"d1", "d5"}, "a grade of 0 is not relevant"
    assert (benchmark.get_relevance_grade("q1", "d5"), benchmark.get_relevance_grade("q1", "d9")) == (2, 0)


def test_row_binary_to_graded_conversion():
    assert binary_to_graded({"d1"}) == {"d1": 1}
    assert binary_to_graded(["d1"], grade=3) == {"d1": 3}


# API reference
def test_printed_names_of_arguments(tmp_path, benchmark):
    retrieval_results = {"q1": ["d1"], "q2": ["d2"]}
    benchmark.save_json(filepath=tmp_path / "benchmark.json")
    benchmark.save_trec_qrels(filepath=tmp_path / "qrels.txt")
    assert BenchmarkDataset.from_json(filepath=str(tmp_path / "benchmark.json")).qrels == benchmark.qrels
    read = BenchmarkDataset.from_trec_qrels(filepath=str(tmp_path / "qrels.txt"))
    assert (type(read), read.qrels) == (BenchmarkDataset, benchmark.qrels)
    runner = ReproducibleEvaluationRunner(dataset=read, model_name="rag-v1")
    results = runner.evaluate_run(retrieval_results=retrieval_results, metrics_module=metrics)
    runner.save_results(filepath=tmp_path / "results.json")
    assert json.loads((tmp_path / "results.json").read_text())["results"][0]["summary"]["mrr@10"] == results["mrr@10"] == 1
    runs_results = {"baseline": {"ndcg@10": 0.1}, "rag-v1": results}
    assert BenchmarkComparison.find_best_run(runs_results=runs_results, metric="ndcg@10") == "rag-v1"
    assert BenchmarkComparison.compare_runs(runs_results=runs_results).best("ndcg@10") == "rag-v1"
    evaluator = BatchEvaluator(k_values=[5])
    evaluator.evaluate_query(query_id="q1", retrieved_ids=["d1"], relevant_ids={"d1"}, relevance_scores=[3])
    for mean in (mean_precision_at_k, mean_recall_at_k, mean_mrr_at_k, mean_average_precision_at_k, mean_ndcg_at_k):
        assert mean(all_queries=[(["d1"], {"d1"})], k=1) == 1


@pytest.mark.filterwarnings("ignore::assay.compat.loop.DifferenceWarning")
def test_the_printed_alert_does_not_fire_on_improvements():
    previous_metrics = {"ndcg@10": 0.78, "latency": 20.0, "our own": 0.5}
    assert not detect_metric_anomalies({"ndcg@10": 0.85, "latency": 10.0, "our own": 0.9, "new": 1.0}, previous_metrics)
    assert list(detect_metric_anomalies({"ndcg@10": 0.1, "latency": 30.0, "our own": 0.1}, previous_metrics)) == [
        *("ndcg@10", "latency", "our own")
    ]
    assert list(detect_metric_anomalies({"ndcg@10": 0.78, "latency": 20.0}, previous_metrics)) == ["our own"], "missing now"
    assert not detect_metric_anomalies({"ndcg@10": 0.5}, {"ndcg@10": 0.0}), "up from 0"


# Error handling
def test_printed_edge_cases():
    assert precision_at_k([], {"d1"}, k=5) == 0.0, "empty retrieval"
    assert recall_at_k(["d1"], set(), k=5) == 0.0, "no relevant documents"
    assert ndcg_at_k([], k=10) == 0.0, "no results at all"


# Testing
class TestMetrics(unittest.TestCase):
    def test_ndcg_perfect_ranking(self):
        """Perfect ranking should give NDCG=1.0"""
        scores = [3, 2, 1]
        self.assertAlmostEqual(metrics.ndcg_at_k(scores, k=3), 1.0)  # noqa: PT009 (as printed)

    def test_precision_basic(self):
        retrieved = ["d1", "d3", "d5"]
        relevant = {"d1", "d5", "d10"}
        self.assertAlmostEqual(metrics.precision_at_k(retrieved, relevant, k=3), 2 / 3)  # noqa: PT009 (as printed)


# Supported libraries
def test_row_interoperates_with_the_structures_of_pytrec_eval_ranx_and_ir_measures():
    qrels, run = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}
    wanted = assay.evaluate(qrels, run, "mrr")["mrr"]
    assert wanted == 1 / 2
    ir_measures = [SimpleNamespace(query_id="q1", doc_id=doc, score=score) for doc, score in run["q1"].items()]
    judged = [SimpleNamespace(query_id="q1", doc_id=doc, relevance=grade) for doc, grade in qrels["q1"].items()]
    assert assay.evaluate(judged, ir_measures, "mrr")["mrr"] == wanted
    assert assay.evaluate(assay.Qrels(qrels), assay.Run(run), "mrr")["mrr"] == wanted
