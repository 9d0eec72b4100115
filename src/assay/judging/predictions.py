"""Predictions: the value that each pair of a pool is expected to have, from its probability and the grade by a model.

The probability of a pair in a pool grows with the ranks and the number of the systems that retrieved it, and such pairs are
relevant more often. So it predicts grades without any model. An estimate only uses predictions to reduce noise: if the
judged pairs are a random part of the drawn ones, it has no bias, however wrong they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints

STRENGTH = 4.0
"""How many graded pairs the assumption counts that the probability does not matter."""


class PoolValues(NamedTuple):
    """All pairs of a pool that could be drawn, with the values of their grades, as arrays."""

    query: Ints
    """The place of the query."""
    probability: Floats
    is_judged: Bools
    """Whether the pair was drawn and judged by people."""
    people: Floats
    """v(h): the value of the grade by people at the first rank; any number if it was not judged."""
    model: Floats | None = None
    """v(f): the value of the grade by the model; None without a model."""


class Predictions(NamedTuple):
    """The expected value of each pair of a pool."""

    values: Floats
    weight: float = 0.0
    """λ: how much the grade by the model counts, the mean of both halves; 0 without a model."""


def predict_values(pool: PoolValues, n_queries: int, seed: int = 0, weight: float | None = None) -> Predictions:
    """Predictions m = a + b·log π + λ·v(f), fitted by least squares on the judged pairs.

    Those of each half of the queries are fitted on the other half, so that they do not depend on the grades that they are
    compared with. λ is between 0 and 1; `weight` sets it instead. Without judged pairs in the other half, all are 0.
    """
    is_first = np.zeros(n_queries, dtype=bool)
    is_first[np.random.default_rng(seed).permutation(n_queries)[: n_queries // 2]] = True
    in_first = is_first[pool.query]
    values, weights = np.zeros(len(pool.query)), []
    for half in (in_first, ~in_first):
        fitted = _fit(pool, pool.is_judged & ~half, weight)
        weights.append(fitted.weight)
        values[half] = fitted.values[half]
    return Predictions(values, float(np.mean(weights)))


def _fit(pool: PoolValues, chosen: Bools, weight: float | None) -> Predictions:
    """The predictions for all pairs, fitted on some."""
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return Predictions(np.zeros(len(pool.query)))
    logs = np.log(pool.probability)
    model = pool.model if weight != 0 else None
    lam = 0.0 if model is None else weight
    if model is not None and lam is None:
        columns = np.column_stack([logs[rows], model[rows]])
        lam = float(np.clip(_least_squares(columns, pool.people[rows])[1], 0.0, 1.0))
    offset = np.zeros(len(logs)) if model is None else (lam or 0.0) * model
    (slope,) = _least_squares(logs[rows, np.newaxis], pool.people[rows] - offset[rows])
    level = float(np.mean(pool.people[rows] - offset[rows] - slope * logs[rows]))
    return Predictions(level + slope * logs + offset, lam or 0.0)


def _least_squares(columns: Floats, target: Floats) -> Floats:
    """The slopes of each column, shrunk a little toward 0; 0 for a column without spread."""
    centred = columns - columns.mean(axis=0)
    spread = centred.std(axis=0)
    scaled = centred / np.where(spread > 0, spread, 1.0)
    gram = scaled.T @ scaled + STRENGTH * np.eye(columns.shape[1])
    slopes: Floats = np.linalg.solve(gram, scaled.T @ (target - target.mean())) / np.where(spread > 0, spread, 1.0)
    return slopes
