"""Stretches [start, end) side by side, and how much they cover together."""

from __future__ import annotations

import numpy as np

from assay.model.ordering import Floats, Ints

LARGE = 2**62
"""What a whole number of 64 bits can safely hold."""


def union_sizes(group: Ints, start: Ints, end: Ints, query: Ints, n_queries: int) -> Floats:
    """How much the stretches [start, end) of each query cover, group by group; what several of them share counts once.

    A group belongs to one query. Sorted by their start, each adds what reaches beyond all before it in its group.
    """
    width = int(end.max(initial=0)) + 1
    small = int(group.max(initial=0)) < LARGE // width
    order = np.argsort(group * width + start) if small else np.lexsort((start, group))
    group, start, end, query = group[order], start[order], end[order], query[order]
    number = np.cumsum(np.concatenate(([0], np.diff(group) != 0))) if len(group) else group
    reach = np.maximum.accumulate(end + number * width)
    before = np.concatenate(([0], reach[:-1]))[: len(reach)] - number * width
    fresh = np.maximum(end - np.maximum(start, before), 0)
    return np.bincount(query, weights=fresh, minlength=n_queries).astype(float, copy=False)
