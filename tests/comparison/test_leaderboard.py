"""Runs by their figures, as the Python module people come from has it."""

import math

import pytest

from assay.comparison import BenchmarkComparison

from ._systems import old_and_new

FIGURES = {
    "baseline": {"ndcg@10": 0.85, "map@10": 0.80, "latency": 12.0},
    "model_v1": {"ndcg@10": 0.78, "map@10": 0.81, "latency": 9.0},
}


def test_figures_alone(snapshots):
    board = BenchmarkComparison.compare_runs(FIGURES)
    assert board.runs == ("baseline", "model_v1")
    assert board.metrics == ("ndcg@10", "map@10", "latency")
    assert board["ndcg_at_10"] == {"baseline": 0.85, "model_v1": 0.78}
    assert [board.best(metric) for metric in board.metrics] == ["baseline", "model_v1", "model_v1"]
    snapshots.check("compare/leaderboard", board.verdict)
    assert board.to_dict()["best"] == {"ndcg@10": "baseline", "map@10": "model_v1", "latency": "model_v1"}


def test_results_are_compared_query_by_query():
    old, new = old_and_new()
    board = BenchmarkComparison.compare_runs({"baseline": old, "model_v1": new}, test="paired_t")
    assert board.comparison.names == ("baseline", "model_v1")
    assert board.comparison.how.test == "paired_t"
    assert board.verdict == board.comparison.verdict
    assert board.to_dict()["comparison"]["systems"] == ["baseline", "model_v1"]
    assert BenchmarkComparison.find_best_run({"baseline": old, "model_v1": new}, "mrr") == "model_v1"


def test_shapes_that_figures_come_in():
    old, _ = old_and_new()
    shapes = {
        "saved": old.to_dict(),
        "nested": {"metrics": {"RR": 0.4}, "model": "x"},
        "aggregate": {"aggregate_metrics": {"mrr": 0.3}},
        "flat": {"mrr": 1, "name": "y", "is_final": True},
    }
    found = BenchmarkComparison.compare_runs(shapes)["mrr"]
    assert found == pytest.approx({"flat": 1.0, "saved": 3.95 / 8, "nested": 0.4, "aggregate": 0.3})


def test_what_cannot_be_compared(snapshots):
    compare_runs, find_best_run = BenchmarkComparison.compare_runs, BenchmarkComparison.find_best_run
    cases = {
        "one run": lambda: compare_runs({"a": {"mrr": 1}}),
        "runs without names": lambda: compare_runs([1, 2]),
        "no run": lambda: find_best_run({}, "mrr"),
        "a metric nobody has": lambda: find_best_run(FIGURES, "mrr"),
        "a misspelt metric": lambda: find_best_run(FIGURES, "ncdg@10"),
        "no metric of ours": lambda: compare_runs({"a": {"stars": 3}, "b": {"stars": 4}}).best("stars"),
        "no figure": lambda: find_best_run({"a": {"mrr": math.nan}}, "mrr"),
        "numbers": lambda: compare_runs({"a": 1, "b": 2}),
        "nothing in them": lambda: compare_runs({"a": {}, "b": {}}),
        "nothing in common": lambda: compare_runs({"a": {"mrr": 1}, "b": {"map": 1}}),
        "a seed": lambda: compare_runs(FIGURES, seed=1),
        "a column nobody has": lambda: compare_runs(FIGURES)["mrr"],
    }
    snapshots.check_errors("compare/leaderboard_errors", cases)
