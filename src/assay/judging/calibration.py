"""Calibration: how the grades of a model differ from those of people on the pairs that both have graded."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.judging.layers import Grades
from assay.serialize import to_json
from assay.stats import Reliability, half_width, kappa_interval

Pair = tuple[str, str]
"""Query and document."""
FEW_PAIRS = 30
"""With fewer shared pairs, a figure says little."""
FIRST_RELEVANT = 1.0
"""The lowest grade of a relevant document."""


class Bias(NamedTuple):
    """The mean of model minus people over some pairs, with a 95 % interval."""

    group: str
    n_pairs: int
    bias: float
    low: float
    high: float

    @property
    def is_few(self) -> bool:
        """Whether there are too few pairs to say much."""
        return self.n_pairs < FEW_PAIRS

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return to_json({**self._asdict(), "is_few": self.is_few})


@dataclass(frozen=True)
class Calibration:
    """The pairs that people and a model have graded, and what can be computed from them."""

    pairs: Mapping[Pair, tuple[float, float]]
    """Query and document → the grade by people, and that of the model."""

    @property
    def n_pairs(self) -> int:
        """The number of shared pairs."""
        return len(self.pairs)

    @property
    def confusion(self) -> dict[float, dict[float, int]]:
        """Grade by people → grade by the model → number of pairs."""
        people, model = (sorted({grades[side] for grades in self.pairs.values()}) for side in (0, 1))
        every = list(self.pairs.values())
        return {h: {f: sum(pair == (h, f) for pair in every) for f in model} for h in people}

    def kappa(self, weights: str = "none") -> Reliability:
        """Cohen's κ of people and the model."""
        return kappa_interval(*self._sides, weights=weights)

    @property
    def binary_kappa(self) -> Reliability:
        """Cohen's κ of relevant or not."""
        people, model = ([float(grade >= FIRST_RELEVANT) for grade in side] for side in self._sides)
        return kappa_interval(people, model)

    @property
    def bias(self) -> Bias:
        """Over all pairs."""
        return self.bias_of("all pairs", lambda _: True)

    def bias_of(self, group: str, is_in: Callable[[Pair], bool]) -> Bias:
        """Over the pairs of a group."""
        gaps = np.array([f - h for pair, (h, f) in self.pairs.items() if is_in(pair)])
        if not len(gaps):
            return Bias(group, 0, math.nan, math.nan, math.nan)
        mean, n = float(gaps.mean()), len(gaps)
        half = float(half_width(float(gaps.std(ddof=1)) / math.sqrt(n), n - 1, 0.95)) if n > 1 else math.nan
        return Bias(group, n, mean, mean - half, mean + half)

    def biases(self, group_of: Callable[[Pair], str | None]) -> list[Bias]:
        """Over the pairs of each group, in the order of their names; None leaves a pair out."""
        groups: dict[Hashable, None] = dict.fromkeys(sorted({g for pair in self.pairs if (g := group_of(pair)) is not None}))
        return [self.bias_of(str(group), lambda pair, group=group: group_of(pair) == group) for group in groups]  # type: ignore[misc]

    @property
    def _sides(self) -> tuple[list[float], list[float]]:
        return [h for h, _ in self.pairs.values()], [f for _, f in self.pairs.values()]


def calibrate(people: Grades, model: Grades) -> Calibration:
    """The pairs that both have graded, in the order of their ids."""
    shared = sorted((query, doc) for query, docs in people.items() for doc in docs if doc in model.get(query, {}))
    return Calibration({(query, doc): (float(people[query][doc]), float(model[query][doc])) for query, doc in shared})
