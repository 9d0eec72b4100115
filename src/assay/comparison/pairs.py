"""Pair: two systems on one metric, their difference and how certain it is. All pairs are computed together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.comparison.alignment import Aligned
from assay.comparison.independent_users import compare_users, is_about_users
from assay.comparison.options import ComparisonOptions, pairs_of
from assay.comparison.own_samples import NO_OWN_SAMPLE
from assay.comparison.pair_figures import PairColumns, PairRequest, compare_columns, sign_of
from assay.evaluation import Result, clusters_inside
from assay.metrics import BoundMetric
from assay.model import MEAN, Column
from assay.serialize import to_json
from assay.stats import AUTO, AVERAGED, Clusters, Field, FieldOutcome, averaged, correct

SHARED_TIMES = "queries were sent in batches, so single queries have no times"
NO_TEST = "this test needs a mean over queries"
NO_ESTIMATES = "this test needs scores of single queries, but the values are estimates from a sample of judgments"


@dataclass(frozen=True)
class Pair:
    """System b compared with system a. `improvement` and effects are above 0 if b is better, for every metric."""

    metric: str
    a: str
    b: str
    n: int
    """Queries on which both have a score; all numbers are based on these. In a search log, the users of b."""
    value_a: float
    value_b: float
    n_changed: int
    """Queries on which the scores differ; for values of all lists, on which other documents are shown."""
    difference: float
    """The value of b minus the value of a."""
    relative: float
    """The difference as a share of a; nan if a is 0."""
    low: float
    """The interval of the difference."""
    high: float
    interval: str
    """The method of the interval."""
    statistic: float
    p: float
    p_corrected: float
    """p, corrected for all comparisons of its family; nan outside the family."""
    is_significant: bool
    """Whether it was tested, and the corrected p is at most alpha."""
    improvement: float
    direction: int
    """The system that the test favours: 1 for b, -1 for a, 0 for neither. A test may use ranks or wins, not the mean."""
    draws: int
    """The number of random draws behind p; 0 if p is exact or was computed by a formula."""
    d_z: float
    """The improvement divided by the standard deviation of the differences (Cohen's d for paired scores)."""
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
    es_hsd: float = math.nan
    """ES_HSD: the improvement divided by the residual standard deviation of all systems; nan without a Tukey test."""
    untested: str = ""
    """Why there is no p; empty if there is one, or if only queries are missing."""
    is_in_family: bool = True
    """Whether it is one of the comparisons that decide. Other metrics have an interval but no verdict."""

    @property
    def is_same(self) -> bool:
        """Whether no query has another score."""
        return self.n > 0 and not self.n_changed and self.difference == 0

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
        """Plain JSON values; None if undefined. A pair that was not tested is neither significant nor not significant."""
        is_significant = None if math.isnan(self.p_corrected) else self.is_significant
        return {**to_json(self), "is_significant": is_significant, "better": self.better}


def compare_pairs(aligned: Aligned, how: ComparisonOptions, fields: Mapping[str, FieldOutcome]) -> list[Pair]:
    """Compare every pair on every metric, with p corrected over the family: the pairs on the deciding metric, or on all."""
    requests = [PairRequest(metric, a, b) for metric in aligned.metrics for a, b in pairs_of(aligned.names, how.baseline)]
    by_number = {
        number: _with_names(figures, request, aligned, how)
        for columns in _group_by_queries(aligned, requests, how)
        for number, request, figures in zip(columns.numbers, columns.requests, compare_columns(columns, how), strict=True)
    }
    pairs = [by_number[number] for number in range(len(requests))]
    if how.bound_test.test.is_for_many:
        pairs = [
            _with_field_outcome(pair, fields.get(pair.metric), request)
            for pair, request in zip(pairs, requests, strict=True)
        ]
    deciding = aligned.metrics[0].name
    pairs = [replace(pair, is_in_family=how.correct_metrics or pair.metric == deciding) for pair in pairs]
    return with_corrected_p(pairs, [pair.metric for pair in pairs], how)


def decide(
    metric: BoundMetric,
    before: Column,
    now: Column,
    how: ComparisonOptions | None = None,
    names: tuple[str, str] = ("before", "now"),
    clusters: Clusters | None = None,
) -> Pair:
    """The decision about two systems on one metric: estimate, interval, p, and which is better.

    The columns have the scores of the same queries in the same order, and `clusters` the clusters of these queries. Columns
    of search logs have different users, and are compared without pairs. Every comparison of assay decides in this way.
    """
    chosen, request = how or ComparisonOptions(), PairRequest(metric, 0, 1)
    if is_about_users(metric):
        pair = Pair(metric=metric.name, a=names[0], b=names[1], **compare_users(metric, before, now, chosen))
        return with_corrected_p([pair], [metric.name], chosen)[0]
    is_composed = before.is_composed and now.is_composed
    defined = np.isfinite(before.score.astype(float)) & np.isfinite(now.score.astype(float))
    defined = before.counts & now.counts if is_composed else defined
    columns = PairColumns([0], [request], clusters=_clusters_of(clusters, defined))
    columns.add(before, now, defined)
    (figures,) = compare_columns(columns, chosen)
    pair = Pair(metric=metric.name, a=names[0], b=names[1], **figures)
    return with_corrected_p([pair], [metric.name], chosen)[0]


def with_corrected_p(pairs: Sequence[Pair], families: Sequence[Hashable], how: ComparisonOptions) -> list[Pair]:
    """The pairs with corrected p and significance; an interval includes zero if the difference is not significant.

    A test for many systems corrects for the pairs of a family itself, so p is corrected only for the number of families.
    """
    p = np.array([pair.p if pair.is_in_family else math.nan for pair in pairs])
    if how.bound_test.test.is_for_many:
        counted = {family for family, is_nan in zip(families, np.isnan(p).tolist(), strict=True) if not is_nan}
        corrected = p if how.correcting.name == "none" else np.minimum(p * len(counted), 1.0)
    else:
        corrected = correct(p, how.correcting.name)
    return [_decided(pair, p_corrected, how) for pair, p_corrected in zip(pairs, corrected.tolist(), strict=True)]


def _decided(pair: Pair, p: float, how: ComparisonOptions) -> Pair:
    is_significant = how.is_significant(p)
    decided = replace(pair, p_corrected=p, is_significant=is_significant)
    if is_significant or math.isnan(p) or pair.claim != "differs" or how.interval_method != AUTO:
        return decided
    return replace(decided, low=min(pair.low, 0.0), high=max(pair.high, 0.0))


def field_outcomes(aligned: Aligned, how: ComparisonOptions) -> dict[str, FieldOutcome]:
    """Metric → whether the systems differ at all, for a test for many systems; else empty."""
    if not how.bound_test.test.is_for_many:
        return {}
    outcomes = {}
    every = clusters_inside(aligned.results, how.cluster) if how.cluster else None
    for metric in aligned.metrics:
        if not _untested_reason(metric, aligned.results, how):
            scores = aligned.scores(metric.name)
            defined = np.asarray(np.isfinite(scores).all(axis=1))
            tested = averaged(scores[defined], metric.metric.aggregation)
            if (clusters := _clusters_of(every, defined)) is not None:
                tested = clusters.sums(tested)
            outcomes[metric.name] = how.bound_test.compare_many(Field(sign_of(metric) * tested, how.seed))
    return outcomes


def _untested_reason(metric: BoundMetric, results: Sequence[Result], how: ComparisonOptions) -> str:
    """Why these systems cannot be tested on a metric; empty if they can."""
    if metric.metric.view == "timing" and any(result.has_shared_times for result in results):
        return SHARED_TIMES
    aggregation, test = metric.metric.aggregation, how.bound_test
    estimates = [column for result in results if (column := result.table.columns[metric.name]).is_estimate]
    if estimates:
        if not all(column.counts.any() for column in estimates):
            return NO_OWN_SAMPLE
        return NO_ESTIMATES if test.test.is_for_many or how.cluster else ""
    if aggregation == MEAN:
        return ""
    is_measured = test.test.claim != "differs" or test.scale > 0  # the margin is in units of a query's score
    is_measured = is_measured or (test.test.is_bayesian and aggregation.figure is not None)
    return NO_TEST if is_measured or (test.test.is_for_many and aggregation not in AVERAGED) else ""


def _group_by_queries(aligned: Aligned, requests: Sequence[PairRequest], how: ComparisonOptions) -> Iterator[PairColumns]:
    """Pairs grouped by the queries on which both systems have a score; all systems, for a test for many systems."""
    clusters = clusters_inside(aligned.results, how.cluster) if how.cluster else None
    tables = {metric.name: aligned.scores(metric.name) for metric in aligned.metrics}
    groups: dict[bytes, PairColumns] = {}
    for number, request in enumerate(requests):
        scores = tables[request.metric.name]
        compared = scores if how.bound_test.test.is_for_many else scores[:, [request.a, request.b]]
        sides = [aligned.results[place].table.columns[request.metric.name] for place in (request.a, request.b)]
        defined = np.asarray(np.isfinite(compared).all(axis=1))
        if all(side.is_composed for side in sides):
            defined = sides[0].counts & sides[1].counts
        columns = groups.setdefault(defined.tobytes(), PairColumns(clusters=_clusters_of(clusters, defined)))
        columns.numbers.append(number)
        columns.requests.append(request)
        columns.add(sides[0], sides[1], defined)
    return iter(groups.values())


def _clusters_of(clusters: Clusters | None, defined: NDArray[np.bool_]) -> Clusters | None:
    """The clusters of the defined queries; None if each of them is its own cluster."""
    inside = None if clusters is None else clusters.taken(defined)
    return None if inside is None or inside.is_single else inside


def _with_names(figures: dict[str, Any], request: PairRequest, aligned: Aligned, how: ComparisonOptions) -> Pair:
    """The pair with the names of its systems, and without the figures that cannot be known for them."""
    systems = (aligned.results[request.a], aligned.results[request.b])
    untested = _untested_reason(request.metric, aligned.results if how.bound_test.test.is_for_many else systems, how)
    has_scores = all(system.table.columns[request.metric.name].has_scores for system in systems)
    unknown = (_UNTESTED if untested else {}) | (_UNKNOWN_FIGURES if untested == SHARED_TIMES else {})
    unknown |= {} if has_scores else _NO_SCORES
    names = {"metric": request.metric.name, "a": aligned.names[request.a], "b": aligned.names[request.b]}
    return Pair(**{**figures, **unknown, **names, "untested": untested})


_UNTESTED: dict[str, Any] = {"p": math.nan, "statistic": math.nan, "direction": 0, "draws": 0}
_UNKNOWN_FIGURES: dict[str, Any] = {
    **dict.fromkeys(("low", "high", "d_z", "cliffs_delta", "p_better", "p_equal"), math.nan),
    **dict.fromkeys(("wins", "ties", "losses"), 0),
}
"""Numbers that are unknown if single queries have no scores."""
_NO_SCORES: dict[str, Any] = {"cliffs_delta": math.nan, **dict.fromkeys(("wins", "ties", "losses"), 0)}
"""Numbers that are unknown if the value is computed from other parts than scores."""


def _with_field_outcome(pair: Pair, outcome: FieldOutcome | None, request: PairRequest) -> Pair:
    """The pair with the outcome of a test for many systems."""
    if outcome is None:
        return pair
    direction = int(np.sign(outcome.standing[request.b] - outcome.standing[request.a]))
    p = float(outcome.pairwise[request.a, request.b])
    es_hsd = math.nan if outcome.effect is None else float(outcome.effect[request.a, request.b])
    return replace(pair, p=p, direction=direction, draws=outcome.draws, es_hsd=es_hsd)
