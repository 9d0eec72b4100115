"""added_columns: metrics from elsewhere beside those of a result; what is there stays as it is."""

import math

import numpy as np
import pytest

import assay
from assay.evaluation import in_requested_order, with_columns, with_the_same_metrics, without_scores
from assay.metrics import parse_metrics
from assay.model import Column, ScoreTable

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
RUN = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
ROUTED, COST = parse_metrics(["routing_accuracy", "gate_cost_saved"])


@pytest.fixture
def result():
    return assay.evaluate(QRELS, RUN, ["mrr", "num_q"])


def table(*query_ids):
    score = np.arange(len(query_ids), dtype=float)
    return ScoreTable(query_ids, {ROUTED.name: Column.of(score, ROUTED.metric.aggregation)})


def test_queries_of_either_side_are_there_without_a_score_on_the_other(result):
    merged = with_columns(result, table("q0", "q1", "q2"), [ROUTED])
    assert merged.query_ids == ("q0", "q1", "q2")
    assert merged.array("mrr").tolist() == pytest.approx([math.nan, 1.0, 0.0], nan_ok=True)
    assert merged["mrr"] == result["mrr"]
    assert merged.scores("routing_accuracy") == {"q0": 0.0, "q1": 1.0, "q2": 2.0}


def test_what_is_beside_comes_last(result):
    merged = with_columns(result, table("q1", "q2"), [ROUTED], [ROUTED.name])
    merged = without_scores(merged, [COST])
    assert list(merged) == ["mrr", "num_q", "gate_cost_saved", "routing_accuracy"]
    assert merged.beside == ("routing_accuracy",)
    assert math.isnan(merged["gate_cost_saved"])


def test_metrics_that_are_there_are_not_touched(result):
    merged = with_columns(result, table("q1", "q2"), [ROUTED])
    assert with_columns(merged, table("q2", "q1"), [ROUTED]) is merged
    assert without_scores(merged, parse_metrics(["mrr"])) is merged


def test_the_order_can_be_the_one_that_was_asked_for(result):
    merged = with_columns(result, table("q1", "q2"), [ROUTED])
    assert list(in_requested_order(merged, ["routing_accuracy", "num_q"])) == ["routing_accuracy", "num_q", "mrr"]


def test_results_on_one_benchmark_get_the_same_metrics(result):
    told = with_columns(result, table("q1", "q2"), [ROUTED], [ROUTED.name])
    first, second = with_the_same_metrics([result, told])
    assert list(first) == list(second) == ["mrr", "num_q", "routing_accuracy"]
    assert first.beside == second.beside == ("routing_accuracy",)
    assert math.isnan(first["routing_accuracy"])
    assert second["routing_accuracy"] == 0.5
    assert first["mrr"] == second["mrr"] == result["mrr"]
    assert with_the_same_metrics([result, result]) == [result, result]
