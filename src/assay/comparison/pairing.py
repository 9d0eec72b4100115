"""pairing: compare every pair of systems that is asked for, on every metric, in as few passes as there can be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.comparison.align import Aligned
from assay.comparison.how import How
from assay.comparison.pair import Pair
from assay.metrics._metric import BoundMetric
from assay.model.ordering import Floats
from assay.model.scores import MEAN
from assay.stats._corrections import correct
from assay.stats._effects import effects
from assay.stats._intervals import difference_intervals
from assay.stats._test import Field, FieldOutcome, Pairs, nothing
from assay.stats.bayesian import posterior


class Asked(NamedTuple):
    """Two systems, by their number, and a metric."""

    metric: BoundMetric
    a: int
    b: int


@dataclass
class _Columns:
    """Questions that rest on the same queries, so that they are answered together."""

    numbers: list[int] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    a: list[Floats] = field(default_factory=list)
    b: list[Floats] = field(default_factory=list)


def compared_pairs(aligned: Aligned, how: How, fields: Mapping[str, FieldOutcome]) -> list[Pair]:
    """Every pair on every metric, metric by metric; corrected over all of them."""
    wanted = [Asked(metric, a, b) for metric in aligned.metrics for a, b in _pairs(aligned, how)]
    found = {number: pair for columns in _grouped(aligned, wanted) for number, pair in _compared(aligned, columns, how)}
    pairs = [found[number] for number in range(len(wanted))]
    p = np.array([pair.p for pair in pairs])
    if fields:
        p = np.array([fields[asked.metric.name].pairwise[asked.a, asked.b] for asked in wanted])
    corrected = correct(p, how.correcting.name)
    return [_settled(*one, how) for one in zip(pairs, p.tolist(), corrected.tolist(), strict=True)]


def _pairs(aligned: Aligned, how: How) -> list[tuple[int, int]]:
    n = len(aligned.names)
    if how.baseline is None:
        return list(combinations(range(n), 2))
    baseline = aligned.place(how.baseline)
    return [(baseline, other) for other in range(n) if other != baseline]


def _grouped(aligned: Aligned, wanted: Sequence[Asked]) -> Iterator[_Columns]:
    """Questions by the queries on which both systems have a score."""
    tables = {metric.name: aligned.scores(metric.name) for metric in aligned.metrics}
    groups: dict[bytes, _Columns] = {}
    for number, asked in enumerate(wanted):
        scores = tables[asked.metric.name]
        a, b = scores[:, asked.a], scores[:, asked.b]
        defined = np.isfinite(a) & np.isfinite(b)
        columns = groups.setdefault(defined.tobytes(), _Columns())
        columns.numbers.append(number)
        columns.asked.append(asked)
        columns.a.append(a[defined])
        columns.b.append(b[defined])
    return iter(groups.values())


def _compared(aligned: Aligned, columns: _Columns, how: How) -> Iterator[tuple[int, Pair]]:
    """The differences, their intervals, effects and p, still to be corrected."""
    figures = _figures(columns, how)
    for number, asked in enumerate(columns.asked):
        value_a, value_b = (aligned.results[place].summary[asked.metric.name] for place in (asked.a, asked.b))
        own: dict[str, Any] = {name: values[number].item() for name, values in figures.items()}
        own |= {"difference": value_b - value_a, "relative": (value_b - value_a) / abs(value_a) if value_a else math.nan}
        if asked.metric.metric.aggregation != MEAN:
            sign = 1 if asked.metric.metric.higher_is_better else -1
            own |= {"low": math.nan, "high": math.nan, "improvement": sign * (value_b - value_a)}
        own |= {"metric": asked.metric.name, "a": aligned.names[asked.a], "b": aligned.names[asked.b]}
        yield columns.numbers[number], Pair(n=len(columns.a[0]), value_a=value_a, value_b=value_b, **own, **OPEN)


OPEN: dict[str, Any] = {"p_corrected": math.nan, "is_significant": False}
"""What is known only when all pairs are."""


def _figures(columns: _Columns, how: How) -> dict[str, NDArray[Any]]:
    """Name of a pair's figure → its value in each column."""
    a, b = np.column_stack(columns.a), np.column_stack(columns.b)
    is_up = np.array([asked.metric.metric.higher_is_better for asked in columns.asked])
    sign = np.where(is_up, 1.0, -1.0)
    better = Pairs(a * sign, b * sign, how.seed)
    test = how.bound_test
    outcome = nothing(len(is_up)) if test.test.is_for_many else test.compare(better)
    low, high = difference_intervals(a, b, how.interval_method, how.level, seed=how.seed)
    effect, chances = effects(a, b, how.tolerance, is_up), posterior(better, how.rope)
    figures = {name: getattr(effect, name) for name in ("improvement", "cohens_d", "cliffs_delta", "wins", "ties", "losses")}
    figures |= {"low": low, "high": high, "statistic": outcome.statistic, "p": outcome.p}
    return {**figures, "p_better": chances.p_better, "p_equal": chances.p_equal}


def field_outcomes(aligned: Aligned, how: How) -> dict[str, FieldOutcome]:
    """Metric → whether its systems differ at all, where the test is one for many systems; nothing otherwise."""
    if not how.bound_test.test.is_for_many:
        return {}
    found = {}
    for metric in aligned.metrics:
        scores = aligned.scores(metric.name)
        complete = scores[np.isfinite(scores).all(axis=1)]
        found[metric.name] = how.bound_test.compare_many(Field(complete, how.seed))
    return found


def _settled(pair: Pair, p: float, p_corrected: float, how: How) -> Pair:
    is_significant = bool(p_corrected <= how.alpha)
    claim = how.bound_test.test.claim
    return replace(pair, p=p, p_corrected=p_corrected, is_significant=is_significant, claim=claim)
