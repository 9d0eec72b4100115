"""Order: stretches of a flat array, each by value descending, equals by document id descending."""

from __future__ import annotations

from typing import Literal

import numpy as np

from assay.fusion._ids import Ids, settle_ties
from assay.model import Floats, Ints, blocks_of_similar_length, unordered_stretches


def argsort_stretches(values: Floats, start: Ints, length: Ints, *, stable: bool = False) -> Ints:
    """Places of the values, stretch by stretch, highest first. Stretches follow each other and leave nothing out.

    Equals come in any order, unless `stable`: then in the order given.
    """
    places = np.arange(len(values))
    negated = -values
    unordered = unordered_stretches(negated, start, start + length)
    kind: Literal["stable"] | None = "stable" if stable or not np.isfinite(negated).all() else None
    for block in blocks_of_similar_length(length[unordered]):
        rows = unordered[block]
        columns = np.arange(int(length[rows].max()))
        filled = columns < length[rows, np.newaxis]
        at = (start[rows, np.newaxis] + columns)[filled]
        matrix = np.full(filled.shape, np.inf)
        matrix[filled] = negated[at]
        best_first = np.argsort(matrix, axis=1, kind=kind)
        places[at] = (start[rows, np.newaxis] + best_first)[filled]
    return places


def tied_groups(ordered: Floats, start: Ints) -> tuple[Ints, Ints]:
    """From where to where equal values stand next to each other inside a stretch of ordered values."""
    is_equal = np.concatenate(([False], ordered[1:] == ordered[:-1], [False]))
    is_equal[start[start < len(ordered)]] = False
    edges = np.flatnonzero(is_equal[1:] != is_equal[:-1])
    return edges[::2], edges[1::2] + 1


def ranks_of(values: Floats, start: Ints, length: Ints, ids: Ids, of_id: Ints) -> Ints:
    """The rank of each value in its stretch, the best 1. `of_id` tells which of the ids a value belongs to."""
    places = best_first(values, start, length, ids, of_id)
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[places] = np.arange(1, len(values) + 1) - np.repeat(start, length)
    return ranks


def best_first(values: Floats, start: Ints, length: Ints, ids: Ids, of_id: Ints) -> Ints:
    """Places of the values, stretch by stretch, highest first, equals by id descending."""
    places = argsort_stretches(values, start, length)
    firsts, ends = tied_groups(values[places], start)
    if len(firsts):
        settle_ties(places, firsts, ends, ids, of_id)
    return places
