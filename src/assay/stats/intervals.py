"""Intervals of summaries of any kind, and of differences between two systems; evenness in resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, ratio
from assay.errors import BadParameter, DataError
from assay.model import EVENNESS, MEAN, PERCENTAGE, RATIOS, SUM, Aggregation, Column
from assay.stats.counted_quantiles import counted_quantile_interval
from assay.stats.estimates import estimated_mean
from assay.stats.jackknife import jackknifed
from assay.stats.mean_intervals import (
    BCA,
    BOOTSTRAP,
    RESAMPLES,
    WILSON,
    Interval,
    Resampled,
    T,
    acceleration,
    check_request,
    ends,
    is_binary,
    mean_intervals,
    t_interval,
    wilson_interval,
)
from assay.stats.numeric import AVERAGED, ROUNDING, averaged, summarised
from assay.stats.resampling import MAX_FIGURES_AT_ONCE, index_blocks, is_beyond, resampled_means
from assay.stats.significance import Pairs
from assay.stats.student import chance_of_equal_coins

AUTO, NONE = "auto", "none"
METHODS = (AUTO, BOOTSTRAP, BCA, T, WILSON)
MANY_QUERIES = 10_000
"""From this number, a ratio of means is practically normal, and the t interval is as good as a bootstrap at no cost."""


def column_intervals(
    columns: Mapping[str, Column], method: str = AUTO, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> dict[str, tuple[float, float, str]]:
    """Metric → (low, high, method) of its summary, by the requested method or the closest one that fits the summary.

    `auto` uses Wilson's interval if every score is 0 or 1, Student's t for means and for percentages of 10,000 queries or
    more, and the bootstrap otherwise: so an interval of a mean has no random digits. An estimate from a sample of judgments
    always has Student's t, and so has a value that all lists have together. Text has no interval. Undefined scores are left
    out. If too few scores are left, or some are infinite, the result is (nan, nan, none).
    """
    check_request(method, level, resamples, seed, METHODS)
    intervals: dict[str, tuple[float, float, str]] = {}
    waiting: dict[bytes, list[tuple[str, _Defined]]] = {}
    for name, column in columns.items():
        if column.aggregation.summarise is None:
            continue
        defined = column.counts
        if (ready := _of_parts(column, level)) is not None:
            intervals[name] = ready
            continue
        scores = _Defined(column.score[defined], column.weight[defined], column.aggregation)
        chosen = scores.choose(method)
        intervals[name] = (np.nan, np.nan, chosen)
        if chosen in (WILSON, T):
            interval = (wilson_interval if chosen == WILSON else t_interval)(scores.linear(), level)
            intervals[name] = scores.named(float(interval.low[0]), float(interval.high[0]), chosen)
        if chosen == BOOTSTRAP and method == AUTO and scores.is_spread and len(scores.score) >= MANY_QUERIES:
            low, high = np.quantile(resample_evenness(scores.weight, resamples, seed), [(1 - level) / 2, (1 + level) / 2])
            intervals[name] = (float(low), float(high), chosen)
        elif chosen in (BOOTSTRAP, BCA):
            waiting.setdefault(np.packbits(defined).tobytes(), []).append((name, scores))
    for alike in waiting.values():
        for (name, scores), of in _resampled(alike, resamples, seed):
            low, high = ends(_where_defined(of), intervals[name][2], level)
            intervals[name] = scores.named(float(low[0]), float(high[0]), intervals[name][2])
    return intervals


def _of_parts(column: Column, level: float) -> tuple[float, float, str] | None:
    """The interval of an estimate, of what all lists show, or of a quantile of counted times; None for others."""
    parts = column.weight[column.counts]
    if column.aggregation.figure is not None and column.is_composed:
        return *jackknifed(parts, column.aggregation.figure).interval(level), T
    if column.is_estimate:
        low, high = (np.nan, np.nan) if column.is_difference else estimated_mean(parts).interval(level)
        return low, high, T
    q = column.aggregation.counted_quantile
    return None if q is None or not column.is_composed else counted_quantile_interval(parts, q, level)


def difference_intervals(
    a: Floats, b: Floats, method: str = BOOTSTRAP, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Interval of the mean of b − a for each column, paired by query: queries × columns, without undefined scores.

    Differences that are only rounding count as 0.
    """
    if method == WILSON:
        raise BadParameter(
            "Wilson's interval is for scores of 0 and 1, not for differences. Use bootstrap, bca, t or studentised"
        )
    if np.shape(a) != np.shape(b):
        raise DataError(
            f"both systems need scores for the same queries and metrics: a has shape {np.shape(a)}, b {np.shape(b)}"
        )
    return mean_intervals(Pairs(a, b).differences, method, level, resamples, seed)


class FigureDifference(NamedTuple):
    """The value of b minus the value of a: its interval, and the p of no difference."""

    low: float
    high: float
    p: float


