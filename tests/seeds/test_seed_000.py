"""Seed 000, nDCG and relevance priority for code chunks: every row and printed example, in the order of the document."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Document, Hit, Query, Span
from assay.cli import main
from assay.compat.memorybench import (
    MetricRegistry,
    MRRMetric,
    NDCGAt5Metric,
    NDCGAt10Metric,
    NDCGAtKMetric,
    PrecisionAtKMetric,
    RecallAtKMetric,
    compute_metrics,
    get_builtin_metrics,
)
from assay.datasets import BenchmarkDataset
from assay.metrics import dcg_at_k, ndcg_at_k, parse_metric
from assay.model import Pack

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.memorybench.DifferenceWarning")

CODE = Path(__file__).parents[1] / "datasets" / "samples" / "code_spans"


def result(retrieved, expected=None, **metadata):
    """An EvalResult, as memorybench writes it."""
    contexts = [{"id": one, "content": ""} if isinstance(one, str) else one for one in retrieved]
    return {"expected": expected, "retrievedContext": contexts, "metadata": metadata}


# Metric status
SPELLINGS = {
    **{spelling: f"ndcg@{k}" for k in (5, 10) for spelling in (f"ndcg_at_{k}", f"ndcg@{k}", f"nDCG@{k}")},
    "precision_at_5": "precision@5",
    "recall_at_10": "recall@10",
    "MRR": "mrr",
    "MAP": "map",
    "map@10": "map@10",
}


def test_rows_of_metrics_and_their_spellings():
    assert {spelling: parse_metric(spelling).name for spelling in SPELLINGS} == SPELLINGS


def test_row_registered_metrics_with_name_and_aliases():
    metrics = {metric.name: metric.aliases for metric in get_builtin_metrics()}
    assert metrics["ndcg_at_5"] == ("ndcg@5",)
    assert metrics["ndcg_at_10"] == ("ndcg@10",)
    assert {"precision_at_5", "recall_at_5", "mrr"} <= metrics.keys()
    registry = MetricRegistry()
    for spelling in ("ndcg_at_5", "ndcg@5"):
        assert registry.get(spelling).name == "ndcg_at_5"


# Mathematical definitions
def test_printed_idcg_at_5_of_three_relevant_is_2130930():
    assert dcg_at_k([1, 1, 1], 5) == pytest.approx(1 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4))
    assert dcg_at_k([1, 1, 1], 5) == pytest.approx(2.130930, abs=5e-7)
    assert ndcg_at_k(["a"], {"a", "b", "c"}, 5) == pytest.approx(1 / 2.130930, rel=1e-6), "1 over what was found alone"


def test_row_idcg_over_all_relevant_items_cut_at_k_never_only_those_found():
    relevant = {f"d{number}" for number in range(7)}
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 6))
    assert ndcg_at_k(["d0"], relevant, 5) == pytest.approx(1 / ideal)
    found = NDCGAtKMetric(5).compute([result(["d0"], relevantIds=sorted(relevant))])
    assert found["value"] == pytest.approx(1 / ideal)


def test_printed_edge_cases():
    cases = {"no relevant items exist": (["a"], set(), 0), "no items retrieved": ([], {"a"}, 0)}
    for case, (retrieved, relevant, value) in {**cases, "all retrieved perfectly": (["a", "b"], {"a", "b"}, 1)}.items():
        assert ndcg_at_k(retrieved, relevant, 5) == compute_metrics(retrieved, relevant, 5)["ndcg"] == value, case


# Relevance determination: three tiers
def test_row_priority_a_explicit_ids_in_metadata():
    for key in ("relevantIds", "relevantChunkIds", "groundTruthIds", "qrels"):
        asked = result(["x", "b"], "words that do not matter", evidence=["x"], **{key: ["a", "b"]})
        found = NDCGAtKMetric(10).compute([asked])
        assert found["value"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3))), key
        assert found["details"]["strategyUsed"] == "qrels", key
    contexts = [{"id": "b", "content": "Cats sleep twelve hours"}]
    found = NDCGAtKMetric(5).compute([result(contexts, "Cats sleep twelve hours", relevantIds=[])])  # so nothing is relevant
    assert (found["value"], found["details"]["strategyUsed"], found["details"]["queriesWithRelevant"]) == (0, "qrels", 0)


def test_row_priority_b_pack_owned_with_the_total_from_evidence_ids():
    for key in ("evidence", "answerCorpusIds"):
        asked = result(["x", "D1:3#0", "D1:3#1"], "words", **{key: ["D1:3", "D2:5"]})
        found = RecallAtKMetric(10).compute([asked])
        assert (found["value"], found["details"]["strategyUsed"]) == (pytest.approx(1 / 2), "pack"), key


def test_row_priority_b_is_relevant_of_item_and_hit():
    asked = []

    def is_relevant(item: Query, hit: Hit) -> bool:
        asked.append((item.query_id, hit.doc_id))
        return hit.text == "right"

    pack = Pack("mine", is_relevant, lambda query: len(query.evidence or ()))
    contexts = [{"id": "a", "content": "wrong"}, {"id": "b", "content": "right"}]
    found = MRRMetric().compute([result(contexts, evidence=["e"])], pack)
    assert found["value"] == pytest.approx(1 / 2)
    assert ("1", "b") in asked


def test_row_priority_c_token_overlap_with_the_expected_answer():
    contexts = [{"id": "a", "content": "Nothing of it"}, {"id": "b", "content": "Cats sleep twelve hours a day"}]
    found = NDCGAtKMetric(5).compute([result(contexts, "Cats sleep twelve hours")])
    assert found["value"] == pytest.approx(1 / math.log2(3))
    assert found["details"]["strategyUsed"] == "token-fallback"


def test_row_the_priority_is_the_same_in_assay_itself():
    dataset = BenchmarkDataset("Tiers")
    dataset.add_query(Query("judged", expected="cats", evidence=["e"]))
    dataset.add_query(Query("packed", expected="cats", evidence=["e"]))
    dataset.add_query(Query("worded", expected="cats"))
    dataset.qrels["judged"] = {}
    run = {query: [Hit("e", 1.0, "cats")] for query in dataset.queries}
    found = assay.evaluate(dataset, run, "ndcg@5")
    assert found.relevance["strategy_counts"] == {"qrels": 1, "pack": 1, "token-fallback": 1}
    assert found.scores("ndcg@5") == {"judged": 0, "packed": 1, "worded": 1}


# Implementation details
def test_printed_metric_result_details():
    results = [result(["a", "x"], relevantIds=["a"])] * 95 + [result(["x"], relevantIds=[])] * 5
    details = {"avgNDCG": pytest.approx(0.95), "queriesWithRelevant": 95, "total": 100, "k": 10, "f1Threshold": 0.3}
    details |= {"strategyUsed": "qrels", "strategyCounts": {"qrels": 100, "pack": 0, "token-fallback": 0}}
    assert NDCGAt10Metric().compute(results) == {"name": "ndcg_at_10", "value": pytest.approx(0.95), "details": details}
    contexts = [{"id": "a", "content": "cats"}]
    three = [result(contexts, "cats", **more) for more in ({"relevantIds": ["a"]}, {"evidence": ["a"]}, {})]
    details = NDCGAtKMetric(5).compute(three)["details"]
    assert details["strategyUsed"] == "mixed"
    assert details["strategyCounts"] == {"qrels": 1, "pack": 1, "token-fallback": 1}


def test_printed_classes_and_their_constructors():
    metric = NDCGAtKMetric(7, 0.5)
    assert (metric.name, metric.aliases, metric.k, metric.f1_threshold) == ("ndcg_at_7", ("ndcg@7",), 7, 0.5)
    assert NDCGAtKMetric(5).f1_threshold == 0.3
    metrics = (NDCGAt5Metric(), NDCGAt10Metric(), PrecisionAtKMetric(5), RecallAtKMetric(10), MRRMetric())
    assert [one.name for one in metrics] == ["ndcg_at_5", "ndcg_at_10", "precision_at_5", "recall_at_10", "mrr"]
    assert isinstance(NDCGAt5Metric(), NDCGAtKMetric)


# Comparison with code-chunk's implementation
def printed_compute_metrics(retrieved, relevant, k):
    """`computeMetrics`, as it stands there."""
    found = [one in relevant for one in retrieved[:k]]
    dcg = sum(hit / math.log2(place + 2) for place, hit in enumerate(found))
    idcg = sum(1 / math.log2(place + 2) for place in range(min(k, len(relevant))))
    recall = sum(found) / len(relevant) if relevant else 0
    return {"precision": sum(found) / k, "recall": recall, "ndcg": dcg / idcg if idcg > 0 else 0}


@given(st.permutations("abcdefgh"), st.sets(st.sampled_from("abcdxyz")), st.integers(1, 10), st.integers(0, 8))
def test_row_compute_metrics_gives_identical_numbers_to_ours(order, relevant, k, n_retrieved):
    retrieved = order[:n_retrieved]
    wanted = printed_compute_metrics(retrieved, relevant, k)
    assert compute_metrics(retrieved, relevant, k) == pytest.approx(wanted)
    asked = [result(retrieved, relevantIds=sorted(relevant))]
    classes = {"precision": PrecisionAtKMetric(k), "recall": RecallAtKMetric(k), "ndcg": NDCGAtKMetric(k)}
    assert {name: one.compute(asked)["value"] for name, one in classes.items()} == pytest.approx(wanted)
    names = [f"precision@{k}", f"recall@{k}", f"ndcg@{k}"]
    ours = assay.evaluate({"q": dict.fromkeys(relevant, 1)}, {"q": retrieved}, names)
    assert [ours[name] for name in names] == pytest.approx(list(wanted.values()))


# Ground truth from file and line overlap, and the chunkers that are compared
def test_row_ground_truth_chunk_ids_from_file_and_line_overlap():
    dataset = BenchmarkDataset("Code")
    dataset.add_query(Query("q", "where is it tried again?"))
    dataset.spans["q"] = [Span("retry.py", 6, 13, "lines")]
    dataset.files = {"retry.py": Document("retry.py", "\n".join(f"line {number}" for number in range(1, 21)))}
    run = {"q": ["retry.py:1-5", "retry.py:5-9", "retry.py:10-20"]}
    found = assay.evaluate(dataset, run, ["precision@3", "mrr"], relevance="span")
    assert found["precision@3"] == pytest.approx(2 / 3)
    assert found["mrr"] == pytest.approx(1 / 2)


@pytest.mark.slow
def test_row_chunkers_compared_syntax_tree_chonkie_and_fixed_size(tmp_path, monkeypatch, capsys):
    shutil.copytree(CODE, tmp_path / "code")
    monkeypatch.chdir(tmp_path)
    chunkers = ["syntax_tree(size=200)", "chonkie(kind=token, size=60)", "fixed_lines(size=200)"]
    words = ["eval", "--benchmarks", "code/tasks.jsonl", "--providers", "bm25", "--chunkers", *chunkers]
    code = main([*words, "--metrics", "ndcg@5", "recall@5", "--no-store", "--quiet", "-f", "json"])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    names = [one["name"] for one in json.loads(printed.out)["results"]]
    assert len(names) == 3
    for chunker in ("syntax_tree", "chonkie", "fixed_lines"):
        assert any(chunker in name for name in names)


def test_row_fixed_size_is_1500_non_whitespace_characters_of_whole_lines(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.py").write_text("".join(f"x = {'1' * 496}\n" for _ in range(7)))
    monkeypatch.chdir(tmp_path)
    assert main(["chunk", "a.py", "--chunker", "fixed_lines", "--format", "json"]) == 0
    chunks = json.loads(capsys.readouterr().out)
    assert [one["id"] for one in chunks] == ["a.py:1-3", "a.py:4-6", "a.py:7-7"]
    assert all(sum(not letter.isspace() for letter in one["text"]) <= 1500 for one in chunks)


# Usage
def test_printed_command_line(tmp_path, monkeypatch, capsys):
    """`aqrag` there is a provider of theirs; here it is bm25."""
    monkeypatch.chdir(tmp_path)
    command = """eval
        --benchmarks rag-template
        --providers bm25
        --metrics ndcg_at_5 ndcg_at_10 precision_at_5 recall_at_10
        --limit 10"""
    assert main([*command.split(), "--no-store", "--quiet", "-f", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert {"ndcg@5", "ndcg@10", "precision@5", "recall@10"} <= found["summary"].keys()
    assert found["counts"]["scored"] == 10
