"""Profiles: the profiles of all tools by name, and how metrics are scored by one of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from assay.errors import BadParameter, UnknownName, near_matches
from assay.evaluation.profile import OWN, Profile, Settings, settings_of
from assay.evaluation.tools.retrieval import (
    BEIR,
    IR_MEASURES,
    MTEB,
    PYTREC_EVAL,
    RANX,
    SENTENCE_TRANSFORMERS,
    TREC_EVAL_9,
    TREC_EVAL_10,
)
from assay.evaluation.tools.training import LIGHTGBM, SCIKIT_LEARN, XGBOOST
from assay.metrics import BoundMetric, Given, is_import, n_registered, parse_metrics, written_metrics
from assay.model import Policy
from assay.text import shortened

PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        *(TREC_EVAL_9, TREC_EVAL_10, PYTREC_EVAL, RANX),
        *(IR_MEASURES, BEIR, MTEB, SENTENCE_TRANSFORMERS),
        *(LIGHTGBM, XGBOOST, SCIKIT_LEARN),
    )
}
"""Name → profile."""


def find_profile(name: str) -> Profile:
    """The profile of a tool."""
    if name not in PROFILES:
        raise UnknownName("profile", name, near_matches(name, PROFILES), f"choose from {', '.join(PROFILES)}")
    return PROFILES[name]


def as_asked(metric: BoundMetric, profile: str) -> BoundMetric:
    """The metric that the user of a tool asked for, from the metric that was scored: without the parameters of the tool."""
    variant = PROFILES.get(profile, OWN).variant(metric.metric.name, metric.params)
    usual = {param.name: param.default for param in metric.metric.params} | dict(variant.params if variant else {})
    return metric.metric.bind(**{name: value for name, value in metric.params.items() if value != usual[name]})


def choose_profile(policy: Policy | None, profile: str | Profile | None) -> Profile:
    """The conventions to score by: one policy for all metrics, or those of a tool."""
    if policy is not None and profile is not None:
        raise BadParameter("use either policy or profile, not both. To change a profile: find_profile(name).adjusted(…)")
    if profile is not None:
        return profile if isinstance(profile, Profile) else find_profile(profile)
    if not isinstance(policy, Policy | None):
        raise BadParameter(f"policy must be a Policy such as Policy(ties='docid_asc'), not {shortened(policy)}")
    return OWN if policy is None else replace(OWN, policy=policy)


def requested_settings(metrics: Given | Iterable[Given] | None, profile: Profile) -> Settings:
    """How the metrics that a Python program names are scored. Names under assay's conventions are read once."""
    if profile is OWN and (names := _plain_names(metrics)):
        return _usual_settings(names, n_registered())
    return settings_of(parse_metrics(written_metrics(metrics), profile.name), profile)


def _plain_names(metrics: object) -> tuple[str, ...]:
    """The names, if all metrics are named by text that imports nothing; else empty."""
    names = (metrics,) if isinstance(metrics, str) else metrics
    is_plain = isinstance(names, list | tuple) and all(type(name) is str and not is_import(name) for name in names)
    return tuple(names) if is_plain and isinstance(names, list | tuple) else ()


@lru_cache(maxsize=256)
def _usual_settings(names: tuple[str, ...], n_registered: int) -> Settings:  # noqa: ARG001 (a part of the key)
    """The settings of names that import nothing; remembered until another metric is registered."""
    return settings_of(parse_metrics(written_metrics(names)), OWN)
