"""Pair: two systems on one metric, their difference and how certain it is. All pairs are computed together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.comparison.alignment import Aligned
from assay.comparison.options import ComparisonOptions, pairs_of
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.model import MEAN, SUM, Column
from assay.serialize import to_json
from assay.stats import (
    AVERAGED,
    RESAMPLES,
    ROUNDING,
    Field,
    FieldOutcome,
    Pairs,
    averaged,
    cohens_d,
    correct,
    difference_intervals,
    effects,
    figure_difference,
    nothing,
    posterior,
)

SHARED_TIMES = "queries were sent in batches, so single queries have no times"
NO_TEST = "this test needs a mean over queries"


@dataclass(frozen=True)
class Pair:
    """System b compared with system a. `improvement` and effects are above 0 if b is better, for every metric."""

    metric: str
    a: str
    b: str
    n: int
    """Queries on which both have a score; all numbers are based on these."""
    value_a: float
    value_b: float
    difference: float
    """The value of b minus the value of a."""
    relative: float
    """The difference as a share of a; nan if a is 0."""
    low: float
    """The interval of the difference."""
    high: float
    statistic: float
    p: float
    p_corrected: float
    is_significant: bool
    improvement: float
    direction: int
    """The system that the test favours: 1 for b, -1 for a, 0 for neither. A test may use ranks or wins, not the mean."""
    draws: int
    """The number of random draws behind p; 0 if p is exact or was computed by a formula."""
    cohens_d: float
    cliffs_delta: float
    wins: int
    ties: int
    losses: int
    p_better: float
    """Bayesian: the probability that b is better by more than the region of practical equivalence."""
    p_equal: float
    """Bayesian: the probability that both are practically equal."""
    claim: str = "differs"
    """What significance means: b differs, b is not worse, or both are equal."""
    untested: str = ""
    """Why there is no p; empty if there is one, or if only queries are missing."""

    @property
    def has_shared_times(self) -> bool:
        """Whether the values are times of batches, so that single queries have no times."""
        return self.untested == SHARED_TIMES

    @property
    def better(self) -> str | None:
        """The system that is significantly better; None if there is none, or if the test and the values disagree."""
        if not self.is_significant or self.claim != "differs" or self.direction * self.improvement <= 0:
            return None
        return self.b if self.improvement > 0 else self.a

    @property
    def is_split(self) -> bool:
        """Whether the test is significant for a system whose value is not the better one."""
        return self.is_significant and self.claim == "differs" and self.direction != 0 and self.better is None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None if undefined."""
        return {**to_json(self), "better": self.better}


def sign_of(metric: BoundMetric) -> int:
    """1 if higher is better, -1 if lower is better."""
    return 1 if metric.metric.higher_is_better else -1


class PairRequest(NamedTuple):
    """Two systems, by position, and a metric."""

    metric: BoundMetric
    a: int
    b: int

    @property
    def sign(self) -> int:
        """1 if higher is better, -1 if lower is better."""
        return sign_of(self.metric)


@dataclass
class _Columns:
    """Pairs with scores on the same queries, which are computed together."""

    numbers: list[int] = field(default_factory=list)
    requests: list[PairRequest] = field(default_factory=list)
    a: list[Column] = field(default_factory=list)
    b: list[Column] = field(default_factory=list)


def compare_pairs(aligned: Aligned, how: ComparisonOptions, fields: Mapping[str, FieldOutcome]) -> list[Pair]:
    """Compare every pair on every metric, with p corrected over all of them."""
    requests = [PairRequest(metric, a, b) for metric in aligned.metrics for a, b in pairs_of(aligned.names, how.baseline)]
    by_number = {
        number: pair
        for columns in _group_by_queries(aligned, requests, how)
        for number, pair in _compare_columns(aligned, columns, how)
    }
    pairs = [by_number[number] for number in range(len(requests))]
    if how.bound_test.test.is_for_many:
        pairs = [
            _with_field_outcome(pair, fields.get(pair.metric), request)
            for pair, request in zip(pairs, requests, strict=True)
        ]
    return with_corrected_p(pairs, [pair.metric for pair in pairs], how)


