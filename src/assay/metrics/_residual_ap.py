"""Bounds of average precision and R-precision over the grades of unjudged documents, for every number of relevant ones."""

from __future__ import annotations

import numpy as np

from assay.model import Floats, OpenQuery, is_relevant, ratio


def ap_bounds(query: OpenQuery, level: float | None, k: int | None, *, is_capped: bool) -> tuple[float, float]:
    """Lowest and highest average precision. One more relevant document adds its own precision, and lifts those below it."""
    relevant = is_relevant(query.grade, level)
    ranks = np.arange(1, len(relevant) + 1)
    share = np.where(ranks <= (k or len(ranks)), 1.0 / ranks, 0.0)
    above = np.cumsum(relevant)
    found = (above * share)[relevant].sum()
    lifted = _sum_below(np.where(relevant, share, 0.0))[query.open]
    own, n = share[query.open], len(query.open)
    best = (above[query.open] + np.arange(1, n + 1)) * own + lifted
    worst = ((above[query.open] + 1) * own + lifted + _sum_below(own))[::-1]
    total = is_relevant(query.ideal, level).sum() + np.arange(n + 1.0)
    if is_capped and k is not None:
        total = total.clip(max=k)
    lowest, highest = (ratio(found + np.concatenate(([0.0], np.cumsum(more))), total) for more in (worst, best))
    return float(lowest.min()), float(highest.max())


def rprec_bounds(query: OpenQuery, level: float | None) -> tuple[float, float]:
    """Lowest and highest R-precision: with m more relevant documents it looks at R + m ranks."""
    relevant = is_relevant(query.grade, level)
    n, n_open = len(relevant), len(query.open)
    more = np.arange(n_open + 1)
    total = is_relevant(query.ideal, level).sum() + more
    found = np.concatenate(([0], np.cumsum(relevant)))[total.clip(max=n)]
    n_inside = np.searchsorted(query.open, total)
    lowest = ratio(found + np.maximum(n_inside - (n_open - more), 0), total)
    highest = ratio(found + np.minimum(n_inside, more), total)
    return float(lowest.min()), float(highest.max())


def _sum_below(values: Floats) -> Floats:
    """For each place, the sum of all values after it."""
    return values.sum() - np.cumsum(values)
