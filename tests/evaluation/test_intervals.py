"""Intervals of a result's figures."""

from dataclasses import replace

import numpy as np
import pytest

import assay
from assay.evaluation.evaluate import evaluate_settings
from assay.evaluation.setting import settings_of
from assay.metrics._parse import parse_metrics
from assay.model.profile import OWN
from assay.model.qrels import Qrels
from assay.model.timing import Times

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


def test_every_metric_has_an_interval_where_queries_were_timed_alone():
    alone = replace(TIMED, provenance={"latency_ms": {"mean": 5.0, "p50": 5.0}})
    for result in (TIMED, alone):
        assert list(assay.with_intervals(result).intervals) == ["mrr", "latency", "latency_p95"]
    assert list(assay.with_intervals(alone, metrics=["latency"]).intervals) == ["latency"]


def test_times_of_batches_have_none():
    batched = replace(TIMED, provenance={"latency_ms": {"mean": 5.0}})
    assert batched.has_shared_times
    assert list(assay.with_intervals(batched).intervals) == ["mrr"]


class _Batches:
    """Answers many queries in one go."""

    def search(self, queries, k):
        return [["p001"] for _ in queries]


def test_an_evaluation_in_batches_knows_it():
    asked = assay.run("rag-template", _Batches(), ["mrr", "latency"], selection={"limit": 5})
    assert asked.has_shared_times
    assert "latency" not in asked.intervals
    assert "mrr" in asked.intervals
    assert replace(asked, provenance={}).has_shared_times  # what was scored knows it as well


@pytest.mark.parametrize("provenance", [{}, {"latency_ms": {}}, {"latency_ms": None}])
def test_nothing_known_about_times_is_no_batch(provenance):
    assert not replace(TIMED, provenance=provenance).has_shared_times
