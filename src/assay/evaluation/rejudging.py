"""Rejudging: a result with grades that were given later. They add to the judgments of the benchmark or overrule them.

The result itself does not change. Only queries whose judgments changed are scored again, from the rankings in the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.evaluation.profile import OWN, Setting
from assay.evaluation.rejudged_result import Rescored, rejudged_result
from assay.evaluation.repeats import mean_scores, rankings_of_repeat
from assay.evaluation.result import Result
from assay.evaluation.scoring import evaluate_settings
from assay.metrics import BoundMetric, unknown_function
from assay.model import Policy, Qrels, ScoreTable, fingerprint
from assay.serialize import to_json

Grades = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""
READS_NON_RELEVANT = frozenset(
    {"bpref", "gm_bpref", "infap", "judged", "num_nonrel_judged_ret", "rbp_residual", "relstring", "unjudged"}
)
"""Metrics that also read judged non-relevant documents, some of which may be missing from a stored result."""
READS_NO_GRADES = frozenset({"timing", "answers", "routing", "spans"})
"""Views that do not depend on the grades of documents: new grades do not change what is computed from them."""
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Rejudged:
    """A result before and after new grades, for the metrics that could be computed again."""

    before: ScoreTable
    after: ScoreTable
    queries: tuple[str, ...]
    """The queries whose judgments changed."""
    result: Result
    """The whole result with the new grades, for everything that works with results; without the metrics left out."""
    n_added: int
    """Grades for documents that were unjudged."""
    n_overruled: int
    """Grades that replace another grade of the benchmark."""
    n_same: int
    """Grades that confirm the grade of the benchmark."""
    left_out: tuple[str, ...]
    """Metrics that depend on grades and need more than the result has."""

    @property
    def n_new(self) -> int:
        """How many grades change the judgments."""
        return self.n_added + self.n_overruled

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
            "n_overruled": self.n_overruled,
            "n_same": self.n_same,
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


class MergedGrades(NamedTuple):
    """The judgments of a benchmark with new grades: a new grade replaces the one of the benchmark."""

    merged: dict[str, dict[str, float]]
    """All judgments of the queries whose judgments changed."""
    n_added: int
    n_overruled: int
    n_same: int


def merge_grades(own: Grades, grades: Grades) -> MergedGrades:
    """Merge new grades into those of a benchmark. A query without a changed grade is not in the outcome."""
    merged, n_added, n_overruled, n_same = {}, 0, 0, 0
    for query, given in grades.items():
        known = own.get(query, {})
        added = sum(document not in known for document in given)
        same = sum(document in known and known[document] == grade for document, grade in given.items())
        n_added, n_same, n_overruled = n_added + added, n_same + same, n_overruled + len(given) - added - same
        if same < len(given):
            merged[query] = {**known, **given}
    return MergedGrades(merged, n_added, n_overruled, n_same)


def rejudge(result: Result, grades: Grades, judged: Grades | None = None, *, layer: str = "people") -> Rejudged:
    """Score a result again with more grades, which replace those of the benchmark where both exist.

    `judged` has all judgments of the benchmark. Without it, the judgments stored in the result are used, and metrics that
    also read non-relevant documents are left out. `layer` names who gave the grades. If the highest grade of the scale was
    taken from the judgments, it is taken from the merged ones.
    """
    known = set(result.query_ids)
    grades = {query: given for query, given in grades.items() if query in known or query in result.run}
    own: Grades = _stored_grades(result, grades) if judged is None else judged
    merged = merge_grades(own, grades)
    policy = replace(result.policy, max_grade=_highest_grade(result, own, merged.merged))
    is_other_scale = policy.max_grade != result.policy.max_grade
    queries = tuple(dict.fromkeys([*(result.query_ids if is_other_scale else ()), *merged.merged]))
    has_all, has_some = judged is not None, judged is not None or bool(result.run)
    metrics = [metric for metric in result.metrics if has_some and _is_known(metric, result.policy, has_all=has_all)]
    old = {query: own.get(query, {}) for query in queries if query in known or own.get(query)}
    before = _rescore(result, metrics, old)
    sound = [metric for metric in metrics if _reproduces_scores(result.table, before.table, metric.name)]
    after = _rescore(
        result.with_fields(policy=policy), sound, {query: merged.merged.get(query, old.get(query, {})) for query in queries}
    )
    kept = [metric.name for metric in result.metrics if metric.metric.view in READS_NO_GRADES]
    names = [metric.name for metric in sound]
    about = {
        "layer": layer,
        "n_grades": merged.n_added + merged.n_overruled + merged.n_same,
        **{name: getattr(merged, name) for name in ("n_added", "n_overruled", "n_same")},
        "fingerprint": _fingerprint(result, judged, merged.merged, grades),
    }
    whole = rejudged_result(result.with_fields(policy=policy), [*names, *kept], before, after, merged.merged, about)
    return Rejudged(
        ScoreTable(result.query_ids, {name: result.table.columns[name] for name in names}),
        replace(whole.table, columns={name: whole.table.columns[name] for name in names}),
        tuple(merged.merged),
        whole,
        merged.n_added,
        merged.n_overruled,
        merged.n_same,
        tuple(metric.name for metric in result.metrics if metric.name not in (*names, *kept)),
    )


def _stored_grades(result: Result, grades: Grades) -> Grades:
    """The judgments stored in a result: all relevant documents, and the non-relevant ones of queries with new grades."""
    if not result.nonrelevant:
        return result.relevant
    more = {query: {**result.nonrelevant.get(query, {}), **result.relevant.get(query, {})} for query in grades}
    return {**{query: result.relevant[query] for query in result.relevant}, **more}


def _highest_grade(result: Result, own: Grades, merged: Grades) -> float | None:
    """The highest grade of the scale: of the merged judgments if it came from the judgments, else the given one."""
    stated = result.policy.max_grade
    asked = dict.fromkeys([*result.query_ids, *merged])
    for queries in (own, asked):  # perhaps the judgments of queries that were not scored did not count
        if _highest(own, queries) == (stated or 0.0):
            return _highest({**{query: own.get(query, {}) for query in queries}, **merged}, [*queries, *merged]) or None
    return stated


def _highest(grades: Grades, queries: Iterable[str]) -> float:
    return max((float(grade) for query in queries for grade in grades.get(query, {}).values() if grade > 0), default=0.0)


def _fingerprint(result: Result, judged: Grades | None, merged: Grades, grades: Grades) -> str:
    """The fingerprint of the merged judgments. If not all of them are known, it is made of the old one and the grades."""
    if judged is not None:
        return Qrels({**{query: judged[query] for query in judged}, **merged}).fingerprint
    own = result.fingerprints.get("judgments", "")
    rows = [(query, doc, float(grade)) for query, given in grades.items() for doc, grade in given.items()]
    return fingerprint([(own,), *rows]) if merged else own


def _is_known(bound: BoundMetric, policy: Policy, *, has_all: bool) -> bool:
    """Whether a metric reads only rankings and grades that are known."""
    metric = bound.metric
    reads_more = metric.view != "ranking" or metric.aggregation.summarise is None or metric.function is unknown_function
    reads_others = policy.judged_only or metric.name in READS_NON_RELEVANT
    return not reads_more and (has_all or not reads_others)


def _rescore(result: Result, metrics: Sequence[BoundMetric], judged: Grades) -> Rescored:
    """The scores of the judged queries under the policy of the result, also of each repeat."""
    policy = without_errors(result.policy)
    settings = [Setting(bound, bound, policy) for bound in metrics]
    if not settings or not judged:
        return Rescored(ScoreTable((), {}), {}, {}, ())
    qrels, profile = Qrels(judged), replace(OWN, policy=policy)
    scored = []
    for repeat in range(result.n_repeats):
        rankings = rankings_of_repeat(result, repeat)
        run = {query: dict(rankings[query]) for query in judged if query in rankings}
        scored.append(evaluate_settings(qrels, run, settings, profile))
    table, repeats = mean_scores([one.table for one in scored])
    return Rescored(table, repeats, scored[0].counts, tuple(judged))


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
