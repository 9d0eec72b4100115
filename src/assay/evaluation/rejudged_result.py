"""The result with new grades: a complete result, made of the old one and of the queries that were scored again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats
from assay.evaluation.result import Result
from assay.evaluation.result_parts import Confidence
from assay.evaluation.scoring import with_intervals
from assay.model import Column, ScoreTable
from assay.text import counted

Grades = Mapping[str, Mapping[str, float]]


class Rescored(NamedTuple):
    """Some queries of a result, scored again."""

    table: ScoreTable
    repeats: Mapping[str, Floats]
    """Metric → queries × repeats."""
    counts: Mapping[str, int]
    queries: tuple[str, ...]
    """The queries that were scored; those that do not count under the policy are not in the table."""


def rejudged_result(
    result: Result,
    names: Sequence[str],
    before: Rescored,
    after: Rescored,
    merged: Grades,
    about: Mapping[str, Any],
) -> Result:
    """The result with these metrics and with the scores, judgments, counts and intervals after new grades.

    `about` describes the grades. It becomes part of the provenance.
    """
    kept = result.subset(metrics=names)
    gone = set(after.queries) - set(after.table.query_ids)
    rows = _Rows.of(kept.query_ids, after.table.query_ids, gone)
    columns = {name: rows.column(column, after.table.columns.get(name)) for name, column in kept.table.columns.items()}
    repeats = {name: rows.filled(scores, after.repeats.get(name)) for name, scores in kept.repeats.items()}
    changed = kept.with_fields(
        table=ScoreTable(rows.query_ids, columns),
        repeats=repeats,
        counts={**_counts(kept, before, after), "scored": len(rows.query_ids)},
        relevant=_split(kept, merged, is_relevant=True),
        nonrelevant=_split(kept, merged, is_relevant=False),
        tie_bands={},
        residuals={},
        grader=None,
        provenance=_provenance(kept, about),
        recorded={**kept.fingerprints, "judgments": about["fingerprint"]},
        notes=(*kept.notes, *_notes(about)),
    )
    return changed.with_fields(intervals=_intervals(changed))


class _Rows(NamedTuple):
    """How the queries of a table become those of another one: some rows are new, some have new values, some are gone."""

    query_ids: tuple[str, ...]
    taken: NDArray[np.int64]
    """The old rows that stay."""
    n_new: int
    at: NDArray[np.int64]
    """The new places of the rows that were scored again."""

    @classmethod
    def of(cls, old: tuple[str, ...], scored: tuple[str, ...], gone: set[str]) -> _Rows:
        """Queries that were not in the table come last."""
        stay = [query for query in old if query not in gone]
        known = set(stay)
        ids = (*stay, *(query for query in scored if query not in known))
        places = {query: place for place, query in enumerate(ids)}
        old_places = [place for place, query in enumerate(old) if query not in gone]
        at = np.array([places[query] for query in scored], dtype=np.int64)
        return cls(ids, np.array(old_places, dtype=np.int64), len(ids) - len(stay), at)

    def filled(self, values: NDArray[Any], changed: NDArray[Any] | None, blank: Any = np.nan) -> NDArray[Any]:
        """The values with the rows of this table."""
        more = np.full((self.n_new, *values.shape[1:]), blank, dtype=values.dtype)
        rows = np.concatenate([values[self.taken], more])
        if changed is not None and len(self.at):
            rows[self.at] = changed
        return rows

    def column(self, column: Column, changed: Column | None) -> Column:
        """The column with the rows of this table; a query without a score does not count."""
        blank = "" if column.aggregation.summarise is None else np.nan
        score = self.filled(column.score, changed.score if changed else None, blank)
        weight = self.filled(column.weight, changed.weight if changed else None, np.nan if column.is_composed else 1.0)
        return Column(score, weight, column.aggregation)


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
    for query, given in merged.items():
        some = {
            doc: grade for doc, grade in given.items() if (grade > 0 if level is None else grade >= level) == is_relevant
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
        names = [name for name, one in old.items() if (one.level, one.cluster) == (level, cluster)]
        new |= with_intervals(result, level=level, metrics=names, cluster=cluster or None).intervals
    for name, interval in old.items():
        if name in new and new[name].method != interval.method:
            same = with_intervals(result, interval.method, interval.level, metrics=[name], cluster=interval.cluster or None)
            new[name] = same.intervals[name]
    return {name: new[name] for name in old if name in new}
