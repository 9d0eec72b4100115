"""Running totals of the ideal ranking, read off at the ranks of real documents."""

from __future__ import annotations

from functools import partial

import numpy as np

from assay.model import Floats, GradedRun, Hits, Ints


def ideal_gain_by_rank(run: GradedRun, gain: partial[Floats], at: Hits) -> Floats:
    """For each hit: what the ideal ranking has gained down to the hit's rank."""
    ideal, worth = run.ideal_by(gain)
    return read_at(ideal, ideal.running_sum(worth), at.query, at.rank)


def ideal_dcg_by_rank(run: GradedRun, gain: partial[Floats], at: Hits) -> Floats:
    """For each hit: the ideal ranking's dcg down to the hit's rank."""
    ideal, worth = run.ideal_by(gain)
    return read_at(ideal, ideal.running_sum(worth / np.log2(ideal.rank + 1.0)), at.query, at.rank)


def read_at(hits: Hits, running: Floats, query: Ints, rank: Ints) -> Floats:
    """The running total of `hits` at each (query, rank), where hit n of a query has rank n; 0 before the first."""
    depth = np.minimum(rank, hits.count[query])
    result = np.zeros(len(query))
    some = depth > 0
    result[some] = running[(hits.first[query] + depth - 1)[some]]
    return result
