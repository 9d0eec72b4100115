"""Jackknife: the precision of values that all result lists have together, such as the coverage of a catalogue.

Such a value is not a mean over queries, and a bootstrap does not fit it: a resample has some queries twice and others not at
all, so it shows fewer documents than the sample. The jackknife leaves out one query (or cluster) at a time. With n of them,
the value θ of all, and θ₋ᵢ without the i-th, the jackknife values are vᵢ = θ + (n − 1)(mean of all θ₋ⱼ − θ₋ᵢ). Their mean
is θ, and their variance divided by n is the jackknife estimate of the variance of θ, which is on average too large rather
than too small (Efron & Stein 1981, The Jackknife Estimate of Variance, Annals of Statistics 9(3)). The interval is about the
expected value for n queries.

"On average" is not enough where few documents decide. If no document is shown by exactly one query, or if every document is,
the value is the same without each query, and the variance is 0, although other queries would show other documents. So the
square of the change by one document is added: how much the value changes if the document that is shown least were not shown.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, Ints
from assay.model import Exposure, Figure, changed_lists
from assay.stats.estimates import EstimatedMean
from assay.stats.numeric import ROUNDING


class Gap(NamedTuple):
    """The value of b minus the value of a."""

    mean: EstimatedMean
    n_changed: int
    """On how many queries the systems show other documents."""


def jackknifed(parts: Floats, figure: Figure, groups: Ints | None = None) -> EstimatedMean:
    """The value of all lists, with the standard error of the jackknife; each query is a group by default."""
    return _mean(_values(parts, figure, groups), one_document(parts, figure))


def one_document(parts: Floats, figure: Figure) -> float:
    """How much the value changes if the document that is shown least were not shown.

    If a single document or none is shown, it is the change by another document that is shown once.
    """
    shown = Exposure.of(parts, np.zeros(len(parts), dtype=np.int64), 1)
    times = shown.total if len(shown.total) > 1 else np.append(shown.total, 1)
    is_other = np.arange(len(times)) != times.argmin()
    without, _, every = figure(Exposure(is_other.astype(np.int64), np.arange(len(times)), times, 3, shown.catalogue))
    return float(abs(every - without))


def jackknifed_gap(a: Floats, b: Floats, figure: Figure, groups: Ints | None = None) -> Gap:
    """The difference of the values of two systems on the same queries. Leaving out a query leaves it out of both.

    Systems with the same lists have no difference and no error: their values are equal, whatever the queries are.
    """
    n_changed = int(np.count_nonzero(changed_lists(a, b)))
    of_a, of_b = _values(a, figure, groups), _values(b, figure, groups)
    gap = of_b - of_a
    rounding = ROUNDING * max(np.abs(of_a).max(initial=0.0), np.abs(of_b).max(initial=0.0)) * max(len(gap), 1)
    gap[np.abs(gap) <= rounding] = 0.0
    changes = (one_document(a, figure), one_document(b, figure)) if n_changed else ()
    return Gap(_mean(gap, *changes), n_changed)


def _values(parts: Floats, figure: Figure, groups: Ints | None) -> Floats:
    """The jackknife values of the groups."""
    codes = np.arange(len(parts)) if groups is None else groups
    n = int(codes.max(initial=-1)) + 1
    left_out = figure(Exposure.of(parts, codes, n + 1))  # the last group is empty, so nothing is left out
    return left_out[-1] + (n - 1) * (left_out[:-1].mean() if n else 0.0) - (n - 1) * left_out[:-1]


def _mean(values: Floats, *changes: float) -> EstimatedMean:
    """The mean of jackknife values; the changes by one document of a system are added to its error."""
    n = len(values)
    if n < 2 or np.isnan([*values, *changes]).any():
        return EstimatedMean(float(values.mean()) if n else math.nan, math.nan, min(n, 1))
    return EstimatedMean(float(values.mean()), math.hypot(float(values.std(ddof=1)) / math.sqrt(n), *changes), n)
