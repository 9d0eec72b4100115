"""Profile: how one tool scores; a policy, and what the tool does otherwise for some metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from assay.arrays import Bools
from assay.grammar import Param
from assay.model.policy import Policy
from assay.views import GradedRun

EVERY = ("*",)
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
        return next((one for one in self.variants if metric in one.metrics and one.when(params)), None)

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
