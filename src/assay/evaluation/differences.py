"""Differences: why two results do not have the same values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from assay.evaluation.conventions import of_metric, of_policy
from assay.evaluation.explanation import SCORE_TOLERANCE
from assay.evaluation.result import Result
from assay.metrics import GAIN_LEVEL, BoundMetric
from assay.model import Policy
from assay.text import some_of


@dataclass(frozen=True)
class Compared:
    """One metric in both results: its values over all queries and over shared queries, and the queries that changed."""

    name: str
    first: float
    second: float
    first_shared: float
    second_shared: float
    moved: tuple[tuple[str, float, float], ...]
    """Query, score in the first result, score in the second; largest change first."""
    only_first: tuple[str, ...] = ()
    """Queries that count only in the first result."""
    only_second: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the values over all queries differ."""
        return not _is_same(self.first, self.second)

    @property
    def is_explained_by_queries(self) -> bool:
        """Whether the only difference is which queries count."""
        return self.differs and not self.moved and _is_same(self.first_shared, self.second_shared)


@dataclass(frozen=True)
class Redefined:
    """Two variants of one metric, each in only one of the results, which are easily confused."""

    first: BoundMetric
    second: BoundMetric
    first_value: float
    second_value: float

    @property
    def words(self) -> str:
        """What the second variant does differently."""
        return of_metric(self.second, self.first).words


@dataclass(frozen=True)
class Finding:
    """Something in which the two results differ: what it is, and its value in each."""

    what: str
    first: str
    second: str
    matters: bool = True
    """Whether it may change a value that both results have."""


@dataclass(frozen=True)
class Differences:
    """How two results differ, most important first, and how each metric differs."""

    first: Result
    second: Result
    findings: tuple[Finding, ...]
    same_rankings: bool | None
    """Whether judged documents have the same ranks in both; None if unknown, for example if the judgments differ."""
    metrics: tuple[Compared, ...]
    """Metrics that both results have."""
    redefined: tuple[Redefined, ...] = ()
    """Variants of one metric that are defined differently."""

    @property
    def same_judgments(self) -> bool | None:
        """Whether both have the same judgments; None if that is not recorded."""
        return _have_same_fingerprint(self.first, self.second, "judgments")


def differences_between(first: Result, second: Result) -> Differences:
    """Compare the judgments, rankings, queries, policies and metric definitions of two results."""
    shared = [name for name in first.summary if name in second.summary]
    metrics = tuple(_compare_metric(first, second, name) for name in shared)
    same_judgments = _have_same_fingerprint(first, second, "judgments")
    same_rankings = _have_same_fingerprint(first, second, "rankings") if same_judgments else None
    redefined = tuple(_redefined_metrics(first, second))
    findings = [
        *_data_findings(same_judgments, same_rankings, metrics),
        *_query_findings(metrics),
        *_policy_findings(first, second, metrics),
        *_metric_findings(first, second, redefined),
    ]
    return Differences(first, second, tuple(findings), same_rankings, metrics, redefined)


def _is_same(score: float, other: float) -> bool:
    return bool(abs(score - other) <= SCORE_TOLERANCE or (np.isnan(score) and np.isnan(other)))


def _have_same_fingerprint(first: Result, second: Result, what: str) -> bool | None:
    prints = [result.fingerprints.get(what) for result in (first, second)]
    return None if None in prints else prints[0] == prints[1]


def _data_findings(
    same_judgments: bool | None, same_rankings: bool | None, metrics: Sequence[Compared]
) -> Iterator[Finding]:
    matters = any(compared.moved or compared.only_first or compared.only_second for compared in metrics)
    if same_judgments is False:
        yield Finding("judgments", "one set", "a different set", matters)
    elif same_rankings is False:
        yield Finding("rankings", "one set", "a different set", any(compared.moved for compared in metrics))


def _query_findings(metrics: Sequence[Compared]) -> Iterator[Finding]:
    """Queries that count in only one result, for any metric that both have."""
    alone = [list(dict.fromkeys(query for compared in metrics for query in side(compared))) for side in _SIDES]
    if any(alone):
        first, second = (f"{len(names):,}: {some_of(names)}" if names else "–" for names in alone)
        yield Finding("queries in one result only", first, second)


_SIDES: tuple[Callable[[Compared], tuple[str, ...]], ...] = (
    lambda compared: compared.only_first,
    lambda compared: compared.only_second,
)


