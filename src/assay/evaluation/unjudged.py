"""Unjudged documents of two results: their graded rankings on the same queries, and which unjudged documents they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.errors import DataError
from assay.evaluation.grader import Grader
from assay.evaluation.profile import Setting
from assay.evaluation.rejudging import TOLERANCE, without_errors
from assay.evaluation.result import Result
from assay.metrics import BoundMetric, unknown_function
from assay.model import Column, Policy, Qrels, Run
from assay.views import GradedRun, UnjudgedDocuments, unjudged_documents

NOT_STORED = "the rankings of {name} are not stored in its result"
OTHER_JUDGMENTS = "the judgments of the two results differ"
NOT_FROM_RANKINGS = "{metric} does not depend on rankings and judgments alone"
NO_AGES = "the ages of documents are not stored in the result of {name}"
INCOMPLETE = "the rankings and judgments in the result of {name} do not reproduce its scores"


class GradedPair(NamedTuple):
    """Two results on the same queries, graded with the same judgments, and the unjudged documents they retrieved."""

    a: GradedRun
    b: GradedRun
    unjudged: UnjudgedDocuments


class Unknown(NamedTuple):
    """Why something about unjudged documents is unknown."""

    reason: str
    is_missing: bool = False
    """Whether a result does not have what is needed; else it does not apply to these results."""


class _Side(NamedTuple):
    """One result: its grader and the policy of the metric."""

    grader: Grader
    policy: Policy

    @property
    def run(self) -> GradedRun:
        """The graded rankings, with the order of ties settled."""
        return replace(self.grader.grading(self.policy).run, tie_rule="settled")


def graded_pair(a: Result, b: Result, metric: BoundMetric) -> GradedPair | Unknown:
    """The graded rankings of two results and their unjudged documents within the cutoff of a metric.

    Stored results are graded again, with the judgments of the other result if that one was just scored. They must reproduce
    the stored scores.
    """
    if metric.metric.view != "ranking" or metric.metric.function is unknown_function:
        return Unknown(NOT_FROM_RANKINGS.format(metric=metric.name))
    if any(result.relevance.get("strategy_used", "qrels") != "qrels" for result in (a, b)):
        return Unknown("relevance was not decided by judgments of documents")
    for result in (a, b):
        if result.grader is None and not result.run:
            return Unknown(NOT_STORED.format(name=result.name), is_missing=True)
        if metric.half_life is not None and (result.grader is None or result.grader.ages is None):
            return Unknown(NO_AGES.format(name=result.name), is_missing=True)
    sides = _sides(a, b, metric)
    for side, result in zip(sides, (a, b), strict=True):
        if result.grader is None and not _reproduces(side, result, metric):
            return Unknown(INCOMPLETE.format(name=result.name), is_missing=True)
    shared = set(a.query_ids) & set(b.query_ids)
    first, second = (_selected(side.run, shared) for side in sides)
    if first.query_ids != second.query_ids or not np.array_equal(first.ideal.grade, second.ideal.grade):
        return Unknown(OTHER_JUDGMENTS)
    k = metric.params.get("k")
    documents_a, documents_b = (side.grader.documents(side.policy.rank_rule, k) for side in sides)
    return GradedPair(first, second, unjudged_documents(first, second, documents_a, documents_b, k))


def _selected(run: GradedRun, queries: set[str]) -> GradedRun:
    return run.select(np.fromiter((query in queries for query in run.query_ids), bool, run.n_queries))


def _sides(a: Result, b: Result, metric: BoundMetric) -> list[_Side]:
    """Both results with a grader: their own, or a new one for a stored result."""
    judged = next((result.grader.qrels for result in (a, b) if result.grader is not None), None)
    qrels = judged if judged is not None else _stored_judgments((a, b))
    return [_side(result, result.policies.get(metric.name, result.policy), qrels) for result in (a, b)]


def _side(result: Result, policy: Policy, qrels: Qrels) -> _Side:
    if result.grader is not None:
        return _Side(result.grader, policy)
    policy = without_errors(policy)
    run = Run({query: result.run[query] for query in result.query_ids if query in result.run})
    return _Side(Grader(qrels, run, [policy]), policy)


def _stored_judgments(results: Sequence[Result]) -> Qrels:
    """All judgments that stored results have: relevant documents, and the retrieved documents that are not relevant."""
    judged: dict[str, dict[str, float]] = {query: {} for query in results[0].query_ids}
    for query, grades in judged.items():
        for result in results:
            grades |= result.nonrelevant.get(query, {})
            grades |= result.relevant.get(query, {})
    return Qrels(judged)


def _reproduces(side: _Side, result: Result, metric: BoundMetric) -> bool:
    """Whether the stored rankings and judgments give the stored scores."""
    run = side.grader.grading(side.policy).run
    place = {query: number for number, query in enumerate(run.query_ids)}
    if not all(query in place for query in result.query_ids):
        return False
    again = Column.of(metric.score(run), metric.metric.aggregation).score[[place[query] for query in result.query_ids]]
    return bool(np.allclose(result.array(metric.name).astype(float), again, rtol=0, atol=TOLERANCE, equal_nan=True))


def with_judged(result: Result, metric: BoundMetric) -> Result:
    """The result with the judged share of its documents, computed from its rankings; unchanged if it has the metric."""
    if metric.name in result.table.columns:
        return result
    if result.relevance.get("strategy_used", "qrels") != "qrels":
        raise DataError(
            f"{metric.name} needs judgments of documents, but relevance was decided in another way", source=result.name
        )
    if result.grader is None and not result.run:
        advice = f"Score the run with -m {metric.name}, or store a result of assay eval, which has rankings"
        raise DataError(
            f"{metric.name} was not scored, and the result has no rankings to compute it from. {advice}", source=result.name
        )
    from assay.evaluation.answers import with_columns

    side = _side(result, result.policy, _stored_judgments([result]) if result.grader is None else result.grader.qrels)
    table = side.grader.table([Setting(metric, metric, side.policy)])
    return with_columns(result, table, [metric])
