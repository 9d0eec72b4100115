"""What unjudged documents hide: the run as it would be if those it retrieved were relevant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.model.graded import GradedRun, Hits
from assay.model.ordering import Ints


def with_unjudged_relevant(run: GradedRun, k: int | None, grade: float) -> GradedRun:
    """Every unjudged document within the first k (None: all retrieved) gets that grade, in the ideal ranking too.

    Negative grades mark documents that were pooled but not judged, so they are among them.
    """
    query, rank = _unjudged_ranks(run, k)
    hits, n = run.retrieved, run.n_queries
    kept = hits.where((hits.grade >= 0) | (hits.rank > (k or hits.rank.max(initial=0))))
    added = np.full(len(query), grade)
    every = Hits(
        np.concatenate((kept.query, query)), np.concatenate((kept.rank, rank)), np.concatenate((kept.grade, added)), n
    )
    order = np.lexsort((every.rank, every.query))
    ideal_query = np.concatenate((run.ideal.query, query))
    ideal_grade = np.concatenate((run.ideal.grade, added))
    best_first = np.lexsort((-ideal_grade, ideal_query))
    ideal = Hits(ideal_query[best_first], ideal_query, ideal_grade[best_first], n)
    ideal = replace(ideal, rank=ideal.position)
    retrieved = Hits(every.query[order], every.rank[order], every.grade[order], n)
    return replace(run, retrieved=retrieved, ideal=ideal, judgment=None, ties=None, tie_rule="settled")


def _unjudged_ranks(run: GradedRun, k: int | None) -> tuple[Ints, Ints]:
    """Query and rank of every unjudged document within the first k."""
    length = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    first = np.cumsum(length) - length
    query = np.repeat(np.arange(run.n_queries), length)
    is_open = np.ones(len(query), dtype=bool)
    judged = run.judged.top(k)
    is_open[first[judged.query] + judged.rank - 1] = False
    rank = np.arange(len(query)) - first[query] + 1
    return query[is_open], rank[is_open]
