"""C/W/L user models: the gain per inspected document, given how likely a user goes on after each rank.

Moffat, Bailey, Scholer & Thomas 2017: the weight of rank i is proportional to the product of the chances to
continue past ranks 1 … i − 1, and the score is the weighted mean of the gains.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.model import BLOCK_CELLS, Floats, GradedRun

Continuation = Callable[[Floats, Floats], Floats]
"""(rank, gain at that rank), both queries × depth → the chance to go on to the next rank."""


def expected_gain(run: GradedRun, gain: Floats, continuation: Continuation, depth: int) -> Floats:
    """Expected gain per inspected document over the first `depth` ranks. Ranks with no judged document gain nothing."""
    hits = run.retrieved
    inside = hits.rank <= depth
    query, column, worth = hits.query[inside], hits.rank[inside] - 1, gain[inside]
    rank = np.arange(1.0, depth + 1.0)
    result = np.zeros(run.n_queries)
    step = max(1, BLOCK_CELLS // depth)
    for start in range(0, run.n_queries, step):
        rows = slice(*np.searchsorted(query, (start, start + step)))
        block = np.zeros((min(step, run.n_queries - start), depth))
        block[query[rows] - start, column[rows]] = worth[rows]
        reach = np.ones_like(block)
        np.cumprod(continuation(rank, block)[:, :-1], axis=1, out=reach[:, 1:])
        result[start : start + step] = (reach * block).sum(axis=1) / reach.sum(axis=1)
    return result
