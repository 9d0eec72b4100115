"""Profile: how one tool scores: its policy, and what it does differently for some metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Unpack

from assay.arrays import Bools
from assay.errors import DataError
from assay.grammar import Param, show
from assay.metrics import BoundMetric, all_metrics, recorded_metric
from assay.model import Policy, PolicySettings
from assay.text import some_of
from assay.views import GradedRun

EVERY_METRIC = ("*",)
"""All metrics."""


@dataclass(frozen=True)
class Variant:
    """What a tool does differently for some metrics: other parameters, other conventions, or a different metric."""

    metrics: tuple[str, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True
    """Whether it applies to a metric with these parameters."""
    instead: str = ""
    """The metric that the tool computes under this name."""
    digits: int | None = None
    """The number of decimals to which the score of each query is rounded."""


@dataclass(frozen=True)
class Refusal:
    """Data on which the tool crashes or returns something that is not a score."""

    metrics: tuple[str, ...]
    finds: Callable[[GradedRun], Bools]
    """Finds the queries that cause it."""
    says: str
    """What the tool does, as the rest of a sentence that starts with its name."""
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True
    of_rankings: bool = False
    """Whether it applies only to queries in the run, with or without documents; missing queries are no problem."""
    is_undefined: bool = False
    """Whether the tool returns nan or an undefined value instead of an error."""


@dataclass(frozen=True)
class Option:
    """The option of a tool that decides about queries that are only in the judgments or only in the run."""

    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


class _Definition(Protocol):
    """The part of a metric that profiles read: its name and its parameters."""

    @property
    def name(self) -> str:
        """The canonical name."""

    @property
    def params(self) -> tuple[Param, ...]:
        """Its parameters."""


class Parameterised(Protocol):
    """A metric with its parameters, as `assay.metrics` has them."""

    @property
    def metric(self) -> _Definition:
        """The definition."""

    @property
    def params(self) -> Mapping[str, Any]:
        """Parameter → value."""


@dataclass(frozen=True)
class Profile:
    """How one tool scores."""

    name: str
    tool: str
    """The name of the tool and the version in which it was observed."""
    policy: Policy
    variants: tuple[Variant, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    option: Option = Option()
    has: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The metrics of the tool → the parameters that users can set: `k`, or `k!` if it always has a cutoff; `gain=exp` if
    only this value is possible; `gain={}` if the value is a map. If empty, the tool has all metrics.
    """

    def adjusted(self, **settings: Unpack[PolicySettings]) -> Profile:
        """The same profile with these conventions for all metrics."""
        variants = tuple(
            replace(variant, policy={name: value for name, value in variant.policy.items() if name not in settings})
            for variant in self.variants
        )
        return replace(self, policy=replace(self.policy, **settings), variants=variants)

    @property
    def is_own(self) -> bool:
        """Whether this is assay's profile and not that of another tool."""
        return not self.name

    def variant(self, metric: str, params: Mapping[str, Any]) -> Variant | None:
        """What the tool does differently for a metric with these parameters."""
        return next((variant for variant in self.variants if metric in variant.metrics and variant.when(params)), None)

    def lacks(self, metric: Parameterised) -> bool:
        """Whether the tool cannot compute a metric: it does not have it, or not with these parameters."""
        if not self.has:
            return False
        definition = metric.metric
        if definition.name not in self.has:
            return True
        usual = variant.params if (variant := self.variant(definition.name, metric.params)) else {}
        takes = self.has[definition.name]
        return ("k!" in takes and metric.params["k"] is None) or not all(
            _takes(takes, param.name, metric.params[param.name], usual.get(param.name, param.default))
            for param in definition.params
        )

    def describe_lacking(self, metric: BoundMetric) -> str:
        """The metric that the tool does not have, or does not have without a cutoff."""
        name = metric.metric.name
        needs_cutoff = "k!" in self.has.get(name, ()) and metric.params["k"] is None
        return f"{name} without a cutoff" if needs_cutoff else metric.name


def _takes(takes: tuple[str, ...], name: str, value: Any, usual: Any) -> bool:
    """Whether users can set a parameter to a value."""
    if value == usual or name in takes or f"{name}!" in takes:
        return True
    return f"{name}={value}" in takes or (f"{name}={{}}" in takes and isinstance(value, tuple))


OWN = Profile("", "assay", Policy())
"""assay's conventions, the same for all metrics."""


@dataclass(frozen=True)
class Setting:
    """One metric under one policy."""

    asked: BoundMetric
    metric: BoundMetric
    policy: Policy
    digits: int | None = None
    """The number of decimals to which the score of each query is rounded."""
    is_beside: bool = False
    """Whether it was not requested but shows how reliable the requested metrics are; profiles do not apply to it."""
    also_asked: tuple[str, ...] = ()
    """Other requested metrics that are the same: MTEB's accuracy is recall@1."""

    @classmethod
    def of(cls, asked: BoundMetric, profile: Profile) -> Setting:
        """The setting of a metric under a profile. Parameters that the user wrote do not change."""
        variant = profile.variant(asked.metric.name, asked.params)
        if variant is None:
            return cls(asked, asked, profile.policy)
        chosen_params = {name: asked.params[name] for name in asked.given}
        target = all_metrics()[variant.instead] if variant.instead else asked.metric
        takes = {param.name for param in target.params}
        metric = target.bind(**{name: value for name, value in {**variant.params, **chosen_params}.items() if name in takes})
        return cls(asked, metric, replace(profile.policy, **variant.policy), variant.digits)


