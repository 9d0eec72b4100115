"""latency: the mean time of an answer."""

import math

import pytest

import assay

from ._timing import timed


def test_by_hand():
    result = timed("latency", [10.0, 20.0, 60.0])
    assert result["latency"] == pytest.approx(30.0)
    assert result.scores("latency") == {"q0": 10.0, "q1": 20.0, "q2": 60.0}


def test_queries_without_an_answer_do_not_count():
    assert timed("latency", [10.0, None, 30.0])["mean_latency"] == pytest.approx(20.0)
    assert math.isnan(timed("latency", [None, None])["latency"])


def test_shorter_is_better():
    (metric,) = timed("latency", [1.0]).metrics
    assert not metric.metric.higher_is_better


def test_where_nothing_was_timed_it_is_told():
    with pytest.raises(assay.UsageError, match="latency reads timing"):
        assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "latency")
