"""Fixed orders: pairs by rank, for judgments that are used again; nothing can be estimated from a part of them."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from assay.arrays import Ints
from assay.judging.design import Design, Draw, Request
from assay.judging.frame import Frame

UNRANKED = np.iinfo(np.int64).max


def depth(frame: Frame, request: Request) -> Draw:
    """Take pairs by their best rank in any system: all first documents, then all second documents, and so on.

    Pairs with the same best rank are in random order.
    """
    best = np.where(frame.rank > 0, frame.rank, UNRANKED).min(axis=1, initial=UNRANKED)
    order = np.lexsort((request.random.permutation(frame.n_pairs), best))
    return _taken(frame, order[: request.pairs])


def _taken(frame: Frame, order: Ints) -> Draw:
    """The pairs that were taken, which is certain; all others cannot be drawn."""
    probability = np.zeros(frame.n_pairs)
    probability[order] = 1.0
    return Draw(probability, order)


DEPTH = Design(
    "depth",
    depth,
    aliases=("depth_pooling", "top"),
    cite="Spärck Jones & van Rijsbergen 1975, Report on the need for and provision of an ideal test collection",
)


def move_to_front(frame: Frame, request: Request) -> Draw:
    """Take the next document of the ranking whose latest documents were relevant, to find many relevant documents.

    It uses the grades that are known already. A document without a grade counts as not relevant, so draw again after some
    judging. Pairs with a grade are not drawn again.
    """
    rank, random = frame.rank, request.random
    lists = [np.flatnonzero(rank[:, system]) for system in range(rank.shape[1])]
    waiting: list[tuple[int, int, float, list[int]]] = []
    for system, rows in enumerate(lists):
        best_first = rows[np.lexsort((rank[rows, system], frame.query[rows]))]
        starts = np.flatnonzero(np.diff(frame.query[best_first], prepend=-1))
        waiting += [
            (0, 0, random.random(), ranking.tolist()) for ranking in np.split(best_first, starts[1:]) if len(ranking)
        ]
    heapify(waiting)
    seen: set[int] = set()
    order: list[int] = []
    while waiting and len(order) < request.pairs:
        misses, place, tie, ranking = heappop(waiting)
        pair = ranking[place]
        grade = request.judged.get(frame.queries[frame.query[pair]], {}).get(frame.documents[pair])
        if pair not in seen and grade is None:
            order.append(pair)
        seen.add(pair)
        if place + 1 < len(ranking):
            heappush(waiting, (0 if grade is not None and grade > 0 else misses + 1, place + 1, tie, ranking))
    return _taken(frame, np.array(order, dtype=np.int64))


MOVE_TO_FRONT = Design(
    "move_to_front",
    move_to_front,
    aliases=("mtf",),
    cite="Cormack, Palmer & Clarke 1998, Efficient Construction of Large Test Collections, SIGIR",
)
