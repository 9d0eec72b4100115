"""SystemEstimator: the estimates of one system from the grades for a pool, as columns of contributions and as a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import Bools, Floats
from assay.errors import UsageError
from assay.evaluation import OWN, Evidence, Provenance, Result, Scores, Setting, evaluate_settings, with_intervals
from assay.judging.design import DIFFERENCE, QUERIES
from assay.judging.estimates import Contributions, PairSample, pair_contributions, query_contributions
from assay.judging.frame import Documents, ranked_documents
from assay.judging.layers import Grades
from assay.judging.linear import contributions, worth_of
from assay.judging.notes import notes_on_estimates
from assay.judging.pools import Pool
from assay.judging.predictions import PoolValues, Predictions, predict_values
from assay.metrics import BoundMetric
from assay.model import ESTIMATES, Column, Policy, Qrels, Run, ScoreTable, fingerprint
from assay.text import some_of

if TYPE_CHECKING:
    from assay.judging.correction import Corrected


def check_systems(pool: Pool, *names: str) -> None:
    """Raise if a named system is neither of the two that a pool for a difference was drawn for."""
    if pool.unit != DIFFERENCE:
        return
    two = pool.compared
    others = sorted({name for name in names if name and name not in two})
    if others:
        raise UsageError(
            f"the pool was drawn for the difference of {two[0]} and {two[1]}, so nothing can be estimated for "
            f"{some_of(others)}. Compare these two systems alone, or draw a pool with spread for all of them"
        )


def cannot_text(metrics: Sequence[BoundMetric], pool: Pool) -> str:
    """Why metrics cannot be estimated from drawn pairs, and what can."""
    names = some_of([metric.name for metric in metrics])
    return (
        f"{names} cannot be estimated from pairs that are spread over queries, because it needs all grades of a query. Draw "
        f"a pool of whole queries (how=whole), or use precision@{pool.depth}, dcg@{pool.depth} or rbp"
    )


class SystemEstimator:
    """The estimates of one system."""

    def __init__(self, corrected: Corrected, source: Any, policy: Policy) -> None:
        self.corrected, self.policy = corrected, policy
        self.pool: Pool = corrected.known_pool
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
        if name:
            check_systems(pool, name)
        possible = [metric for metric in metrics if corrected.can_estimate(metric)]
        left_out = [metric for metric in metrics if not corrected.can_estimate(metric)]
        if not possible:
            raise UsageError(cannot_text(left_out, pool) if left_out else "no metric is named")
        of_queries = self.query_columns(possible) if pool.unit == QUERIES else {}
        parts = {metric.name: of_queries.get(metric.name) or self.pair_sums(metric) for metric in possible}
        table = ScoreTable(self.queries, {name: self.column(part) for name, part in parts.items()})
        n = int(np.count_nonzero(self.is_judged))
        counts = {"judged": n, "scored": len(self.queries), "missing": 0, "without_relevant": 0, "extra": 0}
        scores = Scores(
            table, tuple(possible), counts, settings=tuple(Setting(each, each, self.policy) for each in possible)
        )
        depths = () if pool.unit == DIFFERENCE else _depths(possible, pool)  # documents that tell nothing are not in it
        outside = {depth: pool.share_outside(partial(self._top, depth)) for depth in depths}
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

    def column(self, part: Contributions) -> Column:
        """The contributions with what belongs to them."""
        n = len(self.queries)
        parts = [part.values, self.is_judged.astype(float), np.full(n, part.unseen)]
        parts += [] if part.evidence is None else [part.evidence]
        parts += [np.ones(n)] if self.pool.unit == DIFFERENCE else []
        return Column(np.full(n, np.nan), np.column_stack(parts), ESTIMATES[len(parts)])

    def pair_sums(self, metric: BoundMetric) -> Contributions:
        """E1 for a linear metric."""
        pool, graded = self.pool, self.corrected.graded
        rows = [
            (self.numbers[query], rank, place, graded.get((query, document)))
            for query, ranking in self.rankings.items()
            for rank, document in enumerate(ranking, 1)
            if (place := pool.places.get((query, document))) is not None
        ]
        query, ranks, places = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3).T
        people = np.array([row[3] or 0.0 for row in rows], dtype=float)
        predictions = self._predictions(metric)
        sample = PairSample(
            query,
            self.corrected.chances[places],
            np.array([row[3] is not None for row in rows], dtype=bool),
            contributions(metric, ranks, people, self.policy),
            worth_of(metric, ranks, self.policy) * predictions.values[places],
        )
        return pair_contributions(sample, len(self.queries))._replace(weight=predictions.weight)

    def _predictions(self, metric: BoundMetric) -> Predictions:
        """What all pairs of the pool are expected to be worth at the first rank: the same for all systems."""
        pool, corrected = self.pool, self.corrected
        first = np.ones(len(pool.pairs), dtype=np.int64)
        graded = [corrected.graded.get((pair.query, pair.document)) for pair in pool.pairs]
        model = None
        if corrected.model is not None:
            grades = np.array([self._model_grade(pair.query, pair.document) for pair in pool.pairs])
            model = contributions(metric, first, grades, self.policy)
        values = PoolValues(
            np.array([self.numbers[pair.query] for pair in pool.pairs], dtype=np.int64),
            corrected.chances,
            np.array([grade is not None for grade in graded], dtype=bool),
            contributions(metric, first, np.array([grade or 0.0 for grade in graded]), self.policy),
            model,
        )
        return predict_values(values, len(self.queries), pool.seed)

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
