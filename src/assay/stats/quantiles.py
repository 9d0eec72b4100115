"""Student's distribution function, and quantiles of it and of the normal distribution, without SciPy.

The import of SciPy takes longer than most commands. Quantiles are roots of the distribution function, found by Newton's
method. The incomplete beta function is a continued fraction (DLMF 8.17.22). For many degrees of freedom, Student's quantile
is a series around the normal one (Abramowitz and Stegun 26.7.5).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from assay.arrays import Floats

MAX_STEPS = 100
PRECISION = 4e-16
TINY = 1e-300
MOST_TERMS = 100_000
MANY = 1000.0
"""From so many degrees of freedom on, the series is exact to the last digits."""


def normal_quantile(p: float) -> float:
    """The value that a standard normal variable is below with probability p."""
    if not 0 < p < 1:
        return math.nan if p < 0 or p > 1 or p != p else math.copysign(math.inf, p - 0.5)
    tail = min(p, 1 - p)
    t = math.sqrt(-2 * math.log(tail))
    start = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    upper = _root(start, lambda x: math.erfc(x / math.sqrt(2)) / 2, _normal_density, tail)
    return upper if p > 0.5 else -upper


def student_quantile(p: float, df: float) -> float:
    """The value that Student's t with these degrees of freedom is below with probability p."""
    if not (df > 0 and 0 < p < 1):
        is_known = df > 0 and p in (0, 1)
        return math.copysign(math.inf, p - 0.5) if is_known else math.nan
    if p == 0.5:
        return 0.0
    tail = min(p, 1 - p)
    z = -normal_quantile(tail)
    start = _expanded(z, df)
    if df >= MANY:
        upper = start
    else:
        log_scale = _log_gamma_ratio(df / 2) - math.log(df * math.pi) / 2
        upper = _root(max(start, z), lambda t: _student_tail(t, df), lambda t: _student_density(t, df, log_scale), tail)
    return upper if p > 0.5 else -upper


def student_chance(t: Floats, df: float) -> Floats:
    """The probabilities that Student's t with these degrees of freedom is below each value. Other values change no bit."""
    square = np.square(np.where(np.isinf(t), 0.0, t))
    a, x, rest = df / 2, df / (df + square), square / (df + square)
    front = np.exp(-a * np.log1p(square / df) + _log_gamma_ratio(a)) * np.sqrt(rest / math.pi)
    is_far = x < (a + 1) / (a + 2.5)
    tail = np.full(np.shape(t), 0.5)
    tail[is_far] = front[is_far] / (a * _fractions(a, 0.5, x[is_far])) / 2
    tail[~is_far] -= front[~is_far] / _fractions(0.5, a, rest[~is_far])
    tail[np.isinf(t)] = 0.0
    return np.where(np.isnan(t), np.nan, np.where(t > 0, 1.0 - tail, tail))


def _fractions(a: float, b: float, x: Floats) -> Floats:
    """The same as `_fraction` for several x. A value stays as it is after its own last step."""
    values, c, d = np.ones_like(x), np.ones_like(x), np.zeros_like(x)
    left = np.arange(len(x))
    for n in range(1, MOST_TERMS):
        if not len(left):
            break
        term = _coefficient(a, b, n) * x[left]
        d = 1 / _not_zero(1 + term * d)
        c = _not_zero(1 + term / c)
        step = c * d
        values[left] *= step
        goes_on = np.abs(step - 1) >= PRECISION / 4
        left, c, d = left[goes_on], c[goes_on], d[goes_on]
    return values


def _not_zero(values: Floats) -> Floats:
    return np.where(values == 0, TINY, values)


def _coefficient(a: float, b: float, n: int) -> float:
    """The n-th coefficient of the continued fraction."""
    m = n // 2
    if n % 2:
        return -(a + m) * (a + b + m) / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) / ((a + 2 * m - 1) * (a + 2 * m))


def _root(start: float, tail_of: Callable[[float], float], density: Callable[[float], float], tail: float) -> float:
    """The x whose upper tail is `tail`: Newton's method on the logarithm of the tail, which is concave."""
    x = start
    for _ in range(MAX_STEPS):
        now = tail_of(x)
        step = now / density(x) * math.log(now / tail) if now > 0 else -x / 2
        x += step
        if abs(step) <= PRECISION * abs(x):
            break
    return x


def _normal_density(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _student_density(t: float, df: float, log_scale: float) -> float:
    return math.exp(log_scale - (df + 1) / 2 * math.log1p(t * t / df))


def _student_tail(t: float, df: float) -> float:
    """The probability of a value above t ≥ 0."""
    if not t:
        return 0.5
    a, x, rest = df / 2, df / (df + t * t), t * t / (df + t * t)
    front = math.exp(-a * math.log1p(t * t / df) + _log_gamma_ratio(a)) * math.sqrt(rest / math.pi)
    if x < (a + 1) / (a + 2.5):
        return front / (a * _fraction(a, 0.5, x)) / 2
    return 0.5 - front / _fraction(0.5, a, rest)


def _log_gamma_ratio(a: float) -> float:
    """The difference log Γ(a + ½) − log Γ(a); by a series for large a, where two large numbers would cancel."""
    if a < 20:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    u = 1 / (a * a)
    return math.log(a) / 2 - (1 / 8 - u * (1 / 192 - u * (1 / 640 - u * 17 / 14336))) / a


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction 1 + d₁x/(1 + d₂x/(1 + …)), by Lentz's method."""
    value, c, d = 1.0, 1.0, 0.0
    for n in range(1, MOST_TERMS):
        term = _coefficient(a, b, n) * x
        d = 1 / (1 + term * d or TINY)
        c = 1 + term / c or TINY
        value *= c * d
        if abs(c * d - 1) < PRECISION / 4:
            break
    return value


def _expanded(z: float, df: float) -> float:
    """Student's quantile as a series in 1/df around the normal quantile z."""
    s = z * z
    terms = (
        z * (s + 1) / 4,
        z * (s * (5 * s + 16) + 3) / 96,
        z * (s * (s * (3 * s + 19) + 17) - 15) / 384,
        z * (s * (s * (s * (79 * s + 776) + 1482) - 1920) - 945) / 92160,
        z * (s * (s * (s * (s * (27 * s + 339) + 930) - 1782) - 765) + 17955) / 368640,
    )
    total = 0.0
    for term in reversed(terms):
        total = (total + term) / df
    return z + total
