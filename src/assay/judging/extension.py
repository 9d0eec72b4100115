"""Extension: more pairs for a pool that was drawn, so that all its grades count in the larger pool too.

A pair that was drawn with the probability π stays. Each other pair is drawn now with the probability (π' − π) ÷ (1 − π), so
it is in the larger pool with the probability π', as if that pool had been drawn at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import BadParameter, UsageError
from assay.judging.design import QUERIES, ROUNDING, Draw, query_by_query, systematic_draw
from assay.judging.frame import Frame

if TYPE_CHECKING:
    from assay.judging.pools import Pool

CHANGED = (
    "the pool {id} was drawn from other systems or rankings, so it cannot be extended. Name the results that it was drawn "
    "from, or draw a new pool"
)


def extension_seed(pool: Pool) -> tuple[int, ...]:
    """The seed of an extension: random numbers that do not depend on those of the pool."""
    return (pool.seed, 1 + len(pool.extends), len(pool.drawn))


def check_extensible(pool: Pool, pairs: int) -> None:
    """Raise if a pool was not drawn at random, or already has so many pairs."""
    if not pool.design.unit:
        raise UsageError(f"a pool of {pool.how} cannot be extended, because its pairs were not drawn at random")
    if pairs <= len(pool.drawn):
        raise BadParameter(
            f"an extended pool needs more pairs than it has: pairs must be above {len(pool.drawn):,}, not {pairs:,}"
        )


def extend_draw(frame: Frame, pool: Pool, draw: Draw, random: np.random.Generator) -> Draw:
    """The drawn pairs of a pool, and more pairs, so that each pair is drawn with its probability in a larger draw."""
    ids = [(frame.queries[query], document) for query, document in zip(frame.query, frame.documents, strict=True)]
    able = np.flatnonzero(draw.probability > 0)
    same = frame.systems == pool.systems and frame.queries == pool.queries and len(able) == len(pool.pairs)
    if not same or any(ids[row] not in pool.by_pair for row in able):
        raise UsageError(CHANGED.format(id=pool.id))
    before, drawn = np.zeros(frame.n_pairs), np.zeros(frame.n_pairs, dtype=bool)
    before[able] = [pool.by_pair[ids[row]].probability for row in able]
    drawn[able] = [pool.by_pair[ids[row]].place is not None for row in able]
    if (draw.probability < before - ROUNDING).any():
        raise UsageError(CHANGED.format(id=pool.id))
    if pool.unit == QUERIES:
        return Draw(draw.probability, _more_queries(frame, before, draw.probability, drawn, random))
    chance = _conditional(before, draw.probability, drawn)
    more = systematic_draw(chance, query_by_query(frame, random), random)
    return Draw(draw.probability, random.permutation(np.union1d(np.flatnonzero(drawn), more)))


def _conditional(before: Floats, after: Floats, drawn: np.ndarray) -> Floats:
    """The probability with which what was not drawn is drawn now."""
    left = 1.0 - before
    return np.where(drawn | (left <= 0), 0.0, np.clip((after - before) / np.where(left > 0, left, 1.0), 0.0, 1.0))


def _more_queries(frame: Frame, before: Floats, after: Floats, drawn: np.ndarray, random: np.random.Generator) -> Ints:
    """All pairs of the queries that were drawn and of those that are drawn now, query by query.

    A pool does not say which of its queries without pairs were drawn, so these are drawn again.
    """
    n = len(frame.queries)
    n_before, n_now = round(float(before.max()) * n), round(float(after.max()) * n)
    chosen, is_empty = np.zeros(n, dtype=bool), np.ones(n, dtype=bool)
    chosen[frame.query[drawn]], is_empty[frame.query] = True, False
    chosen[random.permutation(np.flatnonzero(is_empty))[: n_before - chosen.sum()]] = True
    chosen[random.permutation(np.flatnonzero(~chosen))[: n_now - chosen.sum()]] = True
    order = query_by_query(frame, random)
    return order[chosen[frame.query[order]]]
