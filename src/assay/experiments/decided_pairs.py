"""Decided pairs: two stored results of one experiment, with the difference that the experiment decided.

A gate on stored variants uses these, so that it cannot contradict the verdict of the experiment.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.comparison import Pair
from assay.errors import DataError
from assay.evaluation import Result
from assay.experiments.experiment import Experiment
from assay.experiments.interleaving_outcome import InterleavingOutcome, T, sign_estimate
from assay.experiments.outcome_results import OUTCOME, WINS, outcome_of
from assay.experiments.variant_difference import BETTING, VariantDifference
from assay.stats import Ratio, student_quantile


def shared_outcome(before: Result, now: Result) -> Experiment | InterleavingOutcome | None:
    """The outcome that both results belong to; None if they are of two experiments, or of none."""
    plain = now.provenance.get(OUTCOME)
    return outcome_of(now) if plain and plain == before.provenance.get(OUTCOME) else None


def decided_pair(
    outcome: Experiment | InterleavingOutcome, metric: str, before: Result, now: Result, level: float | None = None
) -> Pair | None:
    """How `now` differs from `before`, as their experiment decided it; None if it did not compare them on this metric.

    `level` is the confidence level, by default that of the experiment. p is corrected as in the experiment if the metric is
    one of those that decide; other metrics have p without a correction.
    """
    if isinstance(outcome, InterleavingOutcome):
        return _of_rankings(outcome, before, now, level) if metric == WINS else None
    for each in outcome.differences:
        if each.metric == metric and {each.a, each.b} == {before.name, now.name} and not math.isnan(each.difference):
            return _of_variants(outcome, each, now.name == each.a, outcome.level if level is None else level)
    return None


def _of_variants(experiment: Experiment, each: VariantDifference, is_turned: bool, level: float) -> Pair:
    """The difference as a pair; `is_turned` if the control is compared with the variant."""
    low, high = _ends(experiment, each, level)
    numbers = {
        "a": each.b if is_turned else each.a,
        "b": each.a if is_turned else each.b,
        "n": each.n_a if is_turned else each.n_b,
        "value_a": each.value_b if is_turned else each.value_a,
        "value_b": each.value_a if is_turned else each.value_b,
        "difference": -each.difference if is_turned else each.difference,
        "low": -high if is_turned else low,
        "high": -low if is_turned else high,
        "improvement": -each.improvement if is_turned else each.improvement,
    }
    p_corrected = each.p_corrected if each.is_in_family else each.p
    return _pair(each.metric, numbers, each.method, each.p, p_corrected, level, is_in_family=each.is_in_family)


def _ends(experiment: Experiment, each: VariantDifference, level: float) -> tuple[float, float]:
    """The interval at another level than that of the experiment. A confidence sequence holds at lower levels too."""
    own = experiment.level
    if level == own or math.isnan(each.low) or each.low == each.high:
        return each.low, each.high
    if each.method == BETTING:
        if level < own:
            return each.low, each.high
        raise DataError(
            f"the confidence sequence of the experiment {experiment.name} is at {100 * own:g} %, so it says nothing at "
            f"{100 * level:g} %. Set the level of the rule, as in {each.metric} not worse by 0.01 ({100 * own:g}%), or "
            f"compare the variants again with --level {level:g}"
        )
    wider = student_quantile((1 + level) / 2, each.df) / student_quantile((1 + own) / 2, each.df)
    return each.difference - wider * (each.difference - each.low), each.difference + wider * (each.high - each.difference)


def _of_rankings(outcome: InterleavingOutcome, before: Result, now: Result, level: float | None) -> Pair | None:
    """The difference of the shares of two rankings, by the test of the outcome: that of one share to one half, doubled."""
    if {before.name, now.name} != {outcome.a, outcome.b}:
        return None
    level = outcome.level if level is None else level
    share = np.asarray(now.table.columns[WINS].score, dtype=float)
    if outcome.test == T:
        estimate = Ratio.of(share, np.ones(len(share))).estimate(level, 0.5)
    else:
        estimate = sign_estimate(int((share < 0.5).sum()), int((share > 0.5).sum()), level)
    value, low, high = (2 * number for number in estimate[:3])
    numbers = {
        "a": before.name,
        "b": now.name,
        "n": len(share),
        "value_a": 0.5 - value / 2,
        "value_b": 0.5 + value / 2,
        "difference": value,
        "low": max(low, -1.0),
        "high": min(high, 1.0),
        "improvement": value,
    }
    return _pair(WINS, numbers, outcome.test, estimate.p, estimate.p, level)


def _pair(
    metric: str,
    numbers: dict[str, Any],
    method: str,
    p: float,
    p_corrected: float,
    level: float,
    *,
    is_in_family: bool = True,
) -> Pair:
    """The pair of these numbers, without what is known only about systems on the same queries."""
    value = numbers["value_a"]
    unknown: dict[str, Any] = dict.fromkeys(("d_z", "cliffs_delta", "p_better", "p_equal"), math.nan)
    unknown |= dict.fromkeys(("wins", "ties", "losses"), 0)
    return Pair(
        metric=metric,
        **numbers,
        n_changed=numbers["n"],
        relative=numbers["difference"] / abs(value) if value else math.nan,
        interval=method,
        statistic=numbers["difference"],
        p=p,
        p_corrected=p_corrected,
        is_significant=bool(p_corrected <= round(1 - level, 12)),
        is_in_family=is_in_family,
        direction=(numbers["improvement"] > 0) - (numbers["improvement"] < 0),
        draws=0,
        **unknown,
    )
