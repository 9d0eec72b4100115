"""Random draws: every pair has a known probability, so that the values of systems can be estimated without bias."""

from __future__ import annotations

import numpy as np

from assay.errors import BadParameter
from assay.grammar import REQUIRED, Param
from assay.judging.design import (
    DIFFERENCE,
    PAIRS,
    QUERIES,
    Design,
    Draw,
    Request,
    capped_probabilities,
    query_by_query,
    systematic_draw,
)
from assay.judging.frame import Frame


def spread(frame: Frame, request: Request) -> Draw:
    """Draw pairs over all queries, with a probability in proportion to the root of the summed squares of their worths.

    The worth of a pair to a system is its contribution to the metric of the pool. These probabilities make the mean variance
    over the systems smallest (Neyman 1934). A pair that would have a probability above 1 is certain.
    """
    return _by_size(frame, request, np.sqrt(np.square(frame.weight).sum(axis=1)))


def _by_size(frame: Frame, request: Request, size: np.ndarray) -> Draw:
    probability = capped_probabilities(size, request.pairs)
    drawn = systematic_draw(probability, query_by_query(frame, request.random), request.random)
    return Draw(probability, request.random.permutation(np.sort(drawn)))


SPREAD = Design(
    "spread",
    spread,
    unit=PAIRS,
    cite="Neyman 1934, JRSS 97(4); Horvitz & Thompson 1952, JASA 47(260); Madow 1949, Ann. Math. Stat. 20(3)",
)


def difference(frame: Frame, request: Request, a: str, b: str) -> Draw:
    """Draw pairs over all queries, in proportion to how much they can change the difference of two systems.

    Pairs that are worth the same to both systems cannot change it and are never drawn. Only the difference of the two
    systems can be estimated, not their values.
    """
    if a == b:
        raise BadParameter(f"difference needs two systems, as in difference(bm25, dense), not {a} twice")
    gap = np.abs(frame.weight[:, frame.place_of(a)] - frame.weight[:, frame.place_of(b)])
    if not gap.any():
        raise BadParameter(f"{a} and {b} rank the same documents in the same order, so no judgment can tell them apart")
    return _by_size(frame, request, gap)


DIFFERENCE_DESIGN = Design(
    "difference",
    difference,
    params=(
        Param("a", str, REQUIRED, "the first system"),
        Param("b", str, REQUIRED, "the second system"),
    ),
    unit=DIFFERENCE,
    arguments=("a", "b"),
    cite="Horvitz & Thompson 1952, JASA 47(260)",
)


def _count(text: str) -> int:
    if not text.isdecimal() or not text.isascii():
        raise ValueError("a whole number of at least 0")
    return int(text)


def whole(frame: Frame, request: Request, queries: int) -> Draw:
    """Draw whole queries at random, all with the same probability, and all their pairs.

    The number of queries is the number of pairs divided by the mean number of pairs of a query, rounded down, but at least
    one. So the number of pairs can differ a little from the requested one.
    """
    n_all = len(frame.queries)
    n = queries or max(1, int(request.pairs * n_all / max(frame.n_pairs, 1)))
    n = min(n, n_all)
    chosen = np.zeros(n_all, dtype=bool)
    chosen[request.random.permutation(n_all)[:n]] = True
    order = query_by_query(frame, request.random)
    return Draw(np.full(frame.n_pairs, n / max(n_all, 1)), order[chosen[frame.query[order]]])


WHOLE = Design(
    "whole",
    whole,
    params=(Param("queries", _count, 0, "the number of queries; 0: as many as the number of pairs allows"),),
    unit=QUERIES,
    aliases=("whole_queries",),
)
