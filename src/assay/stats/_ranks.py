"""Ranks with ties: equal values share the mean of their places."""

from __future__ import annotations

import numpy as np

from assay.model import Floats, Ints


def shared_ranks(rows: Floats, rounding: Floats) -> Floats:
    """Ranks 1, 2, 3, … along each row, smallest first. Neighbours no further apart than the row's rounding are equal."""
    n_rows, n = rows.shape
    order = np.argsort(rows, axis=1, kind="stable")
    ordered = np.take_along_axis(rows, order, axis=1)
    starts = np.ones(rows.shape, dtype=bool)
    np.greater(np.diff(ordered, axis=1), rounding[:, None], out=starts[:, 1:])
    group = np.cumsum(starts.ravel()) - 1
    size = np.bincount(group, minlength=1)
    first = np.flatnonzero(starts.ravel()) % max(n, 1)
    shared = first + (size + 1) / 2 if n_rows * n else np.zeros(1)
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, shared[group].reshape(rows.shape), axis=1)
    return ranks


def group_sizes(values: Floats, rounding: float) -> Ints:
    """How many values are equal to each other, group by group."""
    starts = np.flatnonzero(np.diff(np.sort(values)) > rounding) + 1
    return np.diff(np.concatenate(([0], starts, [len(values)])))
