"""Gaffke's bound: a lower bound for the mean of bounded differences that holds when most of them are zero.

It is a Bayesian bootstrap with one more query, which lost as much as possible: p = P(Σ₀ⁿ Eᵢ·(dᵢ + m) ≤ 0), where d₀ is
the lowest possible difference and the Eᵢ are independent and standard exponential. For losses of 0 or 1 it is the bound of
Clopper and Pearson. That it holds for all distributions is conjectured and widely tested, but not proved (Gaffke 2005;
Learned-Miller & Thomas 2019; Phan, Thomas & Learned-Miller 2021).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.arrays import Floats
from assay.errors import BadParameter
from assay.stats.numeric import ROUNDING, checked_fraction

STEP = 0.08
"""The step of the trapezoidal rule; half of it changes no result by more than 1e-12 of itself."""
NEGLIGIBLE = 1e-17
"""The share of the integrand below which the rest does not count."""
FAR = 30.0
"""So many widths from the saddle point, the many small terms decide in which direction the integrand decays."""
MIN_BEND, MAX_BEND = 0.4, 0.7
"""The sine of the angle of the curve: a straight line oscillates, a strong bend comes too near to the poles."""
NEAR_ENOUGH = 0.05
"""Newton's steps to the saddle point end here: any contour gives the same integral, a near one is smooth enough."""
MAX_STEPS = 500
MAX_POINTS = 48
"""Points of the integral that are computed together."""
CLOSE = 1e-11
"""A bound is found if its p is so near to alpha (in normal units), or if it is known to this share of the range."""
FARTHEST = 40.0
"""The largest distance in standard normal units."""
BLOCK_CELLS = 2_000_000
"""Cells of rows × values that are computed together, so that memory stays small."""


def gaffke_p(differences: ArrayLike, margin: float, lowest: float = -1.0) -> float:
    """The p of a mean of at most −margin, given differences of at least `lowest`; a small p speaks against such a drop.

    If no query changed, it is (1 − margin)ⁿ for a lowest difference of −1. Without queries it is 1.
    """
    values, counts = np.unique(_checked(differences, lowest), return_counts=True)
    return float(gaffke_of_counts(values, counts[np.newaxis, :], margin, lowest)[0])


def gaffke_bound(differences: ArrayLike, alpha: float = 0.025, lowest: float = -1.0) -> float:
    """The largest L with P(Σ₀ⁿ Eᵢ·(dᵢ − L) ≤ 0) ≤ alpha: the mean is below it with a chance of at most alpha.

    Without queries, or if all of them lost everything, it is `lowest`. For an upper bound, negate differences and bound.
    """
    values = _checked(differences, lowest)[:, np.newaxis]
    return float(gaffke_bounds(values, checked_fraction("alpha", alpha), np.array([lowest], dtype=float))[0])


def gaffke_bounds(differences: Floats, alpha: float, lowest: Floats) -> Floats:
    """The bound of each column of queries × columns, all columns at once."""
    from scipy.special import ndtri

    n, n_changed = len(differences), np.count_nonzero(differences, axis=0)
    order = np.argsort(differences == 0, axis=0, kind="stable")[: n_changed.max(initial=0)]
    changed = np.sort(np.take_along_axis(differences, order, axis=0).T, axis=1)  # sorted: sums do not depend on the order
    terms = np.column_stack([changed, np.zeros(len(changed)), lowest])
    weights = np.column_stack([changed != 0, n - n_changed, np.ones(len(changed))]).astype(float)
    goal = float(ndtri(alpha))

    def distance(bound: Floats) -> Floats:
        p = chance_of_at_most_zero(terms - bound[:, np.newaxis], weights)
        return np.asarray(np.clip(ndtri(p), -FARTHEST, FARTHEST) - goal)

    highest = differences.max(axis=0) if n else lowest
    return np.where(highest <= lowest, lowest, _rising_roots(distance, lowest, np.maximum(highest, lowest)))


def gaffke_of_counts(values: Floats, counts: NDArray[Any], margin: float, lowest: float = -1.0) -> Floats:
    """The p of each row of `counts`: how many queries have each of the values. One row is one experiment.

    The values are the same for all rows, or each row has its own.
    """
    weights = np.asarray(counts, dtype=float)
    terms = np.broadcast_to(np.asarray(values, dtype=float), weights.shape)
    unseen = np.full((len(weights), 1), lowest)
    return chance_of_at_most_zero(np.hstack([terms, unseen]) + margin, np.hstack([weights, np.ones_like(unseen)]))


