"""Sums: what the occurrences of each document add up to, in whatever order the runs come."""

from __future__ import annotations

import numpy as np

from assay.model import Floats, Ints

FEW = 3
"""Terms from which on the order of adding may change the last digit."""


def sums(pair: Ints, values: Floats, n_pairs: int, n_terms: int) -> Floats:
    """The sum of the values of each pair, which has at most n_terms of them.

    Documents with the same values at other runs must tie, so three and more values are added without rounding: each is cut
    into a high and a low part of so few digits that sums of either are exact (Rump, Ogita & Oishi 2008, Accurate
    Floating-Point Summation, SIAM J. Sci. Comput. 31). What is below both, 10⁻³¹ of the largest value, is added as it comes.
    """
    largest = float(np.abs(values).max(initial=0.0))
    if n_terms < FEW or not 0 < largest < 1e290:
        return _plain(pair, values, n_pairs)
    unit = 2.0 ** (np.frexp(largest)[1] + n_terms.bit_length() + 1)
    high, rest = _cut(values, unit)
    low, rest = _cut(rest, unit * 2.0 ** (n_terms.bit_length() - 51))
    total = _plain(pair, high, n_pairs) + _plain(pair, low, n_pairs)
    return total + _plain(pair, rest, n_pairs) if rest.any() else total


def _plain(pair: Ints, values: Floats, n_pairs: int) -> Floats:
    return np.bincount(pair, values, n_pairs).astype(np.float64, copy=False)


def _cut(values: Floats, unit: float) -> tuple[Floats, Floats]:
    """The part of each value that the unit leaves room for, and the rest."""
    high = (values + unit) - unit
    return high, values - high
