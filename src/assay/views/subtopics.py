"""Subtopics: grades for each aspect of a query, and a run with each aspect as a query."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import DataError
from assay.model import SubtopicGrades
from assay.text import counted, some_of

if TYPE_CHECKING:
    from assay.views.graded import GradedRun, Hits

NO_SUBTOPICS = (
    "diversity metrics need judgments per subtopic, but these judgments have no subtopics. A judgments file needs lines "
    "`query subtopic document grade` with more than one subtopic; tables and records need a column `subtopic`"
)


@dataclass(frozen=True)
class BySubtopic:
    """Every subtopic with a relevant document as a separate query, with the ranking of its query."""

    run: GradedRun
    """A query in this run is a subtopic. Its relevant documents are those of the subtopic, all with grade 1."""
    query: Ints
    """For each subtopic: the place of its query."""
    rows: SubtopicGrades
    """The relevant documents, by the numbers that subtopics have here."""
    n_queries: int
    _memory: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def remembered(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The cached value for a key; made if it is not there yet."""
        if key not in self._memory:
            self._memory[key] = make()
        return self._memory[key]

    @property
    def n_subtopics(self) -> Ints:
        """The number of subtopics of each query; a subtopic without a relevant document does not count."""
        return np.bincount(self.query, minlength=self.n_queries)

    def sum(self, values: Floats) -> Floats:
        """Sum of `values` (one per subtopic) for each query."""
        return np.bincount(self.query, weights=values, minlength=self.n_queries).astype(float, copy=False)

    def mean(self, values: Floats) -> Floats:
        """Mean of `values` (one per subtopic) for each query; 0 if it has no subtopic."""
        return self.sum(values) / np.maximum(self.n_subtopics, 1)


def by_subtopic(run: GradedRun, level: float | None) -> BySubtopic:
    """The run with each subtopic as a query, at a relevance level."""
    from assay.views.graded import GradedRun, is_relevant

    rows = None if run.judgments is None else run.judgments.subtopic_grades
    if rows is None or run.judgment is None:
        raise DataError(NO_SUBTOPICS)
    rows = rows if run.places is None else rows.renumbered(run.places)
    _check_all_have_subtopics(run, rows)
    rows = rows.where(is_relevant(rows.grade, level))
    _, first, number = np.unique(rows.subtopic, return_index=True, return_inverse=True)
    rows = rows._replace(subtopic=number.reshape(-1))
    query = rows.query[first]
    place = np.full(int(max(rows.judgment.max(initial=-1), run.judgment.max(initial=-1))) + 1, -1)
    place[run.judgment] = np.arange(len(run.judgment))
    hit = place[rows.judgment]
    retrieved = np.flatnonzero(hit >= 0)
    retrieved = retrieved[np.lexsort((run.retrieved.rank[hit[retrieved]], rows.subtopic[retrieved]))]
    in_order = np.sort(rows.subtopic)
    ideal = _hits(in_order, in_order, len(query))
    seen = GradedRun(
        tuple(run.query_ids[number] for number in query.tolist()),
        _hits(rows.subtopic[retrieved], run.retrieved.rank[hit[retrieved]], len(query)),
        run.n_retrieved[query],
        _hits(in_order, ideal.position, len(query)),
        max_grade=1.0,
        ties=None if run.ties is None else run.ties.where(hit[retrieved]),
    )
    return BySubtopic(seen, query, rows, run.n_queries)


def _hits(subtopic: Ints, rank: Ints, n_subtopics: int) -> Hits:
    from assay.views.graded import Hits

    return Hits(subtopic, rank, np.ones(len(subtopic)), n_subtopics)


def _check_all_have_subtopics(run: GradedRun, rows: SubtopicGrades) -> None:
    """Refuse a query that is judged without subtopics while others have them: it would silently score 0."""
    has_rows = np.bincount(rows.query, minlength=run.n_queries) > 0
    whole = [run.query_ids[number] for number in np.flatnonzero(~has_rows & (run.n_relevant() > 0)).tolist()]
    if whole:
        queries = f"{counted(len(whole), 'query')}: {some_of(whole)}"
        raise DataError(f"diversity metrics need a subtopic for every judgment, but it is missing in {queries}")
