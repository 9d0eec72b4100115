"""Interpolated precision: the best precision at this recall or any higher one."""

from __future__ import annotations

import numpy as np

from assay.model.graded import GradedRun
from assay.model.ordering import Floats, Ints, blocks_of_similar_length


def interpolated_precisions(run: GradedRun, points: tuple[float, ...], rel: float | None) -> Floats:
    """Queries × recall points. A point needs ⌊point · R + 0.9⌋ relevant documents (trec_eval 9); 0 where fewer are found."""
    hits = run.relevant(rel)
    needed = np.floor(np.multiply.outer(run.n_relevant(rel), points) + 0.9).astype(np.int64)
    best = _best_from_here_on(hits.position / hits.rank, hits.count)
    first = np.cumsum(hits.count) - hits.count
    place = first[:, None] + np.maximum(needed, 1) - 1
    found = np.maximum(needed, 1) <= hits.count[:, None]
    result = np.zeros(needed.shape)
    result[found] = best[place[found]]
    return result


def _best_from_here_on(values: Floats, counts: Ints) -> Floats:
    """For each value: the largest of its query from its place to the end."""
    first = np.cumsum(counts) - counts
    result = np.empty(len(values))
    for block in blocks_of_similar_length(counts):
        columns = np.arange(int(counts[block].max()))
        filled = columns < counts[block, None]
        places = (first[block, None] + columns)[filled]
        matrix = np.zeros(filled.shape)
        matrix[filled] = values[places]
        result[places] = np.maximum.accumulate(matrix[:, ::-1], axis=1)[:, ::-1][filled]
    return result
