"""What unjudged documents hide: the run as it would be if those it retrieved were relevant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assay.model.graded import GradedRun, Hits
from assay.model.ordering import Floats, Ints


class OpenQuery(NamedTuple):
    """A query that retrieved something unjudged."""

    number: int
    grade: Floats
    """The grade at each rank; nan where nobody judged."""
    open: Ints
    """Where nobody judged: rank − 1."""
    ideal: Floats
    """All real judgments of the query, best first."""


def open_queries(run: GradedRun) -> Iterator[OpenQuery]:
    """The queries that retrieved something unjudged, one by one. Negative grades are no judgments."""
    judged, ideal = run.judged, run.ideal.where(run.ideal.grade >= 0)
    for number in np.flatnonzero(judged.count < run.n_retrieved).tolist():
        mine, all_of_it = (slice(hits.first[number], hits.first[number] + hits.count[number]) for hits in (judged, ideal))
        grade = np.full(run.n_retrieved[number], np.nan)
        grade[judged.rank[mine] - 1] = judged.grade[mine]
        yield OpenQuery(number, grade, np.flatnonzero(np.isnan(grade)), ideal.grade[all_of_it])


def with_unjudged_relevant(run: GradedRun, k: int | None, grade: float, after: int = 0) -> GradedRun:
    """Every unjudged document within the first k (None: all retrieved), but not within the first `after`, gets that grade,
    in the ideal ranking too. Negative grades mark documents that were pooled but not judged, so they are among them.
    """
    query, rank = _unjudged_ranks(run, k, after)
    hits, n = run.retrieved, run.n_queries
    is_outside = (hits.rank > (k or hits.rank.max(initial=0))) | (hits.rank <= after)
    kept = hits.where((hits.grade >= 0) | is_outside)
    added = np.full(len(query), grade)
    every = Hits(
        np.concatenate((kept.query, query)), np.concatenate((kept.rank, rank)), np.concatenate((kept.grade, added)), n
    )
    order = np.argsort(every.query * (every.rank.max(initial=0) + 1) + every.rank, kind="stable")  # merges two sorted parts
    retrieved = Hits(every.query[order], every.rank[order], every.grade[order], n)
    ideal = _best_first(np.concatenate((query, run.ideal.query)), np.concatenate((added, run.ideal.grade)), n)
    return replace(run, retrieved=retrieved, ideal=ideal, judgment=None, judgments=None, ties=None, tie_rule="settled")


def _best_first(query: Ints, grade: Floats, n: int) -> Hits:
    """The ideal ranking of grades, of which each part is in order already and the first has mostly the best."""
    order = np.argsort(query, kind="stable")
    if (grade[order][:-1] < grade[order][1:])[query[order][:-1] == query[order][1:]].any():
        order = np.lexsort((-grade, query))
    ideal = Hits(query[order], query, grade[order], n)
    return replace(ideal, rank=ideal.position)


def _unjudged_ranks(run: GradedRun, k: int | None, after: int) -> tuple[Ints, Ints]:
    """Query and rank of every unjudged document beyond `after` and within the first k."""
    length = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    first = np.cumsum(length) - length
    query = np.repeat(np.arange(run.n_queries), length)
    is_open = np.ones(len(query), dtype=bool)
    judged = run.judged.top(k)
    is_open[first[judged.query] + judged.rank - 1] = False
    rank = np.arange(len(query)) - first[query] + 1
    is_open &= rank > after
    return query[is_open], rank[is_open]
