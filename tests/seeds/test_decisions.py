"""Where the seeds disagree: every decision, and mistakes of theirs that no other test here holds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import assay
from assay import Query
from assay.compat import loop, phentrieve, ragchat
from assay.datasets import BenchmarkDataset
from assay.evaluation import with_intervals
from assay.metrics import average_precision_at_k, dcg_at_k, ndcg_at_k, parse_metric, precision_at_k
from assay.model import Column, ScoreTable
from assay.monitoring import gate
from assay.stats import (
    bootstrap_confidence_interval,
    calculate_confidence_interval,
    paired_bootstrap_test,
    statistical_significance_test,
)

RETRIEVED, RELEVANT = ["doc4", "doc1", "doc5", "doc2"], ["doc1", "doc2", "doc3"]
SCORES = {
    "precision is over k": ({"a": 1}, ["a"], "precision@5", 1 / 5),
    "precision over what was retrieved, on request": ({"a": 1}, ["a"], "precision(over=retrieved)@5", 1.0),
    "AP is over all relevant": (dict.fromkeys(RELEVANT, 1), RETRIEVED, "map@2", 1 / 6),
    "AP over the smaller of k and relevant, on request": (dict.fromkeys(RELEVANT, 1), RETRIEVED, "map(norm=min)@2", 1 / 4),
    "recall of 003 is hit": ({"a": 1, "b": 1}, ["a"], "hit@5", 1.0),
    "recall is recall": ({"a": 1, "b": 1}, ["a"], "recall@5", 0.5),
    "grade 0 is not relevant": ({"a": 0, "b": 1}, ["a"], "precision@1", 0.0),
    "DCG is rel ÷ log₂(rank + 1)": ({"a": 3, "b": 2, "c": 1}, list("abc"), "dcg@3", 3 + 2 / math.log2(3) + 1 / 2),
    "DCG of 2002, by name": (
        *({"a": 3, "b": 2, "c": 1}, list("abc")),
        *("dcg(discount=jk2002)@3", 3 + 2 + 1 / math.log2(3)),
    ),
}


def test_scores():
    for decision, (grades, retrieved, metric, value) in SCORES.items():
        assert assay.evaluate({"q": grades}, {"q": retrieved}, metric)[metric] == pytest.approx(value), decision
    assert (precision_at_k(["a"], ["a"], 5), average_precision_at_k(RETRIEVED, RELEVANT, 2)) == (1 / 5, pytest.approx(1 / 6))
    assert dcg_at_k([3, 2, 1], 3) == pytest.approx(3 + 2 / math.log2(3) + 1 / 2)


def test_ndcg_at_k_takes_retrieved_relevant_k_or_grades_and_each_seed_keeps_its_own():
    wanted = ndcg_at_k(RETRIEVED, set(RELEVANT), 4)
    assert wanted == ndcg_at_k(RETRIEVED, RELEVANT, 4) == ndcg_at_k(RETRIEVED, dict.fromkeys(RELEVANT, 1), 4)
    assert wanted == pytest.approx(ndcg_at_k([0, 1, 0, 1], 4, ideal=[1]))
    assert loop.ndcg_at_k([3, 2, 1], 3) == 1.0
    assert ragchat.ndcg_at_k(RELEVANT, RETRIEVED, 4) == wanted  # relevant ids come first there
    chroma = {"metadatas": [[{"hpo_id": one} for one in RETRIEVED]]}
    assert phentrieve.ndcg_at_k(chroma, RELEVANT, 4) == wanted


def test_significance_is_paired_and_the_named_function_stays_the_independent_t():
    base = np.linspace(0, 1, 20)
    better = base + 0.02
    assert paired_bootstrap_test(better, base)[1]
    assert not statistical_significance_test(better, base)["significant"], "blind to the pairs"


def test_intervals_are_bootstrap_and_the_named_function_is_students_t():
    scores = [0.0, 0.0, 1.0, 1.0]
    _, low, high = bootstrap_confidence_interval(scores)
    assert 0 <= low < high <= 1
    ends = calculate_confidence_interval(scores, 0.99)
    assert ends[0] < 0
    assert ends[1] - ends[0] == pytest.approx(2 * 5.840909 * np.std(scores, ddof=1) / 2, rel=1e-6)


def test_an_interval_is_bca_on_request():
    """Scores that lean to one side: BCa moves both ends, as SciPy's does."""
    ranks = [1, 1, 1, 2, 1, 8, 1, 1, 3, 1, 10, 1, 1, 1, 2, 1, 1, 20, 1, 1]
    qrels = {f"q{number:02}": {"a": 1} for number in range(len(ranks))}
    run = {query: [*map(str, range(rank - 1)), "a"] for query, rank in zip(qrels, ranks, strict=True)}
    found = assay.evaluate(qrels, run, "mrr")
    plain, moved = (with_intervals(found, method).intervals["mrr"] for method in ("bootstrap", "bca"))
    assert (plain.method, moved.method) == ("bootstrap", "bca")
    theirs = stats.bootstrap((1 / np.array(ranks),), np.mean, n_resamples=20_000, rng=np.random.default_rng(1), method="BCa")
    assert (moved.low, moved.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.015)
    assert moved.low < plain.low - 0.01
    assert moved.high < plain.high


def test_missing_queries_score_0_and_are_counted():
    found = assay.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"]}, "mrr")
    assert (found["mrr"], found.counts["missing"]) == (0.5, 1)


def test_p_of_a_resampling_test_is_never_0():
    rng = np.random.default_rng(0)
    a = rng.random(40)
    p, _ = paired_bootstrap_test(a + 1 + rng.random(40) / 100, a, n_bootstrap=999)
    assert p == pytest.approx(1 / 1000)


# Mistakes
def test_several_chunks_of_one_gold_item_are_credited_once():
    dataset = BenchmarkDataset("Chunks", queries={"q": Query("q")}, qrels={"q": {"d1": 1}})
    found = assay.evaluate(dataset, {"q": ["d1#0", "d1#1"]}, ["recall@5", "ndcg@5"], relevance=assay.Relevance(unit="chunk"))
    assert (found["recall@5"], found["ndcg@5"]) == (1.0, 1.0)


def test_a_provider_that_fails_on_a_query_is_not_dropped_from_the_pairs():
    dataset = BenchmarkDataset("Failing", queries={name: Query(name, name) for name in ("q1", "q2")})
    dataset.qrels = {"q1": {"a": 1}, "q2": {"a": 1}}

    def search(text, k):
        if text == "q2":
            raise ValueError(text)
        return ["a"]

    found = assay.run(dataset, search, "mrr", retries=0)
    assert found.scores("mrr") == {"q1": 1.0, "q2": 0.0}
    assert list(found.failures) == ["q2"]


def test_a_gate_goes_the_way_the_metric_points():
    """A latency that goes up is worse, and one that goes down is not."""

    def timed(milliseconds):
        judged = {f"q{number}": {"a": 1} for number in range(8)}
        found = assay.evaluate(judged, {query: ["a"] for query in judged}, "mrr")
        column = Column.of(milliseconds + np.arange(8.0), parse_metric("latency").metric.aggregation)
        table = ScoreTable(found.table.query_ids, {**found.table.columns, "latency": column})
        return found.with_fields(name="system", metrics=(*found.metrics, parse_metric("latency")), table=table)

    quick, slow = timed(10.0), timed(30.0)
    for rule in ("latency rises <= 5%", "latency not worse by 1", "latency ratchet"):
        assert not gate(slow, quick, rule).is_passed, rule
        assert gate(quick, slow, rule).is_passed, rule