def figure_difference(
    a: Column, b: Column, alternative: str = "two_sided", level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> FigureDifference:
    """The difference of two summaries of any kind on the same queries; both are computed again in each resample.

    The interval is the percentile interval. p is counted after shifting the difference to 0, as in the test `bootstrap`. No
    score may be undefined. A single query has no interval, and p = 1.
    """
    n = len(a.score)
    if n < 2:
        return FigureDifference(np.nan, np.nan, 1.0 if n else np.nan)
    check_request(BOOTSTRAP, level, resamples, seed, (BOOTSTRAP,))
    of_a, of_b = (_figures(_Defined(*scores), resamples, seed) for scores in (a, b))
    return difference_of_resamples(of_a, of_b, b.summary() - a.summary(), n, alternative, level)


def difference_of_resamples(
    of_a: Floats, of_b: Floats, seen: float, n: int, alternative: str, level: float
) -> FigureDifference:
    """The difference of two summaries that were computed in the same resamples of n queries or clusters."""
    drawn = of_b - of_a
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        return FigureDifference(np.nan, np.nan, np.nan)
    slack = ROUNDING * max(float(np.nanmax(np.abs(of_a))), float(np.nanmax(np.abs(of_b))))
    extreme = is_beyond(drawn - seen, np.asarray(seen), np.asarray(slack), alternative)
    p = max((1 + int(np.count_nonzero(extreme))) / (1 + len(drawn)), chance_of_equal_coins(n, alternative))
    low, high = ends(Resampled(np.array([seen]), drawn[np.newaxis], np.zeros(1)), BOOTSTRAP, level)
    return FigureDifference(float(low[0]), float(high[0]), p)


def _figures(scores: _Defined, resamples: int, seed: int) -> Floats:
    """The summary in each resample of the queries."""
    ((_, of),) = _resampled([("", scores)], resamples, seed)
    drawn = of.figures[0]
    return np.array([summarised(mean, len(scores.score), scores.aggregation) for mean in drawn.tolist()])


class _Defined(NamedTuple):
    """The defined scores of one column."""

    score: Floats
    weight: Floats
    aggregation: Aggregation

    @property
    def is_mean(self) -> bool:
        """Whether the summary follows from the mean of something per query."""
        return self.aggregation in AVERAGED

    @property
    def is_ratio(self) -> bool:
        """Whether the summary is one mean divided by another (or a percentage), and the parts of each query are known."""
        return self.aggregation in RATIOS and self.weight.ndim > 1

    @property
    def is_spread(self) -> bool:
        """Whether the summary says how evenly queries are spread over kinds."""
        return self.aggregation == EVENNESS and self.weight.ndim > 1

    @property
    def is_averaged(self) -> bool:
        """Whether the summary follows from one mean or from the quotient of two."""
        return self.is_mean or self.is_ratio

    def choose(self, method: str) -> str:
        """The requested method, or the closest one that fits."""
        n = len(self.score)
        is_made_of_scores = self.weight.ndim == 1
        if not np.isfinite(self.weight).all() or (is_made_of_scores and not np.isfinite(self.score).all()):
            return NONE
        is_share = self.aggregation in (MEAN, SUM, PERCENTAGE) and bool(is_binary(self.averaged()).all())
        if n and method in (AUTO, WILSON) and is_share:
            return WILSON
        if n < 2:
            return NONE
        if self.is_mean and method in (T, AUTO):
            return T
        if method == AUTO and n >= MANY_QUERIES and self.is_ratio and self.weight[:, 1].any():
            return T
        return BCA if method == BCA and self.is_averaged else BOOTSTRAP

    def averaged(self) -> Floats:
        """The values to average over queries: one column, or two columns whose means are divided."""
        if self.is_ratio:
            return self.weight * (RATIOS[self.aggregation], 1.0)
        return averaged(self.score, self.aggregation)[:, np.newaxis]

    def linear(self) -> Floats:
        """The values to average; for a ratio, the linear contribution of each query (a good approximation for many queries).

        This is the delta method: Cochran 1977, Sampling Techniques, ch. 6.
        """
        parts = self.averaged()
        if not self.is_ratio:
            return parts
        top, bottom = parts.mean(axis=0)
        return np.asarray(top / bottom + (parts[:, :1] - top / bottom * parts[:, 1:]) / bottom)

    def named(self, low: float, high: float, method: str) -> tuple[float, float, str]:
        """The ends of the interval of the summary."""
        low, high = (summarised(end, len(self.score), self.aggregation) for end in (low, high))
        return low, high, method


_Named = tuple[str, _Defined]


def _resampled(alike: Sequence[_Named], resamples: int, seed: int) -> Iterator[tuple[_Named, Resampled]]:
    """Summaries of columns that are defined for the same queries, in the same resamples."""
    averaged = [item for item in alike if item[1].is_averaged]
    width = max(1, MAX_FIGURES_AT_ONCE // (2 * max(resamples, len(alike[0][1].score))))
    for start in range(0, len(averaged), width):
        yield from _from_means(averaged[start : start + width], resamples, seed)
    for item in alike:
        if not item[1].is_averaged:
            yield item, _from_indices(item[1], resamples, seed)


def _from_means(some: Sequence[_Named], resamples: int, seed: int) -> Iterator[tuple[_Named, Resampled]]:
    """Resampled means of all columns, in one matrix product."""
    parts = [scores.averaged() for _, scores in some]
    means = resampled_means(np.hstack(parts), resamples, seed)
    place = 0
    for item, part in zip(some, parts, strict=True):
        drawn = means[place : place + part.shape[1]]
        place += part.shape[1]
        observed = part.mean(axis=0)
        if len(drawn) == 1:
            yield item, Resampled(observed, drawn, acceleration(part - observed))
        else:
            rest = part.sum(axis=0) - part
            without = ratio(rest[:, :1], rest[:, 1:])
            pull = acceleration(without.mean() - without)
            yield item, Resampled(_quotient(observed[:1], observed[1:]), _quotient(drawn[:1], drawn[1:]), pull)


def _quotient(top: Floats, bottom: Floats) -> Floats:
    """The quotients; undefined if the divisor is 0."""
    return np.where(bottom == 0, np.nan, ratio(top, bottom))


def _from_indices(scores: _Defined, resamples: int, seed: int) -> Resampled:
    """Summaries that are not means: quantiles, and any other function that turns scores into one number."""
    summarise: Any = scores.aggregation.summarise
    is_quantile = isinstance(summarise, partial) and scores.aggregation.name.startswith("quantile")
    if is_quantile:
        figure = _quantile_of(scores.score, summarise.keywords["q"])
    else:
        figure = evenness_of(scores.weight) if scores.is_spread else _one_by_one(scores, summarise)
    figures = np.concatenate([figure(index) for index in index_blocks(len(scores.score), resamples, seed)])
    return Resampled(np.array([summarise(scores.score, scores.weight)]), figures[np.newaxis], np.zeros(1))


def _where_defined(of: Resampled) -> Resampled:
    """Without the resamples in which the summary is undefined, for example because the divisor is 0."""
    if not np.isnan(of.figures).any():
        return of
    known = of.figures[:, ~np.isnan(of.figures).any(axis=0)]
    return of._replace(figures=known if known.size else np.full((len(of.figures), 1), np.nan))


def _quantile_of(score: Floats, q: float) -> Callable[[NDArray[Any]], Floats]:
    """Quantiles by ranks instead of scores: ranks are small whole numbers, which are fast to sort."""
    ordered, last = np.sort(score), len(score) - 1
    rank = np.empty(len(score), dtype=np.uint32)
    rank[np.argsort(score, kind="stable")] = np.arange(len(score))
    below = min(int(q * last), last)
    above, part = min(below + 1, last), q * last - below

    def figure(index: NDArray[Any]) -> Floats:
        drawn = np.partition(rank[index], (below, above), axis=1)
        return ordered[drawn[:, below]] * (1 - part) + ordered[drawn[:, above]] * part

    return figure


def _one_by_one(scores: _Defined, summarise: Callable[[Floats, Floats], float]) -> Callable[[NDArray[Any]], Floats]:
    return lambda index: np.array([summarise(scores.score[row], scores.weight[row]) for row in index])


def evenness_of(parts: Floats) -> Callable[[NDArray[Any]], Floats]:
    """Resamples × places of queries → the evenness of each resample; `parts` are those of the aggregation."""
    kinds, number = np.unique(parts[:, 0], return_inverse=True)
    small = number.astype(np.int64)
    n_kinds = max(float(parts[:, 1].max()), len(kinds))

    def figure(index: NDArray[Any]) -> Floats:
        row = np.arange(len(index))[:, np.newaxis] * len(kinds)
        counts = np.bincount((small[index] + row).ravel(), minlength=len(index) * len(kinds))
        return evenness_of_counts(counts.reshape(len(index), len(kinds)), n_kinds)

    return figure


def resample_evenness(parts: Floats, resamples: int, seed: int) -> Floats:
    """The evenness in bootstrap resamples, drawn by kind instead of by query: equivalent, and fast for many queries."""
    kinds, counts = np.unique(parts[:, 0], return_counts=True)
    n_kinds = max(float(parts[:, 1].max()), len(kinds))
    drawn = np.random.default_rng(seed).multinomial(len(parts), counts / len(parts), size=resamples)
    return evenness_of_counts(drawn, n_kinds)


def evenness_of_counts(counts: NDArray[Any], n_kinds: float) -> Floats:
    """Pielou's evenness of each row of counts; undefined if there is only one kind.

    Pielou 1966, The Measurement of Diversity in Different Types of Biological Collections, J Theor Biol 13.
    """
    if n_kinds <= 1:
        return np.full(len(counts), np.nan)
    share = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(-(share * logs).sum(axis=1) / np.log(n_kinds) + 0.0)