def with_corrected_p(pairs: Sequence[Pair], families: Sequence[Hashable], how: ComparisonOptions) -> list[Pair]:
    """The pairs with corrected p and significance.

    A test for many systems corrects for the pairs of a family itself, so p is corrected only for the number of families.
    """
    p = np.array([pair.p for pair in pairs])
    if how.bound_test.test.is_for_many:
        counted = {family for family, is_nan in zip(families, np.isnan(p).tolist(), strict=True) if not is_nan}
        corrected = p if how.correcting.name == "none" else np.minimum(p * len(counted), 1.0)
    else:
        corrected = correct(p, how.correcting.name)
    return [
        replace(pair, p_corrected=p_corrected, is_significant=how.is_significant(p_corrected))
        for pair, p_corrected in zip(pairs, corrected.tolist(), strict=True)
    ]


def field_outcomes(aligned: Aligned, how: ComparisonOptions) -> dict[str, FieldOutcome]:
    """Metric → whether the systems differ at all, for a test for many systems; else empty."""
    if not how.bound_test.test.is_for_many:
        return {}
    outcomes = {}
    for metric in aligned.metrics:
        if not _untested_reason(metric, aligned.results, how):
            scores = aligned.scores(metric.name)
            tested = averaged(scores[np.isfinite(scores).all(axis=1)], metric.metric.aggregation)
            outcomes[metric.name] = how.bound_test.compare_many(Field(sign_of(metric) * tested, how.seed))
    return outcomes


def _untested_reason(metric: BoundMetric, results: Sequence[Result], how: ComparisonOptions) -> str:
    """Why these systems cannot be tested on a metric; empty if they can."""
    if metric.metric.view == "timing" and any(result.has_shared_times for result in results):
        return SHARED_TIMES
    aggregation, test = metric.metric.aggregation, how.bound_test
    if aggregation == MEAN:
        return ""
    is_measured = test.test.claim != "differs" or test.scale > 0  # the margin is in units of a query's score
    return NO_TEST if is_measured or (test.test.is_for_many and aggregation not in AVERAGED) else ""


def _group_by_queries(aligned: Aligned, requests: Sequence[PairRequest], how: ComparisonOptions) -> Iterator[_Columns]:
    """Pairs grouped by the queries on which both systems have a score; all systems, for a test for many systems."""
    tables = {metric.name: aligned.scores(metric.name) for metric in aligned.metrics}
    groups: dict[bytes, _Columns] = {}
    for number, request in enumerate(requests):
        scores = tables[request.metric.name]
        compared = scores if how.bound_test.test.is_for_many else scores[:, [request.a, request.b]]
        sides = [aligned.results[place].table.columns[request.metric.name] for place in (request.a, request.b)]
        is_composed = all(side.is_composed for side in sides)
        defined = sides[0].counts & sides[1].counts if is_composed else np.isfinite(compared).all(axis=1)
        columns = groups.setdefault(defined.tobytes(), _Columns())
        columns.numbers.append(number)
        columns.requests.append(request)
        for (score, weight, aggregation), side in zip(sides, (columns.a, columns.b), strict=True):
            known = np.nan_to_num(score[defined].astype(float)) if is_composed else score[defined].astype(float)
            side.append(Column(known, weight[defined], aggregation))
    return iter(groups.values())


def _compare_columns(aligned: Aligned, columns: _Columns, how: ComparisonOptions) -> Iterator[tuple[int, Pair]]:
    """The differences with intervals, effects and p before correction."""
    figures = _figures(columns, how)
    for place, request in enumerate(columns.requests):
        own: dict[str, Any] = {name: values[place].item() for name, values in figures.items()}
        both = (columns.a[place], columns.b[place])
        own |= _values(*both, request)
        own |= _figures_by_aggregation(own, both, request, how)
        systems = (aligned.results[request.a], aligned.results[request.b])
        untested = _untested_reason(request.metric, aligned.results if how.bound_test.test.is_for_many else systems, how)
        own |= _UNTESTED if untested else {}
        own |= _UNKNOWN_FIGURES if untested == SHARED_TIMES else {}
        own |= {} if all(system.table.columns[request.metric.name].has_scores for system in systems) else _NO_SCORES
        own |= {"direction": round(own["direction"]), "untested": untested, "claim": how.bound_test.test.claim}
        own |= {"metric": request.metric.name, "a": aligned.names[request.a], "b": aligned.names[request.b]}
        yield columns.numbers[place], Pair(n=len(both[0].score), p_corrected=math.nan, is_significant=False, **own)


