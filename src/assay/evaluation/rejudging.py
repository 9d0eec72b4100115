"""Rejudging: a result with grades that were given later. They add to the judgments of the benchmark or overrule them.

The result itself does not change. Only queries whose judgments changed are scored again, from the rankings in the result.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.evaluation.intervals import with_intervals
from assay.evaluation.profile import OWN, Setting
from assay.evaluation.repeats import mean_scores, rankings_of_repeat
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Confidence
from assay.evaluation.scoring import evaluate_settings
from assay.metrics import BoundMetric, unknown_function
from assay.model import Policy, Qrels, ScoreTable, fingerprint
from assay.serialize import to_json
from assay.text import counted

Grades = Mapping[str, Mapping[str, float]]
"""Query → document → grade."""
READS_NON_RELEVANT = frozenset(
    {"bpref", "gm_bpref", "infap", "judged", "num_nonrel_judged_ret", "rbp_residual", "relstring", "unjudged"}
)
"""Metrics that also read judged non-relevant documents, some of which may be missing from a stored result."""
READS_NO_GRADES = frozenset({"timing", "answers", "verdicts", "routing", "spans", "result_lists"})
"""Views that do not depend on the grades of documents: new grades do not change what is computed from them."""
TOLERANCE = 1e-9


class MergedGrades(NamedTuple):
    """The judgments of a benchmark with new grades: a new grade replaces the one of the benchmark."""

    by_query: dict[str, dict[str, float]]
    """All judgments of the queries whose judgments changed."""
    n_added: int
    """Grades for documents that were unjudged."""
    n_overruled: int
    """Grades that replace another grade of the benchmark."""
    n_same: int
    """Grades that confirm the grade of the benchmark."""

    def describe(self, layer: str, fingerprint: str) -> dict[str, Any]:
        """The provenance of the merged judgments."""
        n_grades = self.n_added + self.n_overruled + self.n_same
        return {"layer": layer, "n_grades": n_grades, **self.counts(), "fingerprint": fingerprint}

    def counts(self) -> dict[str, int]:
        """The three counts by name."""
        return {name: getattr(self, name) for name in ("n_added", "n_overruled", "n_same")}


@dataclass(frozen=True)
class Rejudged:
    """A result before and after new grades, for the metrics that could be computed again."""

    before: ScoreTable
    result: Result
    """The whole result with the new grades, for everything that works with results; without the metrics left out."""
    names: tuple[str, ...]
    """The metrics that were computed again."""
    merged: MergedGrades
    left_out: tuple[str, ...]
    """Metrics that depend on grades and need more than the result has."""

    @property
    def after(self) -> ScoreTable:
        """The scores with the new grades."""
        return replace(self.result.table, columns={name: self.result.table.columns[name] for name in self.names})

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries whose judgments changed."""
        return tuple(self.merged.by_query)

    @property
    def n_new(self) -> int:
        """How many grades change the judgments."""
        return self.merged.n_added + self.merged.n_overruled

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
            **self.merged.counts(),
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


def merge_grades(own: Grades, grades: Grades) -> MergedGrades:
    """Merge new grades into those of a benchmark. A query without a changed grade is not in the outcome."""
    merged, n_added, n_overruled, n_same = {}, 0, 0, 0
    for query, by_document in grades.items():
        known = own.get(query, {})
        added = sum(document not in known for document in by_document)
        same = sum(document in known and known[document] == grade for document, grade in by_document.items())
        n_added, n_same, n_overruled = n_added + added, n_same + same, n_overruled + len(by_document) - added - same
        if same < len(by_document):
            merged[query] = {**known, **by_document}
    return MergedGrades(merged, n_added, n_overruled, n_same)


