"""Whether a system is worse by a margin: the gate and `compare --test non_inferiority` cannot contradict each other."""

from dataclasses import astuple

import numpy as np
import pytest

from assay.comparison import ComparisonOptions, decide, decide_margin
from assay.metrics import find_metric
from assay.model import MEAN, Column

RNG = np.random.default_rng(3)
BEFORE = RNG.choice([1.0, 0.5, 0.25, 0.0], 150)
NOW = np.where(RNG.random(150) < 0.8, BEFORE, RNG.choice([1.0, 0.5, 0.25, 0.0], 150))


def column(scores):
    return Column.of(np.asarray(scores, dtype=float), MEAN)


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.1])
@pytest.mark.parametrize("metric", ["mrr", "latency"])
def test_the_test_of_a_comparison_has_the_p_of_the_gate(metric, margin):
    bound = find_metric(metric)
    pair = decide(bound, column(BEFORE), column(NOW), ComparisonOptions(test=f"non_inferiority(margin={margin})"))
    assert decide_margin(bound, column(BEFORE), column(NOW), margin).p_not_worse == pytest.approx(pair.p, rel=1e-9)


def test_a_decision_has_the_difference_and_the_test_of_a_comparison():
    bound = find_metric("mrr")
    decision, pair = decide_margin(bound, column(BEFORE), column(NOW), 0.05), decide(bound, column(BEFORE), column(NOW))
    assert astuple(decision.pair) == astuple(pair)
    assert decision.p_worse == pytest.approx(pair.p / 2 if pair.improvement < 0 else 1 - pair.p / 2, abs=0.06)
    assert decision.high == pair.high


@pytest.mark.parametrize(("start", "margin", "status"), [(0, 0.05, "fail"), (90, 0.02, "pass")])
def test_needed_queries_would_decide(start, margin, status):
    """Copies of the same differences, as many as `needed` says, are enough."""
    bound, part = find_metric("mrr"), slice(start, start + 60)
    decision = decide_margin(bound, column(BEFORE[part]), column(NOW[part]), margin)
    assert decision.status == "undecided"
    assert decision.needed() > 60
    times = -(-decision.needed() // 60)
    copies = [column(np.tile(scores[part], times)) for scores in (BEFORE, NOW)]
    assert decide_margin(bound, *copies, margin).status == status


def test_the_order_of_queries_does_not_matter():
    bound, order = find_metric("mrr"), RNG.permutation(150)
    first, other = (decide_margin(bound, column(BEFORE[o]), column(NOW[o]), 0.05) for o in (np.arange(150), order))
    names = ("low", "high", "p_worse", "p_not_worse")
    assert [getattr(first, name) for name in names] == [getattr(other, name) for name in names]


@pytest.mark.parametrize(("shift", "margin", "status"), [(0.98, 0.01, "fail"), (0.9, 0.1, "pass")])
def test_needed_queries_of_a_value_that_is_not_a_mean(shift, margin, status):
    """Its interval decides, so this number follows from the interval, not from the gains of single queries."""
    bound, rng = find_metric("gmap"), np.random.default_rng(8)
    before = rng.uniform(0.05, 1, 30)
    now = np.clip(before * shift * rng.uniform(0.4, 1.6, 30), 0.01, 1)
    columns = [Column.of(scores, bound.metric.aggregation) for scores in (before, now)]
    decision = decide_margin(bound, *columns, margin)
    assert (decision.status, decision.method) == ("undecided", "bootstrap")
    needed = decision.needed()
    assert 30 < needed < 2000
    times = -(-needed // 30)
    copies = [Column.of(np.tile(scores, times), bound.metric.aggregation) for scores in (before, now)]
    assert decide_margin(bound, *copies, margin).status == status
