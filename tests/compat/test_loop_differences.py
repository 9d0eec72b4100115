"""compat.loop: input that meets each difference, and input that does not."""

import pytest
from tests.compat._differences import check_case

from assay.compat import loop


def dataset():
    return loop.BenchmarkDataset("Chunks", qrels={"q": {"a": 2, "b": 1, "z": 0}}, queries={"q": loop.Query("q", "?")})


def run(**results):
    return loop.ReproducibleEvaluationRunner(dataset(), "m").evaluate_run(results, ["ndcg@5"])


def batch(retrieved, relevant, grades, k):
    return loop.BatchEvaluator([k]).evaluate_query("q", retrieved, relevant, grades)


CASES = {
    "grade 0": (
        lambda: loop.precision_at_k(["a", "z"], {"a": 2, "z": 0}, 2),
        lambda: (loop.precision_at_k(["a", "z"], {"a": 2}, 2), loop.recall_at_k(["a"], {"a"}, 2), run(q=["a", "z"])),
    ),
    "no results": (lambda: run(), lambda: run(q=[])),
    "missed document": (
        lambda: batch(["a"], {"a", "b"}, [1], 2),
        lambda: (
            batch(["a"], {"a", "b"}, [1], 1),  # the ideal ranking of one document is the same
            batch(["a", "b"], {"a", "b"}, [1, 1], 2),
            batch(["a"], {"a": 1, "z": 0}, [1], 2),
            batch(["a"], {"a", "b"}, None, 2),
        ),
    ),
    "lower is better": (
        lambda: loop.BenchmarkComparison.find_best_run({"a": {"latency": 9.0}, "b": {"latency": 5.0}}, "latency"),
        lambda: (
            loop.BenchmarkComparison.find_best_run({"a": {"latency": 9.0}}, "latency"),
            loop.BenchmarkComparison.find_best_run({"a": {"mrr": 0.9}, "b": {"mrr": 0.5}}, "mrr"),
        ),
    ),
    "twice": (
        lambda: loop.precision_at_k(["a", "a"], {"a"}, 2),
        lambda: (
            loop.precision_at_k(["x", "x", "a"], {"a"}, 3),  # a copy that is not relevant
            loop.precision_at_k(["a", "x", "a"], {"a"}, 2),  # a copy after the cutoff
            loop.mrr_at_k(["a", "a"], {"a"}, 2),
            loop.hit_rate_at_k(["a", "a"], {"a"}, 2),
            loop.mean_mrr_at_k([(["a", "a"], {"a"})], 2),
            run(q=["z", "z"]),
        ),
    ),
    "twice in a file": (
        lambda: loop.save_trec_run({"q": ["x", "x"]}, "a.run"),
        lambda: loop.save_trec_run({"q": ["x", "y"]}, "a.run"),
    ),
    "improvement": (
        lambda: loop.detect_metric_anomalies({"mrr": 0.9}, {"mrr": 0.5}),
        lambda: (
            loop.detect_metric_anomalies({"mrr": 0.5}, {"mrr": 0.9}),
            loop.detect_metric_anomalies({"mrr": 0.51}, {"mrr": 0.5}),
            loop.detect_metric_anomalies({"mrr": 0.5, "map": 0.1}, {"mrr": 0.0}),  # there, a division by 0 and a new metric
        ),
    ),
    "whole number": (
        lambda: loop.recall_at_k([7], {"7"}, 1),
        lambda: (loop.recall_at_k([7], {7}, 1), loop.recall_at_k([7], {"8"}, 1), loop.recall_at_k(["7"], {"7"}, 1)),
    ),
    "wrong type": (lambda: loop.binary_to_graded("d1"), lambda: loop.binary_to_graded(["d1"])),
}


@pytest.mark.parametrize("name", loop.DIFFERENCES)
def test_a_difference_is_noticed_where_it_matters(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    check_case(loop.DIFFERENCES, name, CASES[name], __file__)


def test_results_of_a_run_and_of_means_warn_too():
    for call in (
        lambda: run(q=["a", "a"]),
        lambda: loop.mean_recall_at_k([(["a", "a"], {"a"})], 2),
        lambda: loop.mean_precision_at_k([{"retrieved_ids": ["a", "a"], "relevant_ids": {"a"}}], 2),
        lambda: batch(["a", "a"], {"a"}, [1, 1], 2),
    ):
        with pytest.warns(loop.DifferenceWarning, match="retrieved twice"):
            call()
