"""Run-to-run noise in a comparison: how much of its variance comes from repeats, and noise that was not measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.evaluation import Result, changed_rankings
from assay.metrics import BoundMetric
from assay.model import MEAN, PERCENTAGE, SUM
from assay.serialize import to_json
from assay.stats import noise_share
from assay.text import counted, percent

ADVICE = "If nothing else changed, add --repeats 3 to assay eval to measure this noise."
ROUNDS_TO_ZERO = 0.005
LINEAR = (MEAN, SUM, PERCENTAGE)
"""Aggregations whose variance is that of the mean score."""


@dataclass(frozen=True)
class RunNoise:
    """The part of the variance of a mean, or of the difference of two means, that comes from repeats of the same queries."""

    metric: str
    systems: tuple[str, ...]
    """One system, or the two systems of a difference."""
    repeats: tuple[int, ...]
    """How often the queries of each system were sent."""
    share: float
    """From 0 to 1; nan if there is no variance. A lower bound if a system was not repeated."""

    @property
    def is_bound(self) -> bool:
        """Whether the noise of a system is unknown, because it was not repeated."""
        return min(self.repeats) == 1

    @property
    def sentence(self) -> str:
        """The share in words; empty if there is no variance."""
        if math.isnan(self.share):
            return ""
        is_small = 0 < self.share < ROUNDS_TO_ZERO and not self.is_bound
        share = "less than 1 %" if is_small else percent(self.share)
        part = f"{'at least ' if self.is_bound else ''}{share} of the variance"
        if len(self.systems) == 1:
            comes = f"of its mean {self.metric} comes from run-to-run noise ({self.repeats[0]} repeats)"
            return f"{self.systems[0]}: {part} {comes}."
        a, b = self.systems
        each = zip(self.systems, self.repeats, strict=True)
        is_equal = len(set(self.repeats)) == 1
        sent = f"{self.repeats[0]} repeats each" if is_equal else "; ".join(f"{name}: {_repeats(n)}" for name, n in each)
        return f"Run-to-run noise: {part} of the difference in {self.metric} between {a} and {b} ({sent})."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**to_json(self), "is_lower_bound": self.is_bound}


def _repeats(n: int) -> str:
    return f"{n} repeats" if n > 1 else "not repeated, so its noise is unknown"


def noise_in(metric: BoundMetric, *results: Result) -> RunNoise | None:
    """The noise in the mean of a result, or in the difference of two results over the same queries in the same order.

    None if no result was repeated, or if the value of the metric is not a mean.
    """
    names = [result.own_name(metric) for result in results]
    repeats = [_scores(result, name) for result, name in zip(results, names, strict=True)]
    if metric.metric.aggregation not in LINEAR or all(scores.shape[1] == 1 for scores in repeats):
        return None
    n_repeats = tuple(scores.shape[1] for scores in repeats)
    return RunNoise(names[-1], tuple(result.name for result in results), n_repeats, noise_share(*repeats).share)


def _scores(result: Result, name: str) -> Floats:
    """Queries × repeats; one column if the result was not repeated."""
    known = result.repeats.get(name)
    return result.array(name).astype(float)[:, np.newaxis] if known is None else known


def all_noise(results: Sequence[Result], metrics: Iterable[BoundMetric], pairs: Iterable[tuple[str, str]]) -> list[RunNoise]:
    """The noise of each pair of systems, and of each system that was repeated, on each metric."""
    by_name, chosen = {result.name: result for result in results}, list(dict.fromkeys(pairs))
    groups = [*((by_name[a], by_name[b]) for a, b in chosen), *((result,) for result in results if result.n_repeats > 1)]
    every = [noise_in(metric, *group) for metric in metrics for group in groups]
    return [noise for noise in every if noise is not None]


def noise_sentences(noise: Sequence[RunNoise], metric: str, *, of_pairs: bool) -> list[str]:
    """The sentences on one metric: about each pair of systems, or about each system."""
    wanted = [some for some in noise if some.metric == metric and (len(some.systems) == 2) == of_pairs]
    return [some.sentence for some in wanted if some.sentence]


def unmeasured_noise(results: Sequence[Result], pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """A sentence for each pair with the same configuration but other rankings, if neither of them was repeated."""
    by_name = {result.name: result for result in results}
    for a, b in dict.fromkeys(pairs):
        first, second = by_name[a], by_name[b]
        changed = changed_rankings(first, second) if first.n_repeats == second.n_repeats == 1 else None
        if changed is not None and changed.n_changed:
            share = f"{changed.n_changed:,} of {counted(changed.n_queries, 'query')}"
            yield f"{a} and {b} have the same configuration but other rankings for {share}. {ADVICE}"