_UNTESTED: dict[str, Any] = {"p": math.nan, "statistic": math.nan, "direction": 0, "draws": 0}
_UNKNOWN_FIGURES: dict[str, Any] = {
    **dict.fromkeys(("low", "high", "cohens_d", "cliffs_delta", "p_better", "p_equal"), math.nan),
    **dict.fromkeys(("wins", "ties", "losses"), 0),
}
"""Numbers that are unknown if single queries have no scores."""
_NO_SCORES: dict[str, Any] = {"cliffs_delta": math.nan, **dict.fromkeys(("wins", "ties", "losses"), 0)}
"""Numbers that are unknown if the value is computed from other parts than scores."""


def _values(a: Column, b: Column, request: PairRequest) -> dict[str, float]:
    """Both values over the same queries, and their difference."""
    value_a, value_b = a.summary(), b.summary()
    difference = value_b - value_a
    difference = 0.0 if abs(difference) <= ROUNDING * max(abs(value_a), abs(value_b)) else difference
    return {
        "value_a": value_a,
        "value_b": value_b,
        "difference": difference,
        "relative": difference / abs(value_a) if value_a else math.nan,
        "improvement": request.sign * difference + 0.0,
    }


def _figures_by_aggregation(
    own: Mapping[str, Any], both: tuple[Column, Column], request: PairRequest, how: ComparisonOptions
) -> dict[str, Any]:
    """Numbers that differ if the summary is not a mean. A summary that is not an average is bootstrapped as a whole."""
    aggregation, n = both[0].aggregation, len(both[0].score)
    if aggregation == MEAN:
        return {}
    if aggregation == SUM:
        return {"low": n * own["low"], "high": n * own["high"]} | (_NO_ROPE if how.rope else {})
    alternative = str(how.bound_test.params.get("alternative", "two_sided"))
    if request.sign < 0:
        alternative = {"greater": "less", "less": "greater"}.get(alternative, alternative)
    difference = figure_difference(*both, alternative, how.level, seed=how.seed)
    interval = {"low": difference.low, "high": difference.high}
    if aggregation in AVERAGED:
        return interval | (_NO_ROPE if how.rope else {})
    direction = (own["improvement"] > 0) - (own["improvement"] < 0)
    tested = {"p": difference.p, "statistic": own["difference"], "direction": direction, "draws": RESAMPLES}
    return {**interval, **tested, **_NO_ROPE, "cohens_d": math.nan}


_NO_ROPE: dict[str, Any] = {"p_better": math.nan, "p_equal": math.nan}
"""A region of practical equivalence is about means, in units of a query's score."""


def _figures(columns: _Columns, how: ComparisonOptions) -> dict[str, NDArray[Any]]:
    """Field of a pair → its value in each column, as if all summaries were averages."""
    a, b = (np.column_stack([column.score for column in side]) for side in (columns.a, columns.b))
    is_up = np.array([request.sign > 0 for request in columns.requests])
    tested_a, tested_b = (
        np.column_stack([averaged(column.score, column.aggregation) for column in side]) for side in (columns.a, columns.b)
    )
    better = Pairs(tested_a * np.where(is_up, 1.0, -1.0), tested_b * np.where(is_up, 1.0, -1.0), how.seed)
    test = how.bound_test
    outcome = nothing(len(is_up)) if test.test.is_for_many else test.compare(better)
    low, high = difference_intervals(a, b, how.interval_method, how.level, seed=how.seed)
    effect, chances = effects(a, b, how.tolerance, is_up), posterior(better, how.rope)
    figures = {name: getattr(effect, name) for name in ("cliffs_delta", "wins", "ties", "losses")}
    figures |= {"low": low, "high": high, "statistic": outcome.statistic, "p": outcome.p, "direction": outcome.direction}
    figures |= {"cohens_d": cohens_d(better)}
    figures |= {"draws": np.broadcast_to(outcome.draws, len(is_up))}
    return {**figures, "p_better": chances.p_better, "p_equal": chances.p_equal}


def _with_field_outcome(pair: Pair, outcome: FieldOutcome | None, request: PairRequest) -> Pair:
    """The pair with the outcome of a test for many systems."""
    if outcome is None:
        return pair
    direction = int(np.sign(outcome.standing[request.b] - outcome.standing[request.a]))
    return replace(pair, p=float(outcome.pairwise[request.a, request.b]), direction=direction, draws=outcome.draws)
