"""Drift between two runs, nobody having judged anything; and anomalies between two sets of figures."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.errors import BadParameter
from assay.monitoring import detect_metric_anomalies, measure_drift
from assay.stats import rbo

RUN = {f"q{query}": {f"d{query}-{place}": 10.0 - place for place in range(10)} for query in range(20)}


def test_each_sign_by_itself(snapshots):
    reversed_ = {query: {doc: -score for doc, score in ranking.items()} for query, ranking in RUN.items()}
    found = measure_drift(RUN, reversed_)
    assert found.churn == 0
    assert found.rbo == pytest.approx(np.mean([rbo(RUN[query], reversed_[query]) for query in RUN]))
    renamed = {query: {f"new-{doc}": score for doc, score in ranking.items()} for query, ranking in RUN.items()}
    assert (measure_drift(RUN, renamed).churn, measure_drift(RUN, renamed).rbo) == (1.0, 0.0)
    louder = {query: {doc: score + 100 for doc, score in ranking.items()} for query, ranking in RUN.items()}
    drift = measure_drift(RUN, louder)
    assert (drift.rbo, drift.shift, drift.median_before, drift.median_now) == (pytest.approx(1), 1.0, 10.0, 110.0)
    empty = {**RUN, "q1": {}, "q2": {}}
    assert (measure_drift(RUN, empty).empty_before, measure_drift(RUN, empty).empty_now) == (0.0, 0.1)
    fewer = {query: RUN[query] for query in list(RUN)[:15]}
    findings = {"scores": drift.findings, "queries": measure_drift(RUN, fewer).findings}
    snapshots.check("drift/findings", "".join(f"## {name}\n{' '.join(texts)}\n" for name, texts in findings.items()))


def test_the_least_alike_queries_are_named():
    changed = {**RUN, "q7": {"x": 1.0}}
    assert measure_drift(RUN, changed).least_alike == (("q7", 0.0),)
    assert measure_drift(RUN, changed).to_dict()["schema"] == "assay.drift/1"
    assert measure_drift(RUN, changed).to_dict()["least_alike"] == [{"query": "q7", "rbo": 0.0}]


def test_the_distance_of_scores_is_that_of_kolmogorov_and_smirnov():
    for n, shift in ((50, 0.0), (200, 0.3), (500, 1.0)):
        rng = np.random.default_rng(n)
        before, now = rng.normal(size=n), rng.normal(shift, size=n)
        runs = [{f"q{query}": {"d": score} for query, score in enumerate(best.tolist())} for best in (before, now)]
        assert measure_drift(*runs).shift == pytest.approx(stats.ks_2samp(before, now).statistic), n


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.dictionaries(st.sampled_from([f"d{doc}" for doc in range(12)]), st.sampled_from([0.0, 0.5, 1.0, 7.25])),
        min_size=1,
    ),
    st.integers(1, 15),
)
def test_any_run_has_not_drifted_from_itself(run, k):
    drift = measure_drift(run, run, k)
    assert (drift.rbo, drift.overlap, drift.shift, drift.findings) == (1.0, 1.0, 0.0, ())
    backwards = {query: dict(reversed(ranking.items())) for query, ranking in run.items()}
    assert measure_drift(run, backwards, k).rbo == 1.0, "equal scores in another order"


# Anomalies
def test_exactly_the_threshold_is_no_anomaly():
    for now, flagged in ((0.76, False), (0.7599, True), (0.84, False), (0.8401, True), (0.8, False)):
        assert bool(detect_metric_anomalies({"mrr": now}, {"mrr": 0.8})) == flagged, now


def test_both_directions_with_which_is_worse():
    found = detect_metric_anomalies({"mrr": 0.9, "latency_p95": 30, "mine": 2}, {"mrr": 0.5, "latency_p95": 20, "mine": 1})
    assert {name: one.is_worse for name, one in found.items()} == {"mrr": False, "latency_p95": True, "mine": None}


def test_new_missing_and_from_zero(snapshots):
    found = detect_metric_anomalies(
        {"mrr": 0.1, "map": math.nan, "ndcg@10": 0.3, "err": 0.0}, {"mrr": 0.0, "map": 0.5, "bpref": None, "err": 0.0}
    )
    assert {name: one.kind for name, one in found.items()} == {"mrr": "from zero", "map": "missing", "ndcg@10": "new"}
    assert found["mrr"].relative is None
    assert found["mrr"].is_worse is False
    assert found["map"].to_dict()["current"] is None
    snapshots.check("drift/anomalies", "\n".join(map(str, found.values())))


@given(
    st.dictionaries(st.sampled_from(["mrr", "map", "latency"]), st.floats(-10, 10)),
    st.dictionaries(st.sampled_from(["mrr", "map", "latency"]), st.floats(-10, 10)),
    st.floats(0, 2),
)
def test_it_is_the_definition(now, before, threshold):
    found = detect_metric_anomalies(now, before, threshold)
    for metric in now.keys() & before.keys():
        if before[metric] == 0:
            assert (metric in found) == (now[metric] != 0)
        else:
            change = abs(now[metric] - before[metric]) / abs(before[metric])
            if abs(change - threshold) > 1e-9:
                assert (metric in found) == (change > threshold)
    assert detect_metric_anomalies(before, before, threshold) == {}


def test_what_is_refused(snapshots):
    thresholds = (-0.1, math.inf, math.nan, "5%", True)
    cases = {f"threshold {value!r}": lambda value=value: detect_metric_anomalies({}, {}, value) for value in thresholds}
    figures = ({"a": "x"}, {"a": [1]}, {"a": True}, [0.3], "mrr")
    cases |= {f"figures {value!r}": lambda value=value: detect_metric_anomalies(value, {"a": 0.5}) for value in figures}
    cases |= {
        "no query in common": lambda: measure_drift({"q1": ["a"]}, {"q2": ["a"]}),
        "k of 0": lambda: measure_drift(RUN, RUN, k=0),
    }
    snapshots.check_errors("drift/errors", cases)
    for value in figures:
        with pytest.raises(BadParameter):
            detect_metric_anomalies({"a": 0.5}, value)
