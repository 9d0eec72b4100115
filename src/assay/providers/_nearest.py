"""The nearest of many vectors, and the best of many scores: exact, in bounded memory, ties decided by place."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Vectors: TypeAlias = npt.NDArray[np.float32]
Scores: TypeAlias = npt.NDArray[np.float32]
Rows: TypeAlias = npt.NDArray[np.int64]

QUERIES, DOCUMENTS, PAIRS = 128, 32768, 512
"""Sizes of the blocks: 16 MB of scores at once, 1 MB of pairs of vectors (256 dimensions)."""
CROWDED = 4
"""A block with more candidates for a query than that many times k is thinned out before they are looked at."""


def best_of(rows: npt.NDArray[np.integer], scores: Scores, k: int) -> tuple[npt.NDArray[np.integer], Scores]:
    """The k rows with the highest scores, best first; of equal scores the lower row first."""
    if len(scores) > k:
        at_least = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        rows, scores = rows[at_least], scores[at_least]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


def top_k(queries: Vectors, documents: Vectors, k: int) -> tuple[Rows, Scores]:
    """For each query the k documents with the largest dot product, best first; of equal ones the lower row first.

    A float32 matrix product finds the candidates. Its last bits depend on blocks, threads and company, so each
    candidate is scored again by itself in float64: the answer depends on the vectors alone.
    """
    k = min(k, len(documents))
    rows, scores = np.zeros((len(queries), k), np.int64), np.zeros((len(queries), k), np.float32)
    if k == 0:
        return rows, scores
    longest = max(float(_lengths(documents[at : at + DOCUMENTS]).max()) for at in range(0, len(documents), DOCUMENTS))
    for start in range(0, len(queries), QUERIES):
        block = slice(start, start + QUERIES)
        rows[block], scores[block] = _top_k_of_block(queries[block], documents, k, longest)
    return rows, scores


def _top_k_of_block(queries: Vectors, documents: Vectors, k: int, longest: float) -> tuple[Rows, Scores]:
    """A few queries against all documents, a block of them at a time; after each block k pairs per query are kept."""
    slack = (queries.shape[1] * 2.0**-23 * longest * _lengths(queries)).astype(np.float32)
    floor = np.full(len(queries), -np.inf, np.float32)
    who, row, score = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.float32)
    for start in range(0, len(documents), DOCUMENTS):
        new_who, new_row = _candidates(queries @ documents[start : start + DOCUMENTS].T, floor - slack, slack, k)
        new_row += start
        score = np.concatenate((score, _dot_products(queries, documents, new_who, new_row)))
        who, row = np.concatenate((who, new_who)), np.concatenate((row, new_row))
        order = np.lexsort((row, -score, who))
        first = np.searchsorted(who[order], np.arange(len(queries)))
        order = order[np.arange(len(order)) - first[who[order]] < k]
        who, row, score = who[order], row[order], score[order]
        last = np.searchsorted(who, np.arange(len(queries))) + k - 1
        if len(who) == len(queries) * k:
            floor = score[last]
    return row.reshape(-1, k), score.reshape(-1, k)


def _candidates(scores: Scores, floor: Scores, slack: Scores, k: int) -> tuple[Rows, Rows]:
    """Which (query, document) pairs may be among the k best: `slack` is how far a score can be off."""
    above = scores >= floor[:, None]
    if scores.shape[1] > CROWDED * k:
        crowded = np.flatnonzero(np.count_nonzero(above, axis=1) > CROWDED * k)
        if len(crowded):
            some = scores[crowded]
            kth = np.partition(some, some.shape[1] - k, axis=1)[:, some.shape[1] - k]
            above[crowded] = some >= np.maximum(kth - 2 * slack[crowded], floor[crowded])[:, None]
    who, row = np.nonzero(above)
    return who.astype(np.int64, copy=False), row.astype(np.int64, copy=False)


def _dot_products(queries: Vectors, documents: Vectors, who: Rows, row: Rows) -> Scores:
    """The dot product of each pair by itself, in float64, rounded once."""
    products = np.empty(len(who), np.float32)
    wide = queries.astype(np.float64)
    for start in range(0, len(who), PAIRS):
        some = slice(start, start + PAIRS)
        products[some] = np.vecdot(wide[who[some]], documents[row[some]].astype(np.float64))
    return products


def _lengths(vectors: Vectors) -> npt.NDArray[np.float64]:
    return np.sqrt(np.vecdot(vectors, vectors).astype(np.float64))
