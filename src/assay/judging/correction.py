"""Corrected: estimates of metrics from a sample of grades by people, and from grades by a model that people's correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from assay.arrays import Bools, Floats
from assay.errors import DataError, UsageError
from assay.evaluation import (
    OWN,
    Evidence,
    Profile,
    Provenance,
    Result,
    Scores,
    Setting,
    evaluate_settings,
    notes_on_origin,
    with_intervals,
)
from assay.judging.design import DIFFERENCE, QUERIES
from assay.judging.estimates import Contributions, PairSample, expand_sample, pair_contributions, query_contributions
from assay.judging.frame import Documents, ranked_documents
from assay.judging.layers import MODEL, PEOPLE, Grades, as_grades
from assay.judging.linear import as_metric, contributions, is_linear
from assay.judging.notes import notes_on_estimates
from assay.judging.pools import Pool
from assay.metrics import BoundMetric
from assay.model import ESTIMATE, MEAN, Column, Policy, Qrels, Run, ScoreTable, fingerprint
from assay.stats import EstimatedMean, estimated_mean
from assay.text import counted, some_of

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
    `estimate(result)` those of a result. Without a model, the estimates are from people alone. With a model, they are
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
        object.__setattr__(self, "people", as_grades(self.people, PEOPLE))
        object.__setattr__(self, "model", None if self.model is None else as_grades(self.model, MODEL))
        if not self.pool.unit:
            raise UsageError(NO_DESIGN.format(how=self.pool.how))
        if not self.n_grades:
            raise DataError(f"none of the {counted(len(self.pool.drawn), 'pair')} of the pool has a grade by people")

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
            for pair in self._pool.drawn
            if pair.document in grades.get(pair.query, {})
        }

    @property
    def n_grades(self) -> int:
        """The number of drawn pairs with a grade by people."""
        return len(self.graded)

    @cached_property
    def judged_queries(self) -> frozenset[str]:
        """The queries that count as judged: with any grade if pairs were drawn, with all grades if queries were drawn."""
        if self._pool.unit != QUERIES:
            return frozenset(query for query, _ in self.graded)
        open_queries = {pair.query for pair in self._pool.drawn if (pair.query, pair.document) not in self.graded}
        return frozenset({pair.query for pair in self._pool.drawn} - open_queries)

    @property
    def _pool(self) -> Pool:
        if self.pool is None:
            raise UsageError(NO_POOL)
        return self.pool

    def can_estimate(self, metric: BoundMetric) -> bool:
        """Whether the design of the pool is enough for a metric."""
        if metric.metric.view != "ranking" or metric.metric.aggregation != MEAN:
            return False
        return self._pool.unit == QUERIES or is_linear(metric)

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
        queries = {query: known for query, known in getattr(truth, "queries", {}).items() if query in self._pool.queries}
        evidence = Evidence(run=source, queries=queries)
        dataset = getattr(truth, "name", "") if queries else ""
        asked = metrics if metrics is not None else [as_metric(self._pool.metric)]
        estimator = _Estimator(self, source, chosen.policy)
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
        estimator = _Estimator(self, result, result.policy)
        return estimator.result(asked, origin, evidence, result.name, result.benchmark)

    def difference(self, a: Any, b: Any, metric: str | BoundMetric | None = None) -> EstimatedMean:
        """The value of b minus that of a, for any pool of pairs. For a pool of whole queries, compare two estimated results.

        This is the only estimate that a pool for a difference allows.
        """
        if self._pool.unit == QUERIES:
            raise UsageError("whole queries were drawn: compare two results of estimate(…) instead")
        bound = as_metric(metric or self._pool.metric)
        if not is_linear(bound):
            raise UsageError(_cannot([bound], self._pool))
        of_a, of_b = (
            _Estimator(self, source, source.policy if isinstance(source, Result) else Policy()) for source in (a, b)
        )
        parts = [estimator.pair_sums(bound) for estimator in (of_a, of_b)]
        gap = parts[1].values - parts[0].values
        return estimated_mean(np.column_stack([gap, of_a.is_judged, np.zeros(len(gap))]))


def _cannot(metrics: Sequence[BoundMetric], pool: Pool) -> str:
    names = some_of([metric.name for metric in metrics])
    return (
        f"{names} cannot be estimated from pairs that are spread over queries, because it needs all grades of a query. Draw "
        f"a pool of whole queries (how=whole), or use precision@{pool.depth}, dcg@{pool.depth} or rbp"
    )


class _Estimator:
    """The estimates of one system."""

    def __init__(self, corrected: Corrected, source: Any, policy: Policy) -> None:
        self.corrected, self.policy = corrected, policy
        self.pool: Pool = corrected._pool
        self.queries = self.pool.queries
        self.numbers = {query: place for place, query in enumerate(self.queries)}
        run = source if isinstance(source, Result | Run) else Run(source)
        self.documents: Documents = ranked_documents(run, policy.rank_rule, None)

    @cached_property
    def is_judged(self) -> Bools:
        """For each query: whether it counts as judged."""
        judged = self.corrected.judged_queries
        return np.array([query in judged for query in self.queries], dtype=bool)

    @cached_property
    def rankings(self) -> dict[str, list[str]]:
        """Query → all its documents, best first."""
        return {query: list(ranking) for query in self.queries if (ranking := self.documents(query))}

    def result(
        self, metrics: Sequence[BoundMetric], origin: Provenance, evidence: Evidence, name: str, benchmark: str
    ) -> Result:
        """The estimates as a result, with notes on what they are based on."""
        pool, corrected = self.pool, self.corrected
        if pool.unit == DIFFERENCE:
            raise UsageError(
                f"the pool was drawn for the difference of two systems ({pool.how}), so single values cannot be estimated. "
                "Use Corrected(…).difference(a, b), or draw with spread"
            )
        possible = [metric for metric in metrics if corrected.can_estimate(metric)]
        left_out = [metric for metric in metrics if not corrected.can_estimate(metric)]
        if not possible:
            raise UsageError(_cannot(left_out, pool) if left_out else "no metric is named")
        of_queries = self.query_columns(possible) if pool.unit == QUERIES else {}
        parts = {metric.name: of_queries.get(metric.name) or self.pair_sums(metric) for metric in possible}
        table = ScoreTable(self.queries, {name: self._column(part) for name, part in parts.items()})
        n = int(np.count_nonzero(self.is_judged))
        counts = {"judged": n, "scored": len(self.queries), "missing": 0, "without_relevant": 0, "extra": 0}
        scores = Scores(
            table, tuple(possible), counts, settings=tuple(Setting(each, each, self.policy) for each in possible)
        )
        outside = {depth: pool.share_outside(partial(self._top, depth)) for depth in _depths(possible, pool)}
        weights = {name: part.weight for name, part in parts.items()}
        notes = notes_on_estimates(corrected, possible, left_out, outside, n, table)
        whole = replace(
            origin,
            notes=(*origin.notes, *notes),
            relevance={"strategy_used": f"{corrected.layer}, pool {pool.id}"},
            provenance={**origin.provenance, "judgments": _described(corrected, n, weights, outside)},
        )
        return with_intervals(Result(name, scores, whole, evidence, benchmark))

    def _top(self, depth: int, query: str) -> list[str]:
        return self.rankings.get(query, [])[:depth]

    def _column(self, part: Contributions) -> Column:
        n = len(self.queries)
        parts = np.column_stack([part.values, self.is_judged.astype(float), np.full(n, part.unseen)])
        return Column(np.full(n, np.nan), parts, ESTIMATE)

    def pair_sums(self, metric: BoundMetric) -> Contributions:
        """E1 for a linear metric."""
        sample = self._sample(metric)
        values = pair_contributions(sample, len(self.queries), self.pool.seed)
        people, surplus = expand_sample(sample, len(self.queries))
        used = np.divide(people - values, surplus, out=np.zeros(len(values)), where=surplus != 0)
        weight = float(np.mean(used[surplus != 0])) if sample.model is not None and surplus.any() else 0.0
        return Contributions(values, weight=weight)

    def _sample(self, metric: BoundMetric) -> PairSample:
        """The documents of the system that could be drawn, with what their grades add to the metric."""
        pool, graded = self.pool, self.corrected.graded
        rows = [
            (self.numbers[query], rank, pair, graded.get((query, document)), self._model_grade(query, document))
            for query, ranking in self.rankings.items()
            for rank, document in enumerate(ranking, 1)
            if (pair := pool.by_pair.get((query, document))) is not None
        ]
        ranks = np.array([row[1] for row in rows], dtype=np.int64)
        answered = self.corrected.n_grades / len(pool.drawn)
        is_judged = np.array([row[3] is not None for row in rows], dtype=bool)
        people = np.array([row[3] or 0.0 for row in rows], dtype=float)
        model = None
        if self.corrected.model is not None:
            model = contributions(metric, ranks, np.array([row[4] for row in rows], dtype=float), self.policy)
        return PairSample(
            np.array([row[0] for row in rows], dtype=np.int64),
            np.array([row[2].probability for row in rows], dtype=float) * answered,
            is_judged,
            contributions(metric, ranks, people, self.policy),
            model,
        )

    def _model_grade(self, query: str, document: str) -> float:
        grades: Grades = self.corrected.model or {}
        return float(grades.get(query, {}).get(document, 0.0))

    def query_columns(self, metrics: Sequence[BoundMetric]) -> dict[str, Contributions]:
        """E2 for any metric of rankings: scores of the judged queries by people, and of all queries by the model."""
        by_query: dict[str, dict[str, float]] = {query: {} for query in self.corrected.judged_queries}
        for (query, document), grade in self.corrected.graded.items():
            if query in by_query:
                by_query[query][document] = grade
        people = self._scores(metrics, by_query)
        model = None if self.corrected.model is None else self._scores(metrics, self._pooled_model_grades())
        return {
            metric.name: query_contributions(
                people[metric.name], self.is_judged, None if model is None else model[metric.name]
            )
            for metric in metrics
        }

    def _pooled_model_grades(self) -> dict[str, dict[str, float]]:
        """The grades by the model for the pairs of the pool: the same documents that people judge."""
        by_query: dict[str, dict[str, float]] = {}
        for query, document in self.pool.by_pair:
            grade = (self.corrected.model or {}).get(query, {}).get(document)
            if grade is not None:
                by_query.setdefault(query, {})[document] = float(grade)
        return by_query

    def _scores(self, metrics: Sequence[BoundMetric], grades: Grades) -> dict[str, Floats]:
        """Metric → the score of each query; 0 for queries without grades."""
        policy = replace(self.policy, missing="zero", extra="skip", no_relevant="zero", judged_only=False)
        judged = {query: by_document for query, by_document in grades.items() if by_document}
        columns = {metric.name: np.zeros(len(self.queries)) for metric in metrics}
        if not judged:
            return columns
        run = {query: self.rankings[query] for query in judged if query in self.rankings}
        settings = [Setting(metric, metric, policy) for metric in metrics]
        table = evaluate_settings(Qrels(judged), run, settings, replace(OWN, policy=policy)).table
        places = [self.numbers[query] for query in table.query_ids]
        for name, column in columns.items():
            column[places] = np.nan_to_num(table.columns[name].score.astype(float))
        return columns


def _depths(metrics: Sequence[BoundMetric], pool: Pool) -> Iterator[int]:
    """The cutoffs of the metrics; that of the pool for a metric without one."""
    return iter(dict.fromkeys(int(metric.params.get("k") or pool.depth) for metric in metrics))


def _described(
    corrected: Corrected, n_queries: int, weights: Mapping[str, float], outside: Mapping[int, float]
) -> dict[str, Any]:
    """What a result says about its judgments."""
    pool: Any = corrected.pool
    rows = [(query, document, grade) for (query, document), grade in corrected.graded.items()]
    return {
        "layer": corrected.layer,
        "pool": pool.id,
        "how": pool.how,
        "unit": pool.unit,
        "n_grades": corrected.n_grades,
        "n_drawn": len(pool.drawn),
        "n_queries": n_queries,
        "never_eligible": {str(depth): share for depth, share in outside.items()},
        "model_weight": dict(weights) if corrected.model is not None else {},
        "fingerprint": fingerprint(rows),
    }