def rejudge(result: Result, grades: Grades, judged: Grades | None = None, *, layer: str = "people") -> Rejudged:
    """Score a result again with more grades, which replace those of the benchmark where both exist.

    `judged` has all judgments of the benchmark. Without it, the judgments stored in the result are used, and metrics that
    also read non-relevant documents are left out. `layer` names who gave the grades. If the highest grade of the scale was
    taken from the judgments, it is taken from the merged ones.
    """
    known = set(result.query_ids)
    grades = {query: by_document for query, by_document in grades.items() if query in known or query in result.run}
    own: Grades = _stored_grades(result, grades) if judged is None else judged
    merged = merge_grades(own, grades)
    policy = replace(result.policy, max_grade=_highest_grade(result, own, merged.by_query))
    is_other_scale = policy.max_grade != result.policy.max_grade
    scored = dict.fromkeys(() if result.is_unjudged else result.query_ids)  # without judgments, no score is not a score of 0
    queries = dict.fromkeys([*(scored if is_other_scale else ()), *merged.by_query])
    old = {query: own.get(query, {}) for query in queries if query in scored or own.get(query)}
    metrics = [metric for metric in result.metrics if _is_known(metric, result, has_all=judged is not None)]
    before = _rescore(result, metrics, old)
    sound = [metric for metric in metrics if _reproduces_scores(result.table, before.table, metric.name)]
    new = {query: merged.by_query.get(query, old.get(query, {})) for query in queries}
    after = _rescore(result.with_fields(policy=policy), sound, new)
    unchanged = [metric.name for metric in result.metrics if metric.metric.view in READS_NO_GRADES]
    names = [metric.name for metric in sound]
    whole = result.with_fields(policy=policy).subset(metrics=[*names, *unchanged])
    about = merged.describe(layer, _fingerprint(result, judged, merged.by_query, grades))
    left_out = tuple(metric.name for metric in result.metrics if metric.name not in whole.table.columns)
    return Rejudged(
        before=replace(result.table, columns={name: result.table.columns[name] for name in names}),
        result=_rejudged_result(whole, before, after, merged.by_query, about),
        names=tuple(names),
        merged=merged,
        left_out=left_out,
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
    rows = [(query, doc, float(grade)) for query, by_document in grades.items() for doc, grade in by_document.items()]
    return fingerprint([(own,), *rows]) if merged else own


def _is_known(bound: BoundMetric, result: Result, *, has_all: bool) -> bool:
    """Whether a metric reads only rankings and grades that are known."""
    metric = bound.metric
    is_unknown = metric.aggregation.summarise is None or metric.function is unknown_function
    reads_more = is_unknown or metric.view != "ranking" or bound.half_life is not None
    reads_others = result.policy.judged_only or metric.name in READS_NON_RELEVANT
    return not reads_more and (has_all or (bool(result.run) and not reads_others))


class Rescored(NamedTuple):
    """Some queries of a result, scored again."""

    table: ScoreTable
    repeats: Mapping[str, Floats]
    """Metric → queries × repeats."""
    counts: Mapping[str, int]
    queries: tuple[str, ...]
    """The queries that were scored; those that do not count under the policy are not in the table."""


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
    table, repeats = mean_scores([again.table for again in scored])
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


# The whole result with new grades, made of the old one and of the queries that were scored again


def _rejudged_result(result: Result, before: Rescored, after: Rescored, merged: Grades, about: Mapping[str, Any]) -> Result:
    """The result with the scores, judgments, counts and intervals after new grades; `about` describes the grades."""
    gone = frozenset(after.queries) - frozenset(after.table.query_ids)
    table = result.table.with_rows(after.table, gone)
    changed = result.with_fields(
        table=table,
        repeats=_repeats(result, after, table.query_ids),
        counts={**_counts(result, before, after), "scored": len(table.query_ids)},
        relevant=_split(result, merged, is_relevant=True),
        nonrelevant=_split(result, merged, is_relevant=False),
        tie_bands={},
        residuals={},
        grader=None,
        provenance=_provenance(result, about),
        recorded={**result.fingerprints, "judgments": about["fingerprint"]},
        notes=(*result.notes, *_notes(about)),
    )
    return changed.with_fields(intervals=_intervals(changed))


def _repeats(result: Result, after: Rescored, query_ids: Sequence[str]) -> dict[str, Floats]:
    """Metric → queries × repeats, with new rows for the queries that were scored again."""
    repeats = {}
    for name, scores in result.repeats.items():
        rows = dict(zip(result.query_ids, scores, strict=True))
        rows |= dict(zip(after.table.query_ids, after.repeats.get(name, ()), strict=False))
        blank = np.full(scores.shape[1], np.nan)
        repeats[name] = np.array([rows.get(query, blank) for query in query_ids]).reshape(len(query_ids), scores.shape[1])
    return repeats


def _counts(result: Result, before: Rescored, after: Rescored) -> dict[str, int]:
    """The counts of queries, changed by what changed among the queries that were scored again."""
    counts = dict(result.counts)
    for name in ("judged", "without_relevant", "constant"):
        if name in counts:
            counts[name] += after.counts.get(name, 0) - before.counts.get(name, 0)
    if "extra" in counts:
        counts["extra"] -= sum(query in result.run for query in set(after.queries) - set(before.queries))
    return counts


def _split(result: Result, merged: Grades, *, is_relevant: bool) -> dict[str, Mapping[str, float]]:
    """Query → relevant or non-relevant documents, best first, with the merged judgments of the changed queries."""
    own = result.relevant if is_relevant else result.nonrelevant
    level = result.policy.rel
    changed = {}
    for query, by_document in merged.items():
        some = {
            doc: grade
            for doc, grade in by_document.items()
            if (grade > 0 if level is None else grade >= level) == is_relevant
        }
        changed[query] = dict(sorted(some.items(), key=lambda pair: -pair[1]))
    return {**{query: own[query] for query in own}, **changed}


def _provenance(result: Result, about: Mapping[str, Any]) -> dict[str, Any]:
    """The provenance with the grades, and with the fingerprint of the merged judgments instead of that of the benchmark."""
    provenance = {**result.provenance, "judgments": dict(about)}
    dataset = result.provenance.get("dataset") or {}
    if prints := dataset.get("fingerprints"):
        provenance["dataset"] = {**dataset, "fingerprints": {**prints, "judgments": about["fingerprint"]}}
    return provenance


def _notes(about: Mapping[str, Any]) -> list[str]:
    """What was added and overruled, in words."""
    if not about["n_grades"]:
        return []
    parts = [f"{about[name]:,} {what}" for name, what in WAYS.items() if about[name]]
    return [f"Scored with {counted(about['n_grades'], 'grade')} by {about['layer']}: {', '.join(parts)}."]


WAYS = {
    "n_added": "for unjudged documents",
    "n_overruled": "instead of another grade of the benchmark",
    "n_same": "as in the benchmark",
}
"""Count → what such grades do."""


def _intervals(result: Result) -> dict[str, Confidence]:
    """The intervals of the metrics that had one, by the same methods."""
    old = result.intervals
    new: dict[str, Confidence] = {}
    for level, cluster in dict.fromkeys((interval.level, interval.cluster) for interval in old.values()):
        names = [name for name, interval in old.items() if (interval.level, interval.cluster) == (level, cluster)]
        new |= with_intervals(result, level=level, metrics=names, cluster=cluster or None).intervals
    for name, interval in old.items():
        if name in new and new[name].method != interval.method and not math.isnan(interval.low):
            same = with_intervals(result, interval.method, interval.level, metrics=[name], cluster=interval.cluster or None)
            new[name] = same.intervals[name]
    return {name: new[name] for name in old if name in new}
