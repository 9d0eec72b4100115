"""Setting: a metric as it is scored; what was asked for, what a profile makes of it, and the policy that applies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from assay.errors import DataError
from assay.metrics import BoundMetric, all_metrics
from assay.model import EVERY, Policy, Profile
from assay.text import some_of
from assay.views import GradedRun


@dataclass(frozen=True)
class Setting:
    """One metric under one policy."""

    asked: BoundMetric
    metric: BoundMetric
    policy: Policy
    digits: int | None = None
    """Decimals the score of each query is rounded to."""
    is_beside: bool = False
    """Whether it is shown beside what was asked for, to say how far that can be trusted; profiles do not matter to it."""
    also_asked: tuple[str, ...] = ()
    """Other metrics that come down to the same: MTEB's accuracy beside recall@1."""

    @classmethod
    def of(cls, asked: BoundMetric, profile: Profile) -> Setting:
        """What a profile makes of a metric. Parameters that were spelled out stay as they are."""
        variant = profile.variant(asked.metric.name, asked.params)
        if variant is None:
            return cls(asked, asked, profile.policy)
        given = {name: asked.params[name] for name in asked.given}
        target = all_metrics()[variant.instead] if variant.instead else asked.metric
        takes = {param.name for param in target.params}
        metric = target.bind(**{name: value for name, value in {**variant.params, **given}.items() if name in takes})
        return cls(asked, metric, replace(profile.policy, **variant.policy), variant.digits)


def settings_of(metrics: Iterable[BoundMetric], profile: Profile) -> list[Setting]:
    """The settings of all metrics, each metric once."""
    found: dict[str, Setting] = {}
    for asked in metrics:
        setting = Setting.of(asked, profile)
        if first := found.get(setting.metric.name):
            setting = replace(first, also_asked=(*first.also_asked, asked.name))
        found[setting.metric.name] = setting
    return list(found.values())


def refuse(profile: Profile, setting: Setting, run: GradedRun, missing: Iterable[str] = ()) -> None:
    """Raise where the tool would crash or answer with something that is no score. `missing`: queries the run lacks."""
    rel = setting.metric.params.get("rel")
    run = run if rel is None else replace(run, level=rel)
    for refusal in () if setting.is_beside else profile.refusals:
        concerns = refusal.metrics == EVERY or setting.asked.metric.name in refusal.metrics
        if concerns and refusal.when(setting.metric.params) and (found := refusal.finds(run)).any():
            excused = set(missing) if refusal.of_rankings else set()
            queries = [query for query, is_found in zip(run.query_ids, found.tolist(), strict=True) if is_found]
            if queries := [query for query in queries if query not in excused]:
                raise DataError(f"{profile.tool} {refusal.says}: query {some_of(queries)}")
