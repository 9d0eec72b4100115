"""Corrected: estimates of metrics from a sample of grades by people, and from grades by a model that people's correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import DataError, UsageError
from assay.evaluation import OWN, Evidence, Profile, Provenance, Result, notes_on_origin
from assay.judging.design import QUERIES
from assay.judging.estimator import SystemEstimator, cannot_text, check_systems
from assay.judging.layers import MODEL, PEOPLE, Grades, as_grades
from assay.judging.linear import as_metric, is_linear
from assay.judging.pools import Pool
from assay.judging.random_part import grades_in_order
from assay.metrics import BoundMetric
from assay.model import MEAN, Column, Policy, Run
from assay.stats import EstimatedMean, estimated_difference
from assay.store import Judgment
from assay.text import counted

NO_POOL = (
    "estimates need the pool that the judged pairs were drawn from: Corrected(people, model, pool). Grades for pairs "
    "that were chosen in another way say nothing about the others"
)
NO_DESIGN = (
    "nothing can be estimated from a pool that was drawn with {how}, because the pairs that were not drawn had no chance. "
    "Judge all pairs within the depth, or draw with spread or whole"
)


@dataclass(frozen=True, eq=False)
class Corrected:
    """Grades by people for the pairs of a pool, and grades by a model for as many pairs as possible, if there is one.

    `assay.evaluate(dataset, run, metrics, judgments=Corrected(people, model, pool))` estimates metrics of a run, and
    `estimate(result)` those of a result. Stored judgments must be a random part of the pool, as they are if people judge in
    its order; of plain grades this is assumed. Without a model, the estimates are from people alone. With a model, they are
    corrected by what people say about the same pairs, so a bad model makes them less exact but not wrong.
    """

    people: Any
    model: Any = None
    pool: Pool | None = None

    def __post_init__(self) -> None:
        if self.pool is None:
            raise UsageError(NO_POOL)
        if not isinstance(self.pool, Pool):
            raise UsageError(f"pool must be a Pool, not {type(self.pool).__name__}. {NO_POOL}")
        object.__setattr__(self, "people", as_grades(self._counted(), PEOPLE))
        object.__setattr__(self, "model", None if self.model is None else as_grades(self.model, MODEL))
        if not self.pool.unit:
            raise UsageError(NO_DESIGN.format(how=self.pool.how))
        if not self.n_grades:
            raise DataError(f"none of the {counted(len(self.pool.drawn), 'pair')} of the pool has a grade by people")

    def _counted(self) -> Any:
        """The grades by people; stored judgments say which of them are a random part of the pool."""
        people: Any = self.people
        if (
            isinstance(people, Sequence)
            and people
            and all(isinstance(each, Judgment) and each.kind == PEOPLE for each in people)
        ):
            return grades_in_order(self.known_pool, people)
        return people

    @property
    def layer(self) -> str:
        """`people` without a model, else `corrected`."""
        return "people" if self.model is None else "corrected"

    @cached_property
    def graded(self) -> Mapping[tuple[str, str], float]:
        """(query, document) → the grade by people, for the drawn pairs. Grades for other pairs do not count."""
        grades: Grades = self.people
        return {
            (pair.query, pair.document): float(grades[pair.query][pair.document])
            for pair in self.known_pool.drawn
            if pair.document in grades.get(pair.query, {})
        }

    @property
    def n_grades(self) -> int:
        """The number of drawn pairs with a grade by people."""
        return len(self.graded)

    @cached_property
    def judged_queries(self) -> frozenset[str]:
        """The queries that count as judged: with any grade if pairs were drawn, with all grades if queries were drawn."""
        if self.known_pool.unit != QUERIES:
            return frozenset(query for query, _ in self.graded)
        open_queries = {pair.query for pair in self.known_pool.drawn if (pair.query, pair.document) not in self.graded}
        return frozenset({pair.query for pair in self.known_pool.drawn} - open_queries)

    @cached_property
    def chances(self) -> Floats:
        """For each pair of the pool: the probability that it was drawn and has a grade."""
        answered = self.n_grades / len(self.known_pool.drawn)
        return np.array([pair.probability for pair in self.known_pool.pairs], dtype=float) * answered

    @property
    def known_pool(self) -> Pool:
        """The pool."""
        if self.pool is None:
            raise UsageError(NO_POOL)
        return self.pool

    def can_estimate(self, metric: BoundMetric) -> bool:
        """Whether the design of the pool is enough for a metric."""
        if metric.metric.view != "ranking" or metric.metric.aggregation != MEAN:
            return False
        return self.known_pool.unit == QUERIES or is_linear(metric)

    def evaluate(
        self,
        truth: Any,
        run: Any,
        metrics: Sequence[BoundMetric] | None = None,
        profile: Profile | None = None,
        name: str = "",
    ) -> Result:
        """Estimate metrics of a run; `truth` may be a dataset, whose texts and tags of queries the result gets."""
        source, chosen = run if isinstance(run, Run) else Run(run), profile or OWN
        queries = {
            query: known for query, known in getattr(truth, "queries", {}).items() if query in self.known_pool.queries
        }
        evidence = Evidence(run=source, queries=queries)
        dataset = getattr(truth, "name", "") if queries else ""
        asked = metrics if metrics is not None else [as_metric(self.known_pool.metric)]
        estimator = SystemEstimator(self, source, chosen.policy)
        return estimator.result(asked, Provenance(chosen.policy, chosen.name), evidence, name, str(dataset or ""))

    def estimate(self, result: Result, metrics: Sequence[str | BoundMetric] | None = None) -> Result:
        """Estimate metrics of a result from its rankings. By default, those of its metrics that can be estimated.

        Metrics that cannot be estimated from this pool are left out, with a note.
        """
        asked = result.metrics if metrics is None else [as_metric(metric, result.profile) for metric in metrics]
        ranked = {query: dict(result.run[query]) for query in result.run}
        evidence = Evidence(run=ranked, queries=result.queries, failures=result.failures)
        kept = {name: value for name, value in result.provenance.items() if name != "judgments"}
        about = tuple(notes_on_origin(result.queries))
        origin = replace(result.origin, notes=about, provenance=kept, recorded={}, relevance={})
        estimator = SystemEstimator(self, result, result.policy)
        return estimator.result(asked, origin, evidence, result.name, result.benchmark)

    def difference(self, a: Any, b: Any, metric: str | BoundMetric | None = None) -> EstimatedMean:
        """The value of b minus that of a, for any pool of pairs. For a pool of whole queries, compare two estimated results.

        This is the only estimate that a pool for a difference allows.
        """
        if self.known_pool.unit == QUERIES:
            raise UsageError("whole queries were drawn: compare two results of estimate(…) instead")
        bound = as_metric(metric or self.known_pool.metric)
        if not is_linear(bound):
            raise UsageError(cannot_text([bound], self.known_pool))
        check_systems(self.known_pool, *(source.name for source in (a, b) if isinstance(source, Result)))
        of_a, of_b = (self._column_of(source, bound) for source in (a, b))
        return estimated_difference(of_a, of_b)

    def _column_of(self, source: Any, metric: BoundMetric) -> Column:
        estimator = SystemEstimator(self, source, source.policy if isinstance(source, Result) else Policy())
        return estimator.column(estimator.pair_sums(metric))
