"""Intervals of a result's figures."""

from types import SimpleNamespace

import numpy as np
import pytest

import assay
from assay import Qrels
from assay.evaluation import OWN, evaluate_settings, settings_of
from assay.metrics import parse_metrics
from assay.views import Times

QUERIES = [f"q{number}" for number in range(20)]
QRELS = {query: {"d": 1} for query in QUERIES}
RUN = {query: ["d"] if number % 3 else ["x", "d"] for number, query in enumerate(QUERIES)}
TIMED = evaluate_settings(
    Qrels(QRELS),
    assay.Run(RUN),
    settings_of(parse_metrics(["mrr", "latency", "latency_p95"]), OWN),
    OWN,
    times=Times(dict(zip(QUERIES, np.linspace(1, 9, 20).tolist(), strict=True))),
)


def test_times_have_an_interval_where_queries_were_timed_alone():
    alone = TIMED.with_fields(provenance={"latency_ms": {"mean": 5.0, "p50": 5.0}})
    for result in (TIMED, alone):
        assert list(assay.with_intervals(result).intervals) == ["mrr", "latency", "latency_p95"]
    assert list(assay.with_intervals(alone, metrics=["latency"]).intervals) == ["latency"]
    batched = TIMED.with_fields(provenance={"latency_ms": {"mean": 5.0}})
    assert (batched.has_shared_times, list(assay.with_intervals(batched).intervals)) == (True, ["mrr"])
    batches = SimpleNamespace(search=lambda queries, k: [["p001"] for _ in queries])
    asked = assay.run("rag-template", batches, ["mrr", "latency"], selection={"limit": 5})
    assert (asked.has_shared_times, list(asked.intervals)) == (True, ["mrr"])
    assert asked.with_fields(provenance={}).has_shared_times  # what was scored knows it as well


FEW = {f"q{number}": {"d": 1} for number in range(6)}
HIGH = {query: ["d"] if number < 5 else ["x", "d"] for number, query in enumerate(FEW)}


def test_few_queries_have_the_interval_of_student_as_far_as_the_metric_goes():
    """Mean 11/12, standard error 1/12: ± 2.5706 / 12 is 0.70 to 1.13, and no reciprocal rank is above 1."""
    result = assay.evaluate(FEW, HIGH, "mrr")
    found = assay.with_intervals(result).intervals["mrr"]
    assert (found.low, found.high, found.method) == (pytest.approx(11 / 12 - 2.570582 / 12, abs=1e-6), 1.0, "t")
    asked = assay.with_intervals(result, "t").intervals["mrr"]  # who asks for it by name gets it as it is
    assert (asked.low, asked.high) == (found.low, pytest.approx(11 / 12 + 2.570582 / 12, abs=1e-6))