def chance_of_at_most_zero(terms: Floats, weights: Floats) -> Floats:
    """For each row: P(Σ Gᵢ·cᵢ ≤ 0), where Gᵢ is the sum of `weight` independent standard exponential variables."""
    rises, falls = ((weights > 0) & (terms > 0)).any(axis=1), ((weights > 0) & (terms < 0)).any(axis=1)
    p = np.where(rises, 0.0, 1.0)
    rows = np.flatnonzero(rises & falls)
    size = max(1, BLOCK_CELLS // max(1, terms.shape[1]))
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        p[part] = _saddle_integral(terms[part], weights[part])
    return p


def _saddle_integral(terms: Floats, weights: Floats) -> Floats:
    """The inversion of the moment generating function along a curve through its saddle point, so that tiny p are exact too.

    p = (1/2πi)·∫ Π(1 − s·cᵢ)^(−wᵢ)/(−s) ds along the hyperbola s = −x + τ·z, z = i·sinh v·cos θ − (cosh v − 1)·sin θ.
    Its bend follows the path on which the integrand does not turn; the trapezoidal rule in v then converges fast.
    """
    terms = -terms / np.where(weights > 0, terms, 0.0).min(axis=1, keepdims=True)
    x = _saddle_point(terms, weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        stretched = np.where(weights > 0, terms / (1 + x * terms), 0.0)
        height = -(np.where(weights > 0, np.log1p(x * terms), 0.0) * weights).sum(axis=1) - np.log(x[:, 0])
    rates, powers = np.hstack([stretched, 1 / x]), np.hstack([weights, np.ones_like(x)])
    width = 1 / np.sqrt((powers * rates**2).sum(axis=1, keepdims=True))
    rates = rates * width
    bend = np.arcsin(_bend(rates, powers))
    is_single = (powers <= 1).all(axis=0)
    single, (many, times) = np.where(powers > 0, rates, 0.0)[:, is_single], (rates[:, ~is_single], powers[:, ~is_single])
    turn, slide = np.cos(bend)[:, np.newaxis], np.sin(bend)[:, np.newaxis]
    total = 0.5 * np.cos(bend)
    n_together = max(1, min(MAX_POINTS, BLOCK_CELLS // rates.size))
    for start in itertools.count(1, n_together):
        v = STEP * np.arange(start, start + n_together)
        z = 1j * np.sinh(v) * turn - (np.cosh(v) - 1) * slide
        with np.errstate(over="ignore", invalid="ignore"):  # a product that is too large leaves nothing of the integrand
            far = np.multiply.reduce(1 - z[:, :, np.newaxis] * single[:, np.newaxis, :], axis=2)
            near = (times[:, np.newaxis, :] * np.log(1 - z[:, :, np.newaxis] * many[:, np.newaxis, :])).sum(axis=2)
            part = (1j * np.cosh(v) * turn - np.sinh(v) * slide) * np.exp(-near) / far
        part[~np.isfinite(part)] = 0.0
        total += part.imag.sum(axis=1)
        if np.abs(part[:, -1]).max() < NEGLIGIBLE:
            break
    return np.asarray(np.clip(np.exp(height) * width[:, 0] * total * STEP / np.pi, 0.0, 1.0))


def _bend(rates: Floats, powers: Floats) -> Floats:
    """The sine of the angle of the curve: far out toward decay, near the saddle point like the path of steepest descent."""
    far_out = np.sign((powers * rates / (1 + FAR**2 * rates**2)).sum(axis=1))
    steepest = -2 / 3 * (powers * rates**3).sum(axis=1)
    return np.asarray(far_out * np.clip(far_out * steepest, MIN_BEND, MAX_BEND))


def _saddle_point(terms: Floats, weights: Floats) -> Floats:
    """For each row: near the lowest point of −Σ wᵢ·log(1 + x·cᵢ) − log x for 0 < x < 1; the smallest term is −1.

    The function is self-concordant, so Newton's method with damped steps never leaves its domain.
    """
    spread = np.sqrt((weights * terms**2).sum(axis=1, keepdims=True))
    fall = np.maximum(-(weights * terms).sum(axis=1, keepdims=True), 0.0)
    x = np.minimum(0.5, 1 / np.maximum(spread, fall))  # near the lowest point even for millions of queries
    for _ in range(MAX_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            rates = np.where(weights > 0, terms / (1 + x * terms), 0.0)
        slope = -(weights * rates).sum(axis=1, keepdims=True) - 1 / x
        curve = np.sqrt((weights * rates**2).sum(axis=1, keepdims=True) + 1 / x**2)
        step = np.abs(slope) / curve
        if step.max() < NEAR_ENOUGH:
            break
        x = x - slope / curve**2 / (1 + step)
    return x


def _rising_roots(function: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Where rising functions cross zero, by false position; an end that stays twice gets half its weight (Illinois)."""
    tolerance = CLOSE * np.maximum(high - low, np.finfo(float).tiny)
    at_low, at_high, side = np.full(len(low), -FARTHEST), np.full(len(low), FARTHEST), np.zeros(len(low))
    place = (low + high) / 2
    for _ in range(MAX_STEPS):
        value = function(place)
        is_below = value < 0
        at_high = np.where(is_below, np.where(side < 0, at_high / 2, at_high), value)
        at_low = np.where(is_below, value, np.where(side > 0, at_low / 2, at_low))
        low, high = np.where(is_below, place, low), np.where(is_below, high, place)
        side = np.where(is_below, -1, 1)
        if ((high - low <= tolerance) | (np.abs(value) < CLOSE)).all():
            break
        with np.errstate(invalid="ignore"):
            place = np.clip((low * at_high - high * at_low) / (at_high - at_low), low, high)
    return np.asarray(place)


def _checked(differences: ArrayLike, lowest: float) -> Floats:
    """The differences as numbers. Those that are only rounding are 0; those below the lowest are an error."""
    values = np.asarray(differences, dtype=float).ravel()
    if not math.isfinite(lowest) or not np.isfinite(values).all():
        raise BadParameter("Gaffke's bound needs finite differences and a finite lowest difference")
    rounding = ROUNDING * max(1.0, abs(lowest))
    if len(values) and values.min() < lowest - rounding:
        raise BadParameter(f"the lowest possible difference is {lowest:g}, but a difference is {values.min():g}")
    return np.where(np.abs(values) <= rounding, 0.0, np.maximum(values, lowest))
