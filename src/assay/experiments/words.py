"""Words: the verdict of an A/B test, why there may be none, and what a reader should know about its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.comparison import corrected_over, difference_text, lead_text, p_text
from assay.experiments.options import ExperimentOptions
from assay.experiments.sample_ratio import SampleRatio
from assay.experiments.variant_difference import CUPED, VariantDifference
from assay.logs import VariantUsers
from assay.text import counted, percent, plural

if TYPE_CHECKING:
    from assay.experiments.experiment import Experiment

FEWEST_USERS = 200
"""From this number of users of each variant on, the delta method keeps its error rate even for very active users."""
MOST_NAMED = 3
"""Differences whose reduction of the variance is named."""
MOST_IN_SEVERAL = 0.01
"""The largest share of users with several variants with which there is a verdict."""


def withheld_reason(ratio: SampleRatio, users: VariantUsers, *, has_split: bool) -> str:
    """Why the variants are not comparable; empty if they are. `has_split`: whether the user set the expected shares."""
    n_all, units = len(users.variant) + users.n_several, plural(users.unit)
    if users.n_several > MOST_IN_SEVERAL * n_all:
        share = _share(users.n_several / n_all)
        return (
            f"{users.n_several:,} of {counted(n_all, users.unit)} ({share}) saw several variants, so the {units} of the "
            "variants are not comparable. Check the assignment and the column with the variant"
        )
    if ratio.is_mismatch:
        advice = "" if has_split else ". If the split was meant to be unequal, add --split"
        sizes = ", ".join(f"{name} {n:,} ({_share(n / sum(ratio.users.values()))})" for name, n in ratio.users.items())
        wanted = ", ".join(f"{name} {_share(share)}" for name, share in ratio.expected.items())
        return (
            f"the numbers of {units} do not fit the split: {sizes}, but {wanted} was expected (sample ratio mismatch, "
            f"chi-squared test, {p_text(ratio.p)}). The assignment or the log loses {units} of one variant, so the {units} "
            f"are not comparable{advice}"
        )
    return ""


def _share(share: float) -> str:
    return percent(share, 1)


def verdict_on(experiment: Experiment) -> str:
    """The verdict on the metrics that decide, as for a comparison of systems."""
    if experiment.withheld:
        return f"There is no verdict: {experiment.withheld}."
    metrics = list(dict.fromkeys(each.metric for each in experiment.deciding))
    sentences = [_on_metric(experiment, [each for each in experiment.deciding if each.metric == name]) for name in metrics]
    correction = _correction(experiment)
    return " ".join(sentences) + (f" Correction: {correction}." if correction else "")


def _correction(experiment: Experiment) -> str:
    n = experiment.n_comparisons
    return corrected_over(experiment.how.correcting, f"all {n} comparisons") if n > 1 else ""


def _on_metric(experiment: Experiment, differences: Sequence[VariantDifference]) -> str:
    clauses = [_clause(experiment, each) for each in differences]
    return f"{'; '.join(clauses)}."


def _clause(experiment: Experiment, each: VariantDifference) -> str:
    metric = experiment.metric(each.metric)
    if math.isnan(each.difference):
        return f"{each.metric} of {each.b} cannot be compared, because the log does not have what it needs"
    if each.is_same:
        return f"{each.b} does not differ from {each.a} on {each.metric}: all {plural(experiment.unit)} have the same value"
    if math.isnan(each.p):
        return f"{each.metric} of {each.b} cannot be tested, because all {plural(experiment.unit)} have the same value"
    if each.better:
        loser = each.a if each.better == each.b else each.b
        return f"{each.better} beats {loser} on {each.metric} by {lead_text(metric, each)}, {p_text(each.p_corrected)}"
    return f"{each.b} is not shown to differ from {each.a} on {each.metric}: {difference_text(metric, each)}"


def _reduction(each: VariantDifference, *, has_several: bool) -> str:
    """`ctr@10 4 %`, with the variant if there are several. An earlier period that says nothing removes 0 %."""
    variant = f" of {each.b}" if has_several else ""
    return f"{each.metric}{variant} {percent(max(0.0, each.variance_reduction))}"


def notes_on(users: VariantUsers, differences: Sequence[VariantDifference], how: ExperimentOptions) -> tuple[str, ...]:
    """What a reader should know."""
    notes, units = [], plural(users.unit)
    if users.n_several:
        notes.append(f"{counted(users.n_several, users.unit)} saw several variants. They are left out.")
    if users.n_without:
        notes.append(f"{counted(users.n_without, 'search')} without a variant are left out.")
    if not how.sequential and 0 < min(np.bincount(users.variant)) < FEWEST_USERS:
        few = f"A variant has fewer than {FEWEST_USERS} {units}"
        notes.append(f"{few}. If few of them have most searches, the intervals are too narrow.")
    if users.unit != "user":
        notes.append(f"The log has no users, so {units} count. Intervals are too narrow if users return.")
    if how.start is not None and not how.sequential and users.before is None:
        notes.append(f"No {users.unit} of the experiment has a search before {how.start}, so no value is adjusted.")
    if adjusted := [each for each in differences if each.method == CUPED]:
        shares = ", ".join(_reduction(each, has_several=len(users.variants) > 2) for each in adjusted[:MOST_NAMED])
        more = ", …" if len(adjusted) > MOST_NAMED else ""
        notes.append(f"Values are adjusted for the time before {how.start} (CUPED), which removes variance: {shares}{more}.")
    if how.sequential:
        hours = f"{how.window:g} hours"
        notes.append(
            f"Values are means over {units} of their own values, from searches within {hours} of the first search of a "
            f"{users.unit}. "
            "Intervals and p hold however often the experiment is looked at."
        )
        if users.n_unfinished:
            late = counted(users.n_unfinished, users.unit)
            notes.append(f"{late} came in the last {hours} of the log. They are left out.")
    return tuple(notes)
