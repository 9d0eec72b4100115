"""Peers: which profile of assay gives the same numbers as the code under test."""

from __future__ import annotations

from collections.abc import Sequence

from assay.conformance.cases import Case
from assay.conformance.check import Verdict
from assay.errors import DataError
from assay.evaluation import PROFILES, Profile, evaluate_metrics

NOT_TOLD = "duplicates"
"""The topic on which profiles say nothing: the tools take rankings in which nothing can come twice."""
ENOUGH = 0.75
"""The share of cases that a profile must be able to answer before it is named."""
FEW = 20
"""Fewer cases than this do not tell tools apart."""


def matching_profiles(verdicts: Sequence[Verdict], tolerance: float, *, at_least: int = FEW) -> dict[str, int]:
    """Profile → cases compared, for profiles that differ in none of them."""
    found: dict[str, int] = {}
    for name, profile in PROFILES.items():
        compared = [_agrees(profile, verdict, tolerance) for verdict in verdicts]
        known = [agrees for agrees in compared if agrees is not None]
        if known and all(known) and len(known) >= max(at_least, ENOUGH * len(verdicts)):
            found[name] = len(known)
    return found


def _agrees(profile: Profile, verdict: Verdict, tolerance: float) -> bool | None:
    """Whether the tool answers alike; None where it does not have the metric or its answer is undefined.

    To refuse is an answer where the case knows it as a convention; elsewhere the tool crashes or leaves things to chance.
    """
    case, answer = verdict.case, verdict.answer
    if case.topic == NOT_TOLD or (profile.has and case.bound.metric.name not in profile.has):
        return None
    value = _score(profile, case)
    if value is None:
        return bool(answer.error) if any(one.value is None for one in case.values) else None
    return not answer.error and abs(value - float(answer.value)) <= tolerance


def _score(profile: Profile, case: Case) -> float | None:
    """The number of a tool; None where it refuses."""
    try:
        return evaluate_metrics(case.qrels, case.run, [case.bound], profile=profile)[case.metric]
    except DataError:
        return None
