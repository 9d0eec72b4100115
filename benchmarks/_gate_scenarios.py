"""Scenarios of two systems on the same queries, and the two tests of the gate on many of them at once.

Every query has one relevant document. A share ρ of the queries has the same ranking in both systems; on the others the new
system draws a ranking of its own, as good on average. Then queries lose their document, until the true drop is as asked.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats import gaffke_of_counts, sign_flip_p

Floats = NDArray[np.float64]
SHAPES = ("reciprocal rank", "hit", "continuous", "whole queries lost", "jitter, rare losses")
EQUAL_SHAPES = SHAPES[:3]
"""Shapes in which equal systems differ at all."""
RANKS, LIKELY = 1 / np.arange(1, 11), np.full(10, 0.1)
"""The relevant document is on any of the first ten ranks, with equal probability."""
HITS, HIT_RATE = np.array([1.0, 0.0]), np.array([0.7, 0.3])


@dataclass(frozen=True)
class Experiments:
    """Many experiments: each row has n differences (now minus before) by value and count; counts of 0 are padding."""

    values: Floats
    counts: Floats
    n: int

    @property
    def mean(self) -> Floats:
        return (self.values * self.counts).sum(axis=1) / self.n

    def row(self, place: int) -> Floats:
        values = np.broadcast_to(self.values, self.counts.shape)[place]
        return np.repeat(values, self.counts[place].astype(int))

    def gaffke(self, margin: float) -> Floats:
        """The p of `gaffke_p` for each row."""
        return gaffke_of_counts(self.values, self.counts, margin)

    def is_shown_worse(self, alpha: float = 0.025) -> NDArray[np.bool_]:
        """Whether `sign_flip_p(row, "less")` is at most alpha; it is called only if a quick estimate of p is near alpha."""
        total = (self.values * self.counts).sum(axis=1)
        squares = (self.values**2 * self.counts).sum(axis=1)
        fourth = (self.values**4 * self.counts).sum(axis=1)
        n_changed = np.where(self.values != 0, self.counts, 0.0).sum(axis=1)
        p = quick_sign_flip_p(total, squares, fourth)
        is_worse = p <= alpha
        band = NEAR if alpha >= ROUGH else 8.0
        near = (p >= alpha / band) & (p <= alpha * band) | (n_changed < FEW_CHANGED) & (p < 0.2)
        near &= 0.5**n_changed <= alpha
        for place in np.flatnonzero(near).tolist():
            is_worse[place] = sign_flip_p(self.row(place), "less") <= alpha
        return np.asarray(is_worse & (0.5**n_changed <= alpha), dtype=bool)


FEW_CHANGED, ROUGH, NEAR = 25, 0.01, 1.5
"""With at least so many changed queries, and p of at least this, the estimate of p is off by less than this factor."""


def quick_sign_flip_p(total: Floats, squares: Floats, fourth: Floats) -> Floats:
    """The normal curve with a correction for the fourth moment: the one-sided p of the randomisation test, roughly."""
    from scipy.special import ndtr

    t = np.divide(-total, np.sqrt(squares), out=np.zeros_like(total), where=squares > 0)
    excess = -2 * np.divide(fourth, squares**2, out=np.zeros_like(total), where=squares > 0)
    curve = np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi)
    return np.where(squares > 0, np.clip(ndtr(-t) + curve * excess / 24 * (t**3 - 3 * t), 1e-12, 1.0), 1.0)


def draw(shape: str, share: float, drop: float, n: int, repeats: int, seed: int) -> Experiments:
    """Experiments with this share of identical queries and this true drop of the mean."""
    rng = np.random.default_rng([SHAPES.index(shape), round(1000 * share), round(1000 * drop), n, seed])
    if shape in ("reciprocal rank", "hit"):
        scores, likely = (RANKS, LIKELY) if shape == "reciprocal rank" else (HITS, HIT_RATE)
        return _discrete(scores, likely, share, drop, n, repeats, rng)
    if shape == "whole queries lost":
        lost = rng.binomial(n, drop, repeats)
        return Experiments(np.array([-1.0, 0.0]), np.column_stack([lost, n - lost]).astype(float), n)
    if shape == "continuous":
        return _continuous(share, drop, n, repeats, rng)
    differences = np.where(rng.random((repeats, n)) < drop, -1.0, rng.normal(0, 0.003, (repeats, n)))
    return _packed(differences)


def _discrete(
    scores: Floats, likely: Floats, share: float, drop: float, n: int, repeats: int, rng: np.random.Generator
) -> Experiments:
    """The joint distribution of both scores is known, so the number of queries of each difference is multinomial."""
    joint = share * np.diag(likely) + (1 - share) * np.outer(likely, likely)
    lost = drop / float(likely @ scores)
    joint = np.column_stack([(1 - lost) * joint, lost * likely])
    differences = np.round(np.append(scores, 0.0)[np.newaxis, :] - scores[:, np.newaxis], 12)
    values, cell = np.unique(differences, return_inverse=True)
    chances = np.bincount(cell.ravel(), weights=joint.ravel(), minlength=len(values))
    return Experiments(values, rng.multinomial(n, chances / chances.sum(), repeats).astype(float), n)


def _continuous(share: float, drop: float, n: int, repeats: int, rng: np.random.Generator) -> Experiments:
    """Scores from a beta distribution with mean 2/3; lost queries lose a random part of their score."""
    before = rng.beta(2, 1, (repeats, n))
    now = np.where(rng.random((repeats, n)) < share, before, rng.beta(2, 1, (repeats, n)))
    is_lost = rng.random((repeats, n)) < 3 * drop
    return _packed(np.where(is_lost, now * rng.random((repeats, n)), now) - before)


def _packed(differences: Floats) -> Experiments:
    """The changed queries of each row, and its zeros as one value, so that mostly equal systems are cheap."""
    n = differences.shape[1]
    order = np.argsort(differences == 0, axis=1, kind="stable")
    n_changed = (differences != 0).sum(axis=1)
    most = int(n_changed.max())
    changed = np.take_along_axis(differences, order[:, :most], axis=1)
    counts = (np.arange(most) < n_changed[:, np.newaxis]).astype(float)
    zeros = np.zeros((len(differences), 1))
    values = np.hstack([np.where(counts > 0, changed, 0.0), zeros])
    return Experiments(values, np.hstack([counts, (n - n_changed)[:, np.newaxis]]), n)
