"""Anomalies between two sets of figures."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.monitoring import detect_metric_anomalies


def test_the_worked_example_of_the_seed():
    found = detect_metric_anomalies({"ndcg@10": 0.78, "map@10": 0.75}, {"ndcg@10": 0.85, "map@10": 0.80}, threshold=0.05)
    assert list(found) == ["ndcg@10", "map@10"]
    assert found["ndcg@10"].percent == pytest.approx(-8.2353, abs=5e-5)
    assert found["map@10"].percent == pytest.approx(-6.25)
    assert all(one.is_worse and one.kind == "changed" for one in found.values())
    assert str(found["map@10"]) == "map@10 0.8 → 0.75 (−6.25 %, worse)"


@pytest.mark.parametrize(("now", "flagged"), [(0.76, False), (0.7599, True), (0.84, False), (0.8401, True), (0.8, False)])
def test_exactly_the_threshold_is_no_anomaly(now, flagged):
    assert bool(detect_metric_anomalies({"mrr": now}, {"mrr": 0.8})) == flagged


def test_both_directions_with_which_is_worse():
    found = detect_metric_anomalies({"mrr": 0.9, "latency_p95": 30, "mine": 2}, {"mrr": 0.5, "latency_p95": 20, "mine": 1})
    assert {name: one.is_worse for name, one in found.items()} == {"mrr": False, "latency_p95": True, "mine": None}


def test_new_missing_and_from_zero():
    found = detect_metric_anomalies(
        {"mrr": 0.1, "map": math.nan, "ndcg@10": 0.3, "err": 0.0}, {"mrr": 0.0, "map": 0.5, "bpref": None, "err": 0.0}
    )
    assert {name: one.kind for name, one in found.items()} == {"mrr": "from zero", "map": "missing", "ndcg@10": "new"}
    assert found["mrr"].relative is None
    assert found["mrr"].is_worse is False
    assert found["map"].to_dict()["current"] is None
    assert str(found["map"]) == "map is missing"


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


@pytest.mark.parametrize("threshold", [-0.1, math.inf, math.nan, "5%", True])
def test_impossible_thresholds(threshold):
    with pytest.raises(BadParameter, match="threshold is a share"):
        detect_metric_anomalies({}, {}, threshold)


@pytest.mark.parametrize("figures", [{"a": "x"}, {"a": [1]}, {"a": True}, [0.3], "mrr"])
def test_what_is_no_figure(figures):
    with pytest.raises(BadParameter, match=r"is a number or None, not|is metric → figure"):
        detect_metric_anomalies(figures, {"a": 0.5})
    with pytest.raises(BadParameter):
        detect_metric_anomalies({"a": 0.5}, figures)
