"""Rejudging: what a result would be if unjudged documents had the grades that people gave them later.

The result itself does not change. Only queries with new grades are scored again, from the rankings stored in the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.evaluation.profile import OWN, Setting
from assay.evaluation.repeats import mean_scores, rankings_of_repeat
from assay.evaluation.result import Result
from assay.evaluation.scoring import evaluate_settings
from assay.metrics import BoundMetric, unknown_function
from assay.model import Column, Policy, Qrels, ScoreTable
from assay.serialize import to_json

Grades = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""
READS_NON_RELEVANT = frozenset(
    {"bpref", "gm_bpref", "infap", "judged", "num_nonrel_judged_ret", "rbp_residual", "relstring", "unjudged"}
)
"""Metrics that also read judged non-relevant documents, some of which may be missing from a stored result."""
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Rejudged:
    """The scores before and after, for the metrics that could be computed again."""

    before: ScoreTable
    after: ScoreTable
    queries: tuple[str, ...]
    """The queries that were scored again."""
    n_added: int
    """New grades that count, because their documents were unjudged."""
    left_out: tuple[str, ...]
    """Metrics that need more than a result stores."""
    n_kept: int = 0
    """New grades that do not count, because the benchmark already judged these documents."""

    def summaries(self) -> dict[str, tuple[float, float]]:
        """Metric → its summary before and after."""
        after = self.after.summary()
        return {name: (value, after[name]) for name, value in self.before.summary().items()}

    def scores(self, query: str) -> dict[str, tuple[float | None, float | None]]:
        """Metric → the score of a query before and after; None if it has no score."""
        before, after = _row(self.before, query), _row(self.after, query)
        return {name: (before.get(name), after.get(name)) for name in self.before.columns}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "n_added": self.n_added,
            "n_kept": self.n_kept,
            "summary": {name: to_json({"before": pair[0], "after": pair[1]}) for name, pair in self.summaries().items()},
            "queries": {
                query: {name: to_json({"before": pair[0], "after": pair[1]}) for name, pair in self.scores(query).items()}
                for query in self.queries
            },
            "left_out": list(self.left_out),
        }


def _row(table: ScoreTable, query: str) -> dict[str, float | None]:
    if query not in table.query_ids:
        return {}
    place = table.query_ids.index(query)
    return {name: to_json(column.score[place]) for name, column in table.columns.items()}


def rejudge(result: Result, grades: Grades, judged: Grades | None = None) -> Rejudged:
    """Score a result again with more grades. Documents that are already judged keep their grades.

    `judged` has all judgments of the benchmark. Without it, the relevant documents stored in the result are used, and
    metrics that also read non-relevant documents are left out. Metrics that read more than rankings are always left out.
    """
    own: Grades = _kept_grades(result, grades) if judged is None else judged
    known = set(result.query_ids)
    added = {
        query: new
        for query, graded in grades.items()
        if (query in result.run or query in known)
        and (new := {doc: grade for doc, grade in graded.items() if doc not in own.get(query, {})})
    }
    has_all = judged is not None
    metrics = [metric for metric in result.metrics if _is_known(metric, result.policy, has_all=has_all)]
    top = max((grade for new in added.values() for grade in new.values()), default=0.0)
    is_higher = top > (result.policy.max_grade or 0)
    queries = tuple(dict.fromkeys([*(result.query_ids if is_higher else ()), *added]))
    before = _score(result, metrics, {query: own.get(query, {}) for query in queries if query in known})
    sound = [metric for metric in metrics if _reproduces_scores(result.table, before, metric.name)]
    policy = replace(result.policy, max_grade=top) if is_higher else result.policy
    union = {query: {**own.get(query, {}), **added.get(query, {})} for query in queries}
    after = _score(result.with_fields(policy=policy), sound, union)
    names = [metric.name for metric in sound]
    asked = ScoreTable(result.query_ids, {name: result.table.columns[name] for name in names})
    lost = tuple(metric.name for metric in result.metrics if metric.name not in names)
    n_kept = sum(doc in own.get(query, {}) for query, graded in grades.items() for doc in graded)
    return Rejudged(asked, _with_changed_rows(asked, after), tuple(added), sum(map(len, added.values())), lost, n_kept)


def _kept_grades(result: Result, grades: Grades) -> Grades:
    """The judgments stored in a result: all relevant documents, and the non-relevant ones of queries with new grades."""
    if not result.nonrelevant:
        return result.relevant
    more = {query: {**result.nonrelevant.get(query, {}), **result.relevant.get(query, {})} for query in grades}
    return {**{query: result.relevant[query] for query in result.relevant}, **more}


def _is_known(bound: BoundMetric, policy: Policy, *, has_all: bool) -> bool:
    """Whether a metric reads only rankings and grades that are known."""
    metric = bound.metric
    reads_more = metric.view != "ranking" or metric.aggregation.summarise is None or metric.function is unknown_function
    reads_others = policy.judged_only or metric.name in READS_NON_RELEVANT
    return not reads_more and (has_all or not reads_others)


def _score(result: Result, metrics: Iterable[BoundMetric], judged: Grades) -> ScoreTable:
    """The scores of the judged queries under the policy of the result."""
    policy = without_errors(result.policy)
    settings = [Setting(bound, bound, policy) for bound in metrics]
    if not settings or not judged:
        return ScoreTable((), {})
    qrels, profile = Qrels(judged), replace(OWN, policy=policy)
    tables = []
    for repeat in range(result.n_repeats):
        rankings = rankings_of_repeat(result, repeat)
        run = {query: dict(rankings[query]) for query in judged if query in rankings}
        tables.append(evaluate_settings(qrels, run, settings, profile).table)
    return mean_scores(tables)[0]


def without_errors(policy: Policy) -> Policy:
    """The same conventions without those that raise errors: new grades may cause one, such as a tie that now matters."""
    milder: dict[str, Any] = {"ties": "docid_desc", "missing": "zero", "extra": "skip", "no_relevant": "zero"}
    return replace(policy, **{name: value for name, value in milder.items() if getattr(policy, name) == "error"})


def _reproduces_scores(stored: ScoreTable, again: ScoreTable, name: str) -> bool:
    """Whether scoring again gives the stored scores. If not, they depend on something that the result does not store."""
    if not again.query_ids:
        return True
    places = {query: place for place, query in enumerate(stored.query_ids)}
    if not all(query in places for query in again.query_ids):
        return False
    stored_scores = stored.columns[name].score[[places[query] for query in again.query_ids]].astype(float)
    return bool(np.allclose(stored_scores, again.columns[name].score, rtol=0, atol=TOLERANCE, equal_nan=True))


def _with_changed_rows(table: ScoreTable, changed: ScoreTable) -> ScoreTable:
    """The table with new scores for some queries; queries that were not in it come last."""
    places = {query: place for place, query in enumerate(table.query_ids)}
    for query in changed.query_ids:
        places.setdefault(query, len(places))
    at = [places[query] for query in changed.query_ids]
    columns = {}
    for name, column in table.columns.items():
        n_more = len(places) - len(table.query_ids)
        score = np.concatenate([column.score, np.full(n_more, np.nan)])
        weight = np.concatenate([column.weight, np.full((n_more, *column.weight.shape[1:]), np.nan)])
        if at:
            score[at], weight[at] = changed.columns[name].score, changed.columns[name].weight
        columns[name] = Column(score, weight, column.aggregation)
    return ScoreTable(tuple(places), columns)
