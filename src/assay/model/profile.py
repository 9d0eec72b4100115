"""Profile: how one tool scores; a policy, and what the tool does otherwise for some metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.model.graded import Bools, GradedRun
from assay.model.policy import Policy

EVERY = ("*",)
"""All metrics."""


@dataclass(frozen=True)
class Variant:
    """What a tool does otherwise for some metrics: parameters, conventions, or another metric altogether."""

    metrics: tuple[str, ...]
    reason: str
    """In words that complete `mrr@10: …`."""
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


@dataclass(frozen=True)
class Option:
    """The switch of a tool that decides about queries which only the judgments or only the run have."""

    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


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
    has: frozenset[str] = frozenset()
    """The metrics it has; none listed: all."""

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


OWN = Profile("", "assay", Policy())
"""Our own conventions, the same for all metrics."""
