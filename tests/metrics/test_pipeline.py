"""latency and its percentiles, and reranking_improvement."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.evaluation import score_views
from assay.metrics import parse_metric
from assay.model import Column
from assay.views import Reranking, Times, Timing

from ._ties import graded


def timed(metric, times):
    """The column of queries that took so long; None where one was not answered."""
    queries = tuple(f"q{number}" for number in range(len(times)))
    known = {query: time for query, time in zip(queries, times, strict=True) if time is not None}
    return score_views({"timing": Timing.of(queries, Times(known))}, [parse_metric(metric)]).columns[metric]


def improved(metric, judged, before, after):
    """The column of two runs: query → ids, best first."""
    runs = (graded(judged, {query: list(docs) for query, docs in run.items()}) for run in (before, after))
    bound = parse_metric(metric)
    return Column.of(bound.score(Reranking(*runs)), bound.metric.aggregation)


ONE_THREE_UP = ("reranking_improvement@3", {"q": {"a": 1}}, {"q": "ba"}, {"q": "ab"})
TWO, BETTER = {"q1": {"c": 1}, "q2": {"a": 1}}, {"q1": "cab", "q2": "abc"}
BEST, WORST = 7 + 1 / math.log2(3), 1 + 7 / math.log2(3)
EXP = ("reranking_improvement(gain=exp)@2", {"q": {"a": 3, "b": 1}}, {"q": "ba"}, {"q": "ab"})
WORKED_OUT = [  # metric, its figure, how that is found
    ("latency", 20.0, lambda name: timed(name, [10.0, None, 30.0]).summary()),  # what was not answered does not count
    ("latency", math.nan, lambda name: timed(name, [None, None]).summary()),
    ("latency_p50", 2.5, lambda name: timed(name, [4.0, 1.0, 3.0, 2.0]).summary()),  # halfway between the two in the middle
    ("latency_p95", 20.0, lambda name: timed(name, list(map(float, range(1, 22)))).summary()),  # 1 + 0.95 · 20: the 20th
    ("latency_p99", 100.0, lambda name: timed(name, list(map(float, range(1, 102)))).summary()),  # 1 + 0.99 · 100
    # from rank 2 to rank 1: 1 ÷ log₂ 3 before, 1 after
    ("reranking_improvement@3", 100 * (math.log2(3) - 1), lambda _: improved(*ONE_THREE_UP).summary()),
    # before ½ and 1, after 1 and 1: the mean rises from 0.75 to 1, by a third; the percentages are 100 and 0
    ("reranking_improvement@3", 100 / 3, lambda name: improved(name, TWO, {"q1": "abc", "q2": "abc"}, BETTER).summary()),
    # means 0.5 before and 1 after: +100 %, though the one query that changed has no percentage of its own
    ("reranking_improvement@3", 100.0, lambda name: improved(name, TWO, {"q1": "ab", "q2": "abc"}, BETTER).summary()),
    ("reranking_improvement@3", math.nan, lambda name: improved(name, {"q": {"c": 1}}, {"q": "ab"}, {"q": "cab"}).summary()),
    ("reranking_improvement(gain=exp)@2", 100 * (BEST - WORST) / WORST, lambda _: improved(*EXP).summary()),
]


def test_worked_out_by_hand():
    for metric, expected, found in WORKED_OUT:
        assert found(metric) == pytest.approx(expected, nan_ok=True), metric


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_percentiles_agree_with_numpy(times):
    for percent in (50, 95, 99):
        assert timed(f"latency_p{percent}", times).summary() == pytest.approx(float(np.quantile(times, percent / 100)))


def test_where_nothing_was_timed_it_is_told():
    with pytest.raises(assay.UsageError, match="latency needs times"):
        assay.evaluate({"q": {"d": 1}}, {"q": ["d"]}, "latency")


DOCS = ("a", "b", "c")


@given(st.lists(st.tuples(st.permutations(DOCS), st.permutations(DOCS), st.sampled_from(DOCS)), min_size=1, max_size=8))
def test_improvement_is_the_ratio_of_two_mean_ndcgs(rows):
    judged = {f"q{number}": {relevant: 1} for number, (_, _, relevant) in enumerate(rows)}
    runs = [{f"q{number}": row[side] for number, row in enumerate(rows)} for side in (0, 1)]
    before, after = (assay.evaluate(judged, run, "ndcg@3") for run in runs)
    found = improved("reranking_improvement@3", judged, *runs)
    assert found.summary() == pytest.approx(100 * (after["ndcg@3"] - before["ndcg@3"]) / before["ndcg@3"])
    assert np.allclose(found.score, 100 * (after.array("ndcg@3") / before.array("ndcg@3") - 1))


def test_what_was_0_before_has_no_percentage_but_counts():
    found = improved("reranking_improvement@3", TWO, {"q1": "ab", "q2": "abc"}, BETTER)
    assert found.values() == [None, 0.0]
    assert found.counts.tolist() == [True, True]
    with pytest.raises(assay.UsageError, match="reranking_improvement@10"):
        assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["reranking_improvement@10"])
