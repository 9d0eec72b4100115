"""Linear metrics: metrics that are a sum over documents, so that each document contributes by its own rank and grade.

For such metrics, a sample of pairs that is spread over all queries is enough. Normalised metrics such as ndcg need all
grades of a query.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from assay.arrays import Floats, Ints
from assay.evaluation import OWN, Setting, evaluate_settings
from assay.metrics import BoundMetric, find_metric
from assay.model import Policy, Qrels

PLAIN_PARAMETERS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "precision": {"over": ("k",)},
    "dcg": {},
    "rbp": {"gain": ("binary", "grade")},
}
"""Linear metric → the values of parameters with which it is linear; other parameters may have any value."""
HIGH_GRADE = 3.0
"""The highest grade of the usual scale. Weights are relative, so another grade gives the same draw."""


def as_metric(metric: str | BoundMetric, profile: str = "") -> BoundMetric:
    """The metric of this name, or the metric itself."""
    return metric if isinstance(metric, BoundMetric) else find_metric(metric, profile)


def is_linear(metric: BoundMetric) -> bool:
    """Whether a metric is a sum of contributions of single documents."""
    allowed = PLAIN_PARAMETERS.get(metric.metric.name)
    if allowed is None or metric.params.get("judged_only") or metric.half_life is not None:
        return False
    return all(metric.params.get(name) in values for name, values in allowed.items())


def contributions(metric: BoundMetric, ranks: Ints, grades: Floats, policy: Policy | None = None) -> Floats:
    """What a document at each rank and with each grade adds to a linear metric.

    The metric itself computes it, from rankings in which a single document is judged. Grades of 0 and below add 0.
    """
    rel = None if policy is None else policy.rel
    adds = np.zeros(len(ranks))
    some = np.flatnonzero(grades > 0)
    if not len(some):
        return adds
    cases, place = np.unique(np.column_stack([ranks[some], grades[some]]), axis=0, return_inverse=True)
    qrels = Qrels({str(number): {"judged": float(grade)} for number, (_, grade) in enumerate(cases)})
    run = {str(number): [*map(str, range(int(rank) - 1)), "judged"] for number, (rank, _) in enumerate(cases)}
    own = Policy(rel=rel)
    result = evaluate_settings(qrels, run, [Setting(metric, metric, own)], OWN)
    by_query = result.scores(metric.name)
    values = np.array([by_query[str(number)] for number in range(len(cases))])
    adds[some] = values[place.ravel()]
    return adds


def worth_of(metric: BoundMetric, ranks: Ints, policy: Policy | None = None) -> Floats:
    """What a document at each rank is worth, as a share of what it is worth at the first rank."""
    rel = metric.params.get("rel") if policy is None or policy.rel is None else policy.rel
    best = np.full(len(ranks), max(HIGH_GRADE, float(rel or 0.0)))
    first = contributions(metric, np.ones(len(ranks), dtype=np.int64), best, policy)
    at_rank = contributions(metric, ranks, best, policy)
    return np.divide(at_rank, first, out=np.zeros(len(ranks)), where=first != 0)


def worth_of_ranks(metric: BoundMetric, depth: int) -> Floats:
    """What the highest grade is worth at each rank from 0 (not retrieved: 0) to the depth."""
    ranks = np.arange(1, depth + 1)
    grade = max(HIGH_GRADE, float(metric.params.get("rel") or 0.0))
    return np.concatenate([[0.0], np.abs(contributions(metric, ranks, np.full(depth, grade)))])
