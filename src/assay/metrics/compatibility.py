"""compatibility: rank-biased overlap between the ranking and the ideal ranking nearest to it."""

import numpy as np

from assay.grammar import Param, flag, persistence
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.model import Floats, Hits, Ints, ratio

P = Param("p", persistence, 0.95, "chance to go on to the next document", shown=True)
NORMALIZE = Param("normalize", flag, True, "divide by the overlap of the ideal ranking with itself")


def compatibility(run: GradedRun, p: float, normalize: bool) -> Scores:
    """Rank-biased overlap between the ranking and the ideal ranking nearest to it.

    Among documents of one grade the ideal ranking keeps the run's own order; documents not retrieved come last.
    """
    ideal = run.ideal.where(run.ideal.grade > 0)
    hits = run.retrieved.where(run.retrieved.grade > 0)
    depth = np.maximum(run.n_retrieved, ideal.count)
    longest = int(depth.max(initial=0))
    weight = p ** np.arange(longest, dtype=float)
    shared = np.concatenate(([0.0], np.cumsum(weight / np.arange(1.0, longest + 1.0))))
    agreed = np.maximum(hits.rank, _ideal_rank(hits, ideal))
    overlap = hits.sum(shared[depth[hits.query]] - shared[agreed - 1])
    if normalize:
        return ratio(overlap, ideal.sum(shared[depth[ideal.query]] - shared[ideal.rank - 1]))
    total = np.concatenate(([0.0], np.cumsum(weight)))
    return ratio(overlap, total[depth])


def _ideal_rank(hits: Hits, ideal: Hits) -> Ints:
    """Where each hit stands in the ideal ranking: after all better grades, in the run's order within its own."""
    order = np.lexsort((hits.rank, -hits.grade, hits.query))
    place = np.empty(len(order), dtype=np.int64)
    new = np.diff(hits.query[order], prepend=-1) != 0
    new |= np.diff(hits.grade[order], prepend=np.nan) != 0
    start = np.flatnonzero(new)
    length = np.diff(np.append(start, len(order)))
    place[order] = np.arange(len(order)) - np.repeat(start, length)
    return _n_better(hits, ideal) + place + 1


def _n_better(hits: Hits, ideal: Hits) -> Ints:
    """How many judged documents of the query have a better grade than each hit."""
    levels: Floats = np.unique(ideal.grade)
    width = len(levels) + 1
    # ideal rows ascend in this key: query first, then grade from best to worst
    key = ideal.query * width + (len(levels) - np.searchsorted(levels, ideal.grade))
    wanted = hits.query * width + (len(levels) - np.searchsorted(levels, hits.grade))
    return np.searchsorted(key, wanted, side="left") - ideal.first[hits.query]


METRIC = Metric(
    "compatibility",
    compatibility,
    params=(P, NORMALIZE),
    aliases=("compat",),
    formula="RBO(ranking, ideal) ÷ RBO(ideal, ideal),  RBO = Σ p^(i − 1) · overlap at depth i ÷ i",
    cite="Clarke, Vtyurina & Smucker 2021, Assessing Top-k Preferences, TOIS 39(3)",
)
