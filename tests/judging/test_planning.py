"""Plans: the expected width of estimates, against simulated widths, and the number of judgments for a width."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay.errors import BadParameter
from assay.judging import Corrected, plan_judging, pool
from assay.stats import estimated_difference, estimated_mean


def runs(n_queries=80):
    rng = np.random.default_rng(0)
    return {
        name: {f"q{query:02}": [f"d{doc}" for doc in rng.permutation(20)[:10]] for query in range(n_queries)}
        for name in "AB"
    }


def test_expected_widths_are_about_the_simulated_ones():
    """Documents are relevant with a probability that differs from query to query."""
    systems = runs()
    plan = plan_judging(systems, rate=0.3, spread=0.25)
    widths = {"value": [], "difference": []}
    for seed in range(40):
        rng = np.random.default_rng(seed)
        level = {query: rng.beta(1.0, 7 / 3) for query in systems["A"]}  # mean 0.3, and 0.22² + binomial noise ≈ 0.25²
        drawn = pool(systems, pairs=250, seed=seed)
        people: dict[str, dict[str, float]] = {}
        for pair in drawn.drawn:
            people.setdefault(pair.query, {})[pair.document] = float(rng.random() < level[pair.query])
        layer = Corrected(people, None, drawn)
        columns = [layer.evaluate(None, run).table.columns["precision@10"] for run in systems.values()]
        for label, mean in (("value", estimated_mean(columns[0].weight)), ("difference", estimated_difference(*columns))):
            low, high = mean.interval(0.95)
            widths[label].append((high - low) / 2)
    expected = plan.expected(250)
    assert expected.value == pytest.approx(np.mean(widths["value"]), rel=0.1)
    assert expected.difference == pytest.approx(np.mean(widths["difference"]), rel=0.1)


def test_more_judgments_are_narrower_and_queries_are_the_limit():
    plan = plan_judging(runs())
    widths = [plan.expected(pairs).value for pairs in (50, 100, 300, 1000, plan.n_pairs)]
    assert widths == sorted(widths, reverse=True)
    needed = plan.pairs_for(0.08)
    assert needed is not None
    assert plan.expected(needed).value <= 0.08 < plan.expected(needed - 1).value
    assert plan.pairs_for(0.03) is None  # 80 queries have a half width of 0.056 even if everything is judged
    assert plan.expected(plan.n_pairs).value == pytest.approx(1.99 * 0.25 / math.sqrt(80), rel=0.01)


def test_whole_queries_need_more_judgments():
    assert plan_judging(runs(), "whole").expected(300).value > 1.3 * plan_judging(runs()).expected(300).value


def test_grades_so_far_give_the_share_of_relevant_documents():
    known = {f"q{query:02}": {f"d{doc}": int(doc < 2) for doc in range(10)} for query in range(5)}
    assert plan_judging(runs(), people=known).rate == 0.2
    assert plan_judging(runs(), people={"q00": known["q00"]}).rate == 0.3  # ten grades are too few
    assert (
        plan_judging(runs(), metric="precision(rel=2)@10", people=known).rate == 0.3
    )  # none is relevant: that cannot be right


def test_plain_values():
    plain = plan_judging(runs()).to_dict(300, 0.08)
    assert (plain["metric"], plain["how"], plain["n_queries"]) == ("precision@10", "spread", 80)
    assert plain["expected"]["minutes"] == 35
    assert set(plain["needed"]) == {"value", "difference"}
    assert plan_judging({"A": runs()["A"]}).to_dict(300)["expected"]["difference"] is None


def test_wrong_input():
    with pytest.raises(BadParameter, match="rate must be a number between 0 and 1"):
        plan_judging(runs(), rate=1.0)
    with pytest.raises(BadParameter, match="a width must be above 0"):
        plan_judging(runs()).pairs_for(0)
