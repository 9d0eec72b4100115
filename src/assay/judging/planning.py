"""Planning: how exact estimates from a number of judgments will be, and how many judgments a given width needs.

The variance of an estimate has two parts. One comes from the queries, and only more queries reduce it. The other comes from
the pairs that are not judged, and more judgments reduce it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import BadParameter
from assay.judging.design import QUERIES, BoundDesign, Request, parse_design
from assay.judging.frame import Frame, frame_of
from assay.judging.layers import PEOPLE, as_grades
from assay.judging.linear import contributions
from assay.judging.pools import DEFAULT_DEPTH, pool_metric
from assay.metrics import BoundMetric
from assay.serialize import to_json
from assay.stats import half_width

USUAL_RATE = 0.3
"""The share of relevant documents among the first ones, if nothing is judged yet."""
USUAL_SPREAD = 0.25
"""The standard deviation of the scores of queries as a share of the best score, if nothing is judged yet."""
USUAL_WIDTH = 0.03
FEWEST_KNOWN = 30
"""With fewer grades, the usual rate is used instead of that of the grades."""
SECONDS_EACH = 7
"""About how long one judgment by keyboard takes, in seconds."""


@dataclass(frozen=True)
class Expected:
    """The expected half width of a 95 % interval with a number of judgments."""

    pairs: int
    value: float
    """Of the metric of a system, the mean over systems."""
    difference: float
    """Of the difference of two systems, the mean over pairs of systems; nan for one system."""

    @property
    def minutes(self) -> float:
        """About how long the judging takes."""
        return self.pairs * SECONDS_EACH / 60


@dataclass(frozen=True)
class JudgingPlan:
    """What judgments are worth for some systems: `expected(300)` is the width, `pairs_for(0.03)` the number of judgments."""

    frame: Frame
    design: BoundDesign
    rate: float
    """The share of relevant documents."""
    spread: float
    """The standard deviation of the scores of queries, as a share of the best score."""
    level: float = 0.95

    @property
    def metric(self) -> BoundMetric:
        """The metric that the widths are about."""
        return self.frame.metric

    @property
    def n_pairs(self) -> int:
        """The number of pairs that can be judged."""
        return self.frame.n_pairs

    def expected(self, pairs: int) -> Expected:
        """The expected half widths with this number of judgments."""
        chance, n_judged = self._chances(pairs)
        weight = self._weight
        places = list(combinations(range(weight.shape[1]), 2))
        values = [self._half(weight[:, system], chance, n_judged) for system in range(weight.shape[1])]
        gaps = [self._half(weight[:, b] - weight[:, a], chance, n_judged) for a, b in places]
        return Expected(pairs, float(np.mean(values)), float(np.mean(gaps)) if gaps else math.nan)

    def pairs_for(self, width: float = USUAL_WIDTH, *, difference: bool = False) -> int | None:
        """The smallest number of judgments with a half width of at most this; None if all pairs are not enough.

        Then only more queries help.
        """
        if not width > 0:
            raise BadParameter(f"a width must be above 0, not {width!r}")
        if not self._is_enough(self.n_pairs, width, difference):
            return None
        low, high = 0, self.n_pairs
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._is_enough(middle, width, difference) else (middle, high)
        return high

    def to_dict(self, pairs: int, width: float = USUAL_WIDTH) -> dict[str, Any]:
        """Plain JSON values."""
        expected = self.expected(pairs)
        return {
            "metric": self.metric.name,
            "how": self.design.name,
            "n_queries": len(self.frame.queries),
            "n_pairs": self.n_pairs,
            "rate": self.rate,
            "spread": self.spread,
            "expected": {**to_json(expected), "minutes": expected.minutes},
            "width": width,
            "needed": {"value": self.pairs_for(width), "difference": self.pairs_for(width, difference=True)},
        }

    @property
    def _weight(self) -> Floats:
        """Pairs × systems: what a relevant document adds to the metric."""
        unit = contributions(self.metric, np.array([1]), np.array([1.0]))[0]
        best = self.frame.weight.max(initial=0.0)
        return self.frame.weight * (unit / best if best else 0.0)

    def _chances(self, pairs: int) -> tuple[Floats, float]:
        """The probability of each pair, and the expected number of judged queries."""
        draw = self.design.draw(self.frame, Request(max(pairs, 1), np.random.default_rng(0)))
        n_queries = len(self.frame.queries)
        if self.design.unit == QUERIES:
            return draw.probability, float(draw.probability.max(initial=0.0)) * n_queries
        missed = np.ones(n_queries)
        np.multiply.at(missed, self.frame.query, 1.0 - draw.probability)
        return draw.probability, float(np.sum(1.0 - missed))

    def _half(self, weight: Floats, chance: Floats, n_judged: float) -> float:
        """The expected half width of a sum of weights times relevance, averaged over queries."""
        n = len(self.frame.queries)
        total = max(float(self._weight.sum(axis=0).mean()) / n, 1e-300)
        by_document = float(np.sum(self._weight**2, axis=0).mean()) / n * self.rate * (1 - self.rate)
        by_query = max((self.spread * total) ** 2 - by_document, 0.0)
        sums = np.bincount(self.frame.query, weight, minlength=n)
        scores = by_query * float(np.mean((sums / total) ** 2)) + float(np.sum(weight**2)) / n * self.rate * (1 - self.rate)
        if self.design.unit == QUERIES:
            variance = scores / max(n_judged, 1.0)
        else:
            used = (weight != 0) & (chance > 0)
            missing = float(np.sum(weight[used] ** 2 * (1 / chance[used] - 1))) * self.rate * (1 - self.rate) / n
            variance = (scores + missing) / n
        return float(half_width(math.sqrt(variance), max(n_judged - 1, 1.0), self.level))

    def _is_enough(self, pairs: int, width: float, difference: bool) -> bool:
        expected = self.expected(pairs)
        return (expected.difference if difference else expected.value) <= width


def plan_judging(
    results: Any,
    how: str = "spread",
    *,
    depth: int = DEFAULT_DEPTH,
    metric: str | BoundMetric | None = None,
    people: Any = None,
    rate: float | None = None,
    spread: float = USUAL_SPREAD,
    level: float = 0.95,
) -> JudgingPlan:
    """Plan the judging of some systems. The share of relevant documents is that of the grades so far, if there are enough.

    The widths are approximate: they assume that documents are relevant independently of their rank.
    """
    bound = pool_metric(metric, depth)
    frame = frame_of(results, bound, depth)
    known = _known_rate(as_grades(people, PEOPLE), bound) if people is not None else None
    chosen = rate if rate is not None else known if known is not None else USUAL_RATE
    if not 0 < chosen < 1:
        raise BadParameter(f"rate must be a number between 0 and 1, such as {USUAL_RATE:g}, not {chosen!r}")
    return JudgingPlan(frame, parse_design(how), float(chosen), float(spread), level)


def _known_rate(grades: Mapping[str, Mapping[str, float]], metric: BoundMetric) -> float | None:
    """The share of relevant documents among the grades; None with too few grades, or if all are alike."""
    level = metric.params.get("rel")
    every = [grade for by_document in grades.values() for grade in by_document.values()]
    relevant = sum(grade > 0 if level is None else grade >= level for grade in every)
    return relevant / len(every) if len(every) >= FEWEST_KNOWN and 0 < relevant < len(every) else None