class Settings(tuple[Setting, ...]):  # noqa: SLOT001 (its cached properties need a __dict__)
    """The settings of all metrics of an evaluation, and what follows from them alone. It is computed once for many runs."""

    @classmethod
    def of(cls, settings: Iterable[Setting]) -> Settings:
        """These settings; the same object if they are prepared already."""
        return settings if isinstance(settings, Settings) else cls(settings)

    @cached_property
    def by_policy(self) -> dict[Policy, Settings]:
        """Each policy and the settings that have it."""
        groups: dict[Policy, list[Setting]] = {}
        for setting in self:
            groups.setdefault(setting.policy, []).append(setting)
        return {policy: self if len(group) == len(self) else Settings(group) for policy, group in groups.items()}

    @cached_property
    def requested_policies(self) -> list[Policy]:
        """The policies of the requested metrics, each once."""
        return list(dict.fromkeys(setting.policy for setting in self if not setting.is_beside))

    @cached_property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """The metrics as they are scored."""
        return tuple(setting.metric for setting in self)

    @cached_property
    def beside(self) -> tuple[str, ...]:
        """The names of the metrics that were not requested."""
        return tuple(setting.metric.name for setting in self if setting.is_beside)

    @cached_property
    def views(self) -> frozenset[str]:
        """The views that the metrics read."""
        return frozenset(metric.metric.view for metric in self.metrics)

    @cached_property
    def digits(self) -> dict[str, int]:
        """Metric → the number of decimals of its scores, for metrics whose tool rounds them."""
        return {setting.metric.name: setting.digits for setting in self if setting.digits is not None}

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names of the definitions that the user named."""
        return frozenset(setting.asked.metric.name for setting in self)

    @cached_property
    def _are_as_asked(self) -> bool:
        return all(setting.asked is setting.metric and not setting.also_asked for setting in self)

    def is_changed(self, policy: Policy) -> bool:
        """Whether a metric is scored in another way than the user asked for, or under another policy."""
        return not self._are_as_asked or any(other is not policy and other != policy for other in self.by_policy)

    def main_policy(self, policy: Policy) -> Policy:
        """The policy that all requested metrics share, else the given policy, unless none of the metrics uses it."""
        used = self.requested_policies
        return used[0] if used and (len(used) == 1 or policy not in used) else policy


class ToolRefusal(DataError):
    """Data on which the tool of a profile has no score."""

    def __init__(self, message: str, refusal: Refusal) -> None:
        super().__init__(message)
        self.is_undefined = refusal.is_undefined


def settings_of(metrics: Iterable[BoundMetric], profile: Profile) -> Settings:
    """The settings of all metrics, each metric once."""
    settings_by_name: dict[str, Setting] = {}
    for asked in metrics:
        setting = Setting.of(asked, profile)
        if first := settings_by_name.get(setting.metric.name):
            setting = replace(first, also_asked=(*first.also_asked, asked.name))
        settings_by_name[setting.metric.name] = setting
    return Settings(settings_by_name.values())


def check_supported(profile: Profile, setting: Setting, run: GradedRun, missing: Iterable[str] = ()) -> None:
    """Raise a ToolRefusal if the tool would crash or return something that is not a score; `missing` are missing queries."""
    rel = setting.metric.params.get("rel")
    run = run if rel is None else replace(run, level=rel)
    for refusal in () if setting.is_beside else profile.refusals:
        concerns = refusal.metrics == EVERY_METRIC or setting.asked.metric.name in refusal.metrics
        if concerns and refusal.when(setting.metric.params) and (is_refused := refusal.finds(run)).any():
            excused = set(missing) if refusal.of_rankings else set()
            queries = [query for query, is_found in zip(run.query_ids, is_refused.tolist(), strict=True) if is_found]
            if queries := [query for query in queries if query not in excused]:
                noun = "query" if len(queries) == 1 else "queries"
                raise ToolRefusal(f"{profile.tool} {refusal.says}: {noun} {some_of(queries)}", refusal)


def spelled(metric: BoundMetric) -> str:
    """The name with only the parameters that were given: `rbp` stays `rbp`, although it means `rbp(p=0.8)`."""
    if recorded_metric(metric.name).given == metric.given:
        return metric.name
    at = metric.metric.at
    inside = ", ".join(f"{name}={show(metric.params[name])}" for name in sorted(metric.given) if not at or name != at.name)
    cutoff = f"@{show(metric.params[at.name])}" if at and metric.params[at.name] is not None else ""
    return f"{metric.metric.name}({inside}){cutoff}" if inside else f"{metric.metric.name}{cutoff}"


def with_settings(metric: BoundMetric, **settings: Any) -> BoundMetric:
    """The metric with some parameters changed. A value of None cannot be written, so that parameter is left open."""
    chosen_params = {name: metric.params[name] for name in metric.given} | settings
    return metric.metric.bind(**{name: value for name, value in chosen_params.items() if value is not None})
