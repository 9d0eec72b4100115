"""Profile: how one tool scores; a policy, and what the tool does otherwise for some metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay.arrays import Bools
from assay.errors import DataError
from assay.grammar import Param, show
from assay.metrics import BoundMetric, all_metrics, recorded_metric
from assay.model import Policy
from assay.text import some_of
from assay.views import GradedRun

EVERY_METRIC = ("*",)
"""All metrics."""


@dataclass(frozen=True)
class Variant:
    """What a tool does otherwise for some metrics: parameters, conventions, or another metric altogether."""

    metrics: tuple[str, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True
    """Whether it applies to a metric with these parameters."""
    instead: str = ""
    """The metric the tool means by this name."""
    digits: int | None = None
    """Decimals the score of each query is rounded to."""


@dataclass(frozen=True)
class Refusal:
    """Where the tool crashes or gives something that is no score."""

    metrics: tuple[str, ...]
    finds: Callable[[GradedRun], Bools]
    """Which queries do it."""
    says: str
    """What the tool does, in words that complete `beir …`."""
    when: Callable[[Mapping[str, Any]], bool] = lambda _: True
    of_rankings: bool = False
    """Whether it takes a ranking, be it an empty one; a query that the run lacks is no case of it."""
    is_undefined: bool = False
    """Whether the tool does answer, but with nan or with something that nobody defined."""


@dataclass(frozen=True)
class Option:
    """The switch of a tool that decides about queries which only the judgments or only the run have."""

    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


class _Definition(Protocol):
    """What is to be known of a metric here: its name and its parameters."""

    @property
    def name(self) -> str:
        """The canonical name."""

    @property
    def params(self) -> tuple[Param, ...]:
        """What parameterises it."""


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
    """Its name and the version it was observed in."""
    policy: Policy
    variants: tuple[Variant, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    option: Option = Option()
    has: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The metrics it has → the parameters it lets people set: `k`, or `k!` where it always has a cutoff; `gain=exp` where
    it takes that value alone; `gain={}` where it takes a map. None listed: it has all metrics.
    """

    def adjusted(self, **settings: Any) -> Profile:
        """The same with these conventions instead of its own, for all metrics."""
        variants = tuple(
            replace(variant, policy={name: value for name, value in variant.policy.items() if name not in settings})
            for variant in self.variants
        )
        return replace(self, policy=replace(self.policy, **settings), variants=variants)

    @property
    def is_own(self) -> bool:
        """Whether this is no other tool's."""
        return not self.name

    def variant(self, metric: str, params: Mapping[str, Any]) -> Variant | None:
        """What it does otherwise for a metric with these parameters."""
        return next((variant for variant in self.variants if metric in variant.metrics and variant.when(params)), None)

    def lacks(self, metric: Parameterised) -> bool:
        """Whether the tool cannot compute a metric, as it scores it: it has none, or does not let people set it so."""
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


def _takes(takes: tuple[str, ...], name: str, value: Any, usual: Any) -> bool:
    """Whether a parameter may have a value, given what people may set."""
    if value == usual or name in takes or f"{name}!" in takes:
        return True
    return f"{name}={value}" in takes or (f"{name}={{}}" in takes and isinstance(value, tuple))


OWN = Profile("", "assay", Policy())
"""Our own conventions, the same for all metrics."""


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
        chosen_params = {name: asked.params[name] for name in asked.given}
        target = all_metrics()[variant.instead] if variant.instead else asked.metric
        takes = {param.name for param in target.params}
        metric = target.bind(**{name: value for name, value in {**variant.params, **chosen_params}.items() if name in takes})
        return cls(asked, metric, replace(profile.policy, **variant.policy), variant.digits)


class ToolRefusal(DataError):
    """Data on which the tool of a profile has no score."""

    def __init__(self, message: str, refusal: Refusal) -> None:
        super().__init__(message)
        self.is_undefined = refusal.is_undefined


def settings_of(metrics: Iterable[BoundMetric], profile: Profile) -> list[Setting]:
    """The settings of all metrics, each metric once."""
    settings_by_name: dict[str, Setting] = {}
    for asked in metrics:
        setting = Setting.of(asked, profile)
        if first := settings_by_name.get(setting.metric.name):
            setting = replace(first, also_asked=(*first.also_asked, asked.name))
        settings_by_name[setting.metric.name] = setting
    return list(settings_by_name.values())


def check_supported(profile: Profile, setting: Setting, run: GradedRun, missing: Iterable[str] = ()) -> None:
    """Raise where the tool would crash or answer with something that is no score. `missing`: queries the run lacks."""
    rel = setting.metric.params.get("rel")
    run = run if rel is None else replace(run, level=rel)
    for refusal in () if setting.is_beside else profile.refusals:
        concerns = refusal.metrics == EVERY_METRIC or setting.asked.metric.name in refusal.metrics
        if concerns and refusal.when(setting.metric.params) and (is_refused := refusal.finds(run)).any():
            excused = set(missing) if refusal.of_rankings else set()
            queries = [query for query, is_found in zip(run.query_ids, is_refused.tolist(), strict=True) if is_found]
            if queries := [query for query in queries if query not in excused]:
                raise ToolRefusal(f"{profile.tool} {refusal.says}: query {some_of(queries)}", refusal)


def spelled(metric: BoundMetric) -> str:
    """The name with every parameter that was given and no other: `rbp` stays `rbp`, though it is `rbp(p=0.8)`."""
    if recorded_metric(metric.name).given == metric.given:
        return metric.name
    at = metric.metric.at
    inside = ", ".join(f"{name}={show(metric.params[name])}" for name in sorted(metric.given) if not at or name != at.name)
    cutoff = f"@{show(metric.params[at.name])}" if at and metric.params[at.name] is not None else ""
    return f"{metric.metric.name}({inside}){cutoff}" if inside else f"{metric.metric.name}{cutoff}"


def with_settings(metric: BoundMetric, **settings: Any) -> BoundMetric:
    """The metric with some parameters set otherwise; what is None cannot be spelled out, so it is left open."""
    chosen_params = {name: metric.params[name] for name in metric.given} | settings
    return metric.metric.bind(**{name: value for name, value in chosen_params.items() if value is not None})
