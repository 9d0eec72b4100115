"""How far apart the largest and smallest of k equal means come to lie by chance: the studentised range."""

from __future__ import annotations

import numpy as np

from assay.model import Floats

_Z = np.arange(-8.5, 8.75, 0.125)
"""Where the normal curve is looked at: the trapezoidal rule is exact to rounding there."""
_BLOCK_CELLS = 1_000_000
"""Points of both sums looked at together, so that memory stays small."""


def chance_of_range(q: Floats, k: int, df: float = np.inf) -> Floats:
    """Chance of a range of at least q standard errors among k equal means; df is that of the standard error.

    Two trapezoidal sums over smooth curves, right to about 10^-13; `inf` degrees of freedom mean a known error.
    """
    flat, place = np.unique(np.asarray(q, dtype=float), return_inverse=True)  # a table of pairs holds each twice
    scale, weight = _spread_of_errors(df)
    p = np.empty(len(flat))
    step = max(1, _BLOCK_CELLS // (len(scale) * len(_Z)))
    for start in range(0, len(flat), step):
        part = slice(start, start + step)
        p[part] = (_beyond(flat[part, None] * scale, k) * weight).sum(axis=1)
    return np.where(flat <= 0, 1.0, np.clip(p, 0.0, 1.0))[place].reshape(np.shape(q))


def _beyond(width: Floats, k: int) -> Floats:
    """Chance that k standard normal values span more than each width."""
    from scipy.special import ndtr

    curve = np.exp(-(_Z**2) / 2) / np.sqrt(2 * np.pi) * (_Z[1] - _Z[0])
    inside = ndtr(_Z) - ndtr(_Z - width[..., None])
    return 1.0 - k * (inside ** (k - 1) * curve).sum(axis=-1)


def _spread_of_errors(df: float) -> tuple[Floats, Floats]:
    """Values that an estimated standard error takes as a share of the true one, and how likely each is."""
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    low, high = -(6 / np.sqrt(df) + 40 / df), np.log1p(6 / np.sqrt(df))
    step = min(0.5 / np.sqrt(df), 0.05)
    log_scale = np.arange(low, high + step, step)
    likely = np.exp(df * (log_scale - np.expm1(2 * log_scale) / 2))
    return np.exp(log_scale), likely / likely.sum()
