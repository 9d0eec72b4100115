"""Drift between two runs, nobody having judged anything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.errors import BadParameter, DataError
from assay.monitoring import measure_drift
from assay.monitoring.drift import ks_shift
from assay.stats import rbo

RUN = {f"q{query}": {f"d{query}-{place}": 10.0 - place for place in range(10)} for query in range(20)}


def test_the_same_run_has_not_drifted():
    drift = measure_drift(RUN, RUN)
    assert drift.findings == ()
    assert (drift.rbo, drift.overlap, drift.churn, drift.gone, drift.shift) == (pytest.approx(1), 1, 0, 0, 0)


def test_each_sign_by_itself():
    reversed_ = {query: {doc: -score for doc, score in ranking.items()} for query, ranking in RUN.items()}
    found = measure_drift(RUN, reversed_)
    assert found.churn == 0
    assert found.rbo == pytest.approx(np.mean([rbo(RUN[query], reversed_[query]) for query in RUN]))
    renamed = {query: {f"new-{doc}": score for doc, score in ranking.items()} for query, ranking in RUN.items()}
    assert (measure_drift(RUN, renamed).churn, measure_drift(RUN, renamed).rbo) == (1.0, 0.0)
    louder = {query: {doc: score + 100 for doc, score in ranking.items()} for query, ranking in RUN.items()}
    drift = measure_drift(RUN, louder)
    assert (drift.rbo, drift.shift, drift.median_before, drift.median_now) == (pytest.approx(1), 1.0, 10.0, 110.0)
    assert drift.findings == ("scores shifted: median best score 10 → 110",)
    empty = {**RUN, "q1": {}, "q2": {}}
    assert (measure_drift(RUN, empty).empty_before, measure_drift(RUN, empty).empty_now) == (0.0, 0.1)
    fewer = {query: RUN[query] for query in list(RUN)[:15]}
    assert measure_drift(RUN, fewer).findings == ("5 queries of before are not in the run now",)


def test_the_least_alike_queries_are_named():
    changed = {**RUN, "q7": {"x": 1.0}}
    assert measure_drift(RUN, changed).least_alike == (("q7", 0.0),)
    assert measure_drift(RUN, changed).to_dict()["schema"] == "assay.drift/1"
    assert measure_drift(RUN, changed).to_dict()["least_alike"] == [{"query": "q7", "rbo": 0.0}]


def test_the_distance_of_scores_is_that_of_kolmogorov_and_smirnov():
    rng = np.random.default_rng(0)
    for n, m, shift in ((50, 80, 0.0), (200, 200, 0.3), (30, 500, 1.0)):
        a, b = rng.normal(size=n), rng.normal(shift, size=m)
        expected = stats.ks_2samp(a, b, method="asymp")
        distance, p = ks_shift(a, b)
        assert distance == pytest.approx(expected.statistic)
        assert p == pytest.approx(expected.pvalue, rel=0.35, abs=0.02)
    assert ks_shift(np.array([]), np.array([])) == (0.0, 1.0)
    assert ks_shift(np.array([]), np.array([1.0])) == (1.0, 0.0)


def test_equal_scores_are_no_drift():
    """A run without a single score that differs is the hardest: still it has not drifted from itself."""
    tied = {f"q{query}": dict.fromkeys((f"d{doc}" for doc in range(30)), 1.0) for query in range(5)}
    backwards = {query: dict(reversed(ranking.items())) for query, ranking in tied.items()}
    for other in (tied, backwards):
        for k in (3, 10, 20, 100):
            drift = measure_drift(tied, other, k)
            assert (drift.rbo, drift.overlap, drift.churn, drift.findings, drift.least_alike) == (1.0, 1.0, 0.0, (), ())


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


def test_runs_that_have_nothing_in_common():
    with pytest.raises(DataError, match="no query in common"):
        measure_drift({"q1": ["a"]}, {"q2": ["a"]})
    with pytest.raises(BadParameter):
        measure_drift(RUN, RUN, k=0)
