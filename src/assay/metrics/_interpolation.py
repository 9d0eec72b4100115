"""Interpolated precision: the best precision at this recall or any higher one."""

from __future__ import annotations

import numpy as np

from assay.model.graded import GradedRun
from assay.model.ordering import Floats, best_to_come


def interpolated_precisions(run: GradedRun, points: tuple[float, ...], rel: float | None) -> Floats:
    """Queries × recall points. A point needs ⌊point · R + 0.9⌋ relevant documents (trec_eval 9); 0 where fewer are found."""
    hits = run.relevant(rel)
    needed = np.floor(np.multiply.outer(run.n_relevant(rel), points) + 0.9).astype(np.int64)
    best = best_to_come(hits.position / hits.rank, hits.query, hits.n_queries)
    place = hits.first[:, None] + np.maximum(needed, 1) - 1
    found = np.maximum(needed, 1) <= hits.count[:, None]
    result = np.zeros(needed.shape)
    result[found] = best[place[found]]
    return result
