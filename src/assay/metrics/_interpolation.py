"""Interpolated precision: the best precision at this recall or any higher one."""

from __future__ import annotations

import numpy as np

from assay.grammar import Param, one_of
from assay.model import Floats, GradedRun, best_to_come

ROUNDING = Param(
    "rounding",
    one_of("up", "nearest"),
    "up",
    "relevant documents that recall x takes; up: ⌊x · R + 0.9⌋ (trec_eval 9), nearest: ⌊x · R + 0.5⌋ (trec_eval 10)",
)
_ADDED = {"up": 0.9, "nearest": 0.5}


def interpolated_precisions(run: GradedRun, points: tuple[float, ...], rel: float | None, rounding: str) -> Floats:
    """Queries × recall points; 0 where fewer documents are found than a point needs."""
    hits = run.relevant(rel)
    needed = np.floor(np.multiply.outer(run.n_relevant(rel), points) + _ADDED[rounding]).astype(np.int64)
    best = best_to_come(hits.position / hits.rank, hits.query, hits.n_queries)
    place = hits.first[:, None] + np.maximum(needed, 1) - 1
    found = np.maximum(needed, 1) <= hits.count[:, None]
    result = np.zeros(needed.shape)
    result[found] = best[place[found]]
    return result