def _policy_findings(first: Result, second: Result, metrics: Sequence[Compared]) -> Iterator[Finding]:
    if first.profile != second.profile:
        yield Finding(
            "profile", first.profile or "none", second.profile or "none", any(compared.differs for compared in metrics)
        )
    bound = {metric.name: metric for metric in first.metrics}
    for setting in fields(Policy):
        ours, theirs = getattr(first.policy, setting.name), getattr(second.policy, setting.name)
        if ours != theirs:
            first_words, second_words = (of_policy(setting.name, value).words for value in (ours, theirs))
            matters = any(_may_change(setting.name, bound[compared.name], compared, (first, second)) for compared in metrics)
            yield Finding(setting.name.replace("_", " "), first_words, second_words, matters)


QUERY_SETTINGS = {"missing", "no_relevant"}
"""Fields that decide which queries count but do not change their scores."""
SETTINGS_WITHOUT_EFFECT = {"extra", "duplicates"}
"""Fields that cause an error or have no effect, as long as the rankings are the same."""


def _may_change(name: str, metric: BoundMetric, compared: Compared, results: tuple[Result, Result]) -> bool:
    """Whether a policy field may have changed this metric between these results."""
    drops = any(result.policy.no_relevant == "skip" for result in results)
    is_on_queries = name in QUERY_SETTINGS or (drops and name in ("rel", "negatives", "judged_only"))
    if is_on_queries and (compared.only_first or compared.only_second):
        return True
    if not compared.moved or name in QUERY_SETTINGS or name in SETTINGS_WITHOUT_EFFECT:
        return False
    if name == "rel":
        return "rel" in metric.params and GAIN_LEVEL not in metric.metric.params and metric.params["rel"] is None
    if name == "max_grade":
        return metric.params.get("max_grade", 0) is None or metric.params.get("gain") == "scale"
    if name == "ties":
        return any(result.ties.get("undecided", 1) for result in results)
    return True


def _redefined_metrics(first: Result, second: Result) -> Iterator[Redefined]:
    """Variants of one metric, each in only one of the results, paired with the most similar variant."""
    theirs = [
        metric for metric in second.metrics if metric.name in second.summary and metric.name not in first.table.columns
    ]
    for metric in first.metrics:
        like = [other for other in theirs if other.metric is metric.metric]
        if metric.name in first.summary and metric.name not in second.table.columns and like:
            nearest = min(like, key=lambda other, ours=metric: _n_different_params(ours, other))  # type: ignore[misc]
            theirs.remove(nearest)
            yield Redefined(metric, nearest, first.summary[metric.name], second.summary[nearest.name])


def _n_different_params(metric: BoundMetric, other: BoundMetric) -> int:
    return sum(metric.params[name] != other.params[name] for name in metric.params)


def _metric_findings(first: Result, second: Result, redefined: Sequence[Redefined]) -> Iterator[Finding]:
    """Metrics that only one of the results has."""
    for pair in redefined:
        yield Finding("definition", pair.first.name, pair.second.name)
    known = {metric.name for pair in redefined for metric in (pair.first, pair.second)}
    for ours, theirs, is_first in ((first, second, True), (second, first, False)):
        for name in ours.table.columns:
            if name not in theirs.table.columns and name not in known:
                yield Finding("metric", *((name, "–") if is_first else ("–", name)), matters=False)


def _compare_metric(first: Result, second: Result, name: str) -> Compared:
    ours, theirs = (
        {query: score for query, score in result.scores(name).items() if score == score} for result in (first, second)
    )
    shared = [query for query in ours if query in theirs]
    moved = [(query, ours[query], theirs[query]) for query in shared if abs(ours[query] - theirs[query]) > SCORE_TOLERANCE]
    moved.sort(key=lambda row: -abs(row[1] - row[2]))
    return Compared(
        name,
        first.summary[name],
        second.summary[name],
        _summary_over(first, name, shared),
        _summary_over(second, name, shared),
        tuple(moved),
        tuple(query for query in ours if query not in theirs),
        tuple(query for query in theirs if query not in ours),
    )


def _summary_over(result: Result, name: str, queries: list[str]) -> float:
    place = {query: number for number, query in enumerate(result.query_ids)}
    column = result.table.columns[name]
    at = np.array([place[query] for query in queries], dtype=np.int64)
    return column._replace(score=column.score[at], weight=column.weight[at]).summary()
