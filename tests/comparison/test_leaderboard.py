"""Runs by their figures, as the Python module people come from has it."""

import math

import pytest

import assay
from assay.comparison.leaderboard import BenchmarkComparison

from ._systems import old_and_new

FIGURES = {
    "baseline": {"ndcg@10": 0.85, "map@10": 0.80, "latency": 12.0},
    "model_v1": {"ndcg@10": 0.78, "map@10": 0.81, "latency": 9.0},
}


def test_figures_alone():
    board = BenchmarkComparison.compare_runs(FIGURES)
    assert board.runs == ("baseline", "model_v1")
    assert board.metrics == ("ndcg@10", "map@10", "latency")
    assert board["ndcg_at_10"] == {"baseline": 0.85, "model_v1": 0.78}
    assert [board.best(metric) for metric in board.metrics] == ["baseline", "model_v1", "model_v1"]
    assert board.verdict == (
        "baseline has the best ndcg@10; model_v1 has the best map@10; model_v1 has the best latency. "
        "Whether that is more than luck, only the scores of each query can tell."
    )
    assert board.to_dict()["best"] == {"ndcg@10": "baseline", "map@10": "model_v1", "latency": "model_v1"}


def test_less_is_better_where_it_is():
    assert BenchmarkComparison.find_best_run(FIGURES, "latency") == "model_v1"
    assert BenchmarkComparison.find_best_run(FIGURES, "NDCG@10") == "baseline"
    assert BenchmarkComparison.find_best_run(FIGURES) == "baseline"


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
    assert BenchmarkComparison.compare_runs(shapes)["mrr"] == {
        "flat": 1.0,
        "saved": pytest.approx(3.95 / 8),
        "nested": 0.4,
        "aggregate": 0.3,
    }


def test_what_is_no_metric_of_ours_has_no_best():
    board = BenchmarkComparison.compare_runs({"a": {"stars": 3, "mrr": 1}, "b": {"stars": 4, "mrr": 0}})
    assert board["stars"] == {"a": 3.0, "b": 4.0}
    assert board.to_dict()["best"] == {"mrr": "a"}
    with pytest.raises(assay.UnknownName, match="stars"):
        board.best("stars")


def test_a_run_without_a_figure_is_last():
    assert list(BenchmarkComparison.compare_runs({"a": {"mrr": math.nan}, "b": {"mrr": 0.1}})["mrr"]) == ["b", "a"]
    with pytest.raises(assay.DataError, match="mrr has no figure"):
        BenchmarkComparison.find_best_run({"a": {"mrr": math.nan}}, "mrr")


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: BenchmarkComparison.compare_runs({"a": {"mrr": 1}}), assay.UsageError, "at least two runs"),
        (lambda: BenchmarkComparison.compare_runs([1, 2]), assay.UsageError, "by name"),
        (lambda: BenchmarkComparison.find_best_run({}, "mrr"), assay.UsageError, "at least one run"),
        (
            lambda: BenchmarkComparison.find_best_run(FIGURES, "mrr"),
            assay.UnknownName,
            "metric of baseline.*they have ndcg@10",
        ),
        (lambda: BenchmarkComparison.find_best_run(FIGURES, "ncdg@10"), assay.UnknownName, "Did you mean ndcg@10"),
        (lambda: BenchmarkComparison.compare_runs({"a": 1, "b": 2}), assay.DataError, "a: expected a result or a dict"),
        (lambda: BenchmarkComparison.compare_runs({"a": {}, "b": {}}), assay.DataError, "a: no figure of a metric"),
        (lambda: BenchmarkComparison.compare_runs({"a": {"mrr": 1}, "b": {"map": 1}}), assay.UsageError, "in common"),
        (lambda: BenchmarkComparison.compare_runs(FIGURES, seed=1), assay.UsageError, "seed needs the scores of each query"),
        (lambda: BenchmarkComparison.compare_runs(FIGURES)["mrr"], assay.UnknownName, "they have ndcg@10"),
    ],
)
def test_what_cannot_be_compared(call, error, said):
    with pytest.raises(error, match=said):
        call()
