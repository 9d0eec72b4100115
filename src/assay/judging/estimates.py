"""Estimates: contributions of queries to a mean that is estimated from a sample of judgments, with or without a model.

h is a grade by people, f a grade by a model, π the probability of a pair, w what it is worth, m its predicted value. Both
estimators return one contribution Z for each query, whose mean is the estimate. Z is not the score of a query and may be
outside its range.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints
from assay.errors import BadParameter, DataError
from assay.stats import half_width

FORMS = ("z", "welch")


class Contributions(NamedTuple):
    """The contribution of each query to an estimate, and what belongs to the estimate as a whole."""

    values: Floats
    unseen: float = 0.0
    """Variance of the estimate, times the number of queries, that the sample cannot show."""
    weight: float = 0.0
    """λ: how much the model counts; for pairs the mean of both halves."""
    evidence: Floats | None = None
    """For pairs: the part of the values that comes from the judged documents, not from predictions."""


class PairSample(NamedTuple):
    """The retrieved documents of one system that could be drawn, as arrays."""

    query: Ints
    """The place of the query."""
    probability: Floats
    is_judged: Bools
    """Whether the pair was drawn and judged by people."""
    people: Floats
    """w · v(h): what the grade by people adds to the metric; any number if it was not judged."""
    predicted: Floats | None = None
    """w · m: what the predicted value adds; None without predictions."""


def pair_contributions(sample: PairSample, n_queries: int) -> Contributions:
    """E1: the contribution of each query if pairs were drawn, for a metric that is a sum over documents.

    Z = Σ w·v(h)/π − [Σ w·m/π − Σ w·m], over the judged pairs and, in the last sum, over all pairs. The predictions m come
    from other queries. They remove the noise of how many pairs of which kind were drawn, and have no other effect.
    """
    drawn = np.flatnonzero(sample.is_judged)
    places, probability = sample.query[drawn], sample.probability[drawn]
    people = _sums(places, sample.people[drawn] / probability, n_queries)
    if sample.predicted is None:
        return Contributions(people, evidence=people)
    evidence = people - _sums(places, sample.predicted[drawn] / probability, n_queries)
    return Contributions(evidence + _sums(sample.query, sample.predicted, n_queries), evidence=evidence)


def _sums(places: Ints, values: Floats, n_queries: int) -> Floats:
    return np.bincount(places, values, minlength=n_queries).astype(float)


# Whole queries: PPI++ (Angelopoulos, Duchi and Zrnic 2023)


class MeanEstimate(NamedTuple):
    """A mean that was estimated from scores by people for some queries, and scores by a model for all."""

    value: float
    low: float
    high: float
    weight: float
    """λ: how much the scores by the model count; 0: only people."""
    error: float
    df: float
    """The degrees of freedom of Student's t; infinite in the z form."""


def tuned_weight(people: Floats, model: Floats, others: Floats) -> float:
    """λ of PPI++: cov(y, f) ÷ ((1 + n/N)·var f), between 0 and 1; 0 if the scores by the model do not vary."""
    n, n_others = len(people), len(others)
    if n < 2 or not n_others:
        return 0.0
    variance = float(np.var(np.concatenate([model, others]), ddof=1))
    if variance <= 0:
        return 0.0
    covariance = float(np.mean((people - people.mean()) * (model - model.mean())))
    return min(max(covariance / ((1 + n / n_others) * variance), 0.0), 1.0)


def prediction_powered_mean(
    people: Floats, model: Floats, others: Floats, level: float = 0.95, form: str = "welch", weight: float | None = None
) -> MeanEstimate:
    """PPI++: the mean score, from scores of judged queries by people and by a model, and of other queries by the model.

    The value is λ·mean(others) + mean(people − λ·model). The form `z` has normal quantiles and variances divided by n, as in
    the package ppi-python. The form `welch` has Student's t, Welch's degrees of freedom and variances divided by n − 1; with
    λ = 0 it is the interval of the scores by people alone.
    """
    y, f, rest = (np.asarray(scores, dtype=float) for scores in (people, model, others))
    if form not in FORMS:
        raise BadParameter(f"form must be one of {', '.join(FORMS)}, not {form!r}")
    if len(y) != len(f):
        raise DataError(f"people and model need scores of the same queries, found {len(y):,} and {len(f):,}")
    if len(y) < 2:
        raise DataError(f"an interval needs at least 2 judged queries, found {len(y):,}")
    tuned = tuned_weight(y, f, rest) if weight is None else float(weight)
    ddof = 0 if form == "z" else 1
    is_used = bool(tuned) and len(rest) > ddof
    value = float(np.mean(y - tuned * f)) + (tuned * float(np.mean(rest)) if is_used else 0.0)
    parts = np.array([np.var(y - tuned * f, ddof=ddof) / len(y), 0.0])
    parts[1] = np.var(tuned * rest, ddof=ddof) / len(rest) if is_used else 0.0
    error = math.sqrt(float(parts.sum()))
    df = math.inf if form == "z" else _welch_df(parts, len(y), len(rest))
    half = _normal_quantile(level) * error if form == "z" else float(half_width(error, df, level))
    return MeanEstimate(value, value - half, value + half, tuned, error, df)


def _welch_df(parts: Floats, n: int, n_others: int) -> float:
    if not parts.any():
        return float(n - 1)
    return float(parts.sum() ** 2 / (parts[0] ** 2 / (n - 1) + (parts[1] ** 2 / (n_others - 1) if parts[1] else 0.0)))


def _normal_quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def query_contributions(
    people: Floats, is_judged: Bools, model: Floats | None = None, weight: float | None = None
) -> Contributions:
    """E2: the contribution of each query if whole queries were drawn: Z = λ·f + r̄ + 1[judged]·(N/n)·(r − r̄), r = y − λ·f.

    The mean of Z is the value of PPI++ with the other queries as its second sample: here f covers all queries, so λ is that
    of PPI++ times N ÷ (N − n). For scores of 0 and 1, a model that agrees with people on all judged queries leaves no
    spread. Therefore one disagreement that was not seen is part of the variance.
    """
    n_all, n = len(is_judged), int(np.count_nonzero(is_judged))
    if not n:
        raise DataError("no query is judged completely, so nothing can be estimated")
    y = people[is_judged]
    lam, f = 0.0, np.zeros(n_all)
    if model is not None and n < n_all:
        f = model
        tuned = tuned_weight(y, f[is_judged], f[~is_judged]) if weight is None else weight
        lam = tuned * n_all / (n_all - n)
    residual = y - lam * f[is_judged]
    values = lam * f + residual.mean()
    values[is_judged] += n_all / n * (residual - residual.mean())
    return Contributions(values, _unseen_variance(y, f[is_judged], lam) * n_all / n, lam)


def _unseen_variance(people: Floats, model: Floats, lam: float) -> float:
    """How much the variance of the residuals grows with one further disagreement, for scores of 0 and 1; else 0.

    Half of it is in each direction: people say 1 and the model 0, or the reverse.
    """
    if not lam or not np.isin(people, (0.0, 1.0)).all():
        return 0.0
    residual = people - lam * model
    values, weights = np.append(residual, (1.0, -lam)), np.append(np.ones(len(residual)), (0.5, 0.5))
    mean = np.average(values, weights=weights)
    return max(0.0, float(np.average((values - mean) ** 2, weights=weights)) - float(np.var(residual)))
