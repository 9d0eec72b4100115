"""Differences: why two results do not have the same figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from assay.evaluation.conventions import of_policy
from assay.evaluation.result import Result
from assay.model.policy import Policy
from assay.text import some_of

SAME = 1e-12


@dataclass(frozen=True)
class Compared:
    """One metric of both results: the summaries, the same over shared queries alone, and the queries that moved."""

    name: str
    first: float
    second: float
    first_shared: float
    second_shared: float
    moved: tuple[tuple[str, float, float], ...]
    """Query, score in the first, score in the second; largest change first."""

    @property
    def differs(self) -> bool:
        """Whether the summaries are different figures."""
        return not (abs(self.first - self.second) <= SAME or (np.isnan(self.first) and np.isnan(self.second)))


@dataclass(frozen=True)
class Finding:
    """Something the two results do not share: what it is, and how it is in each."""

    what: str
    first: str
    second: str


@dataclass(frozen=True)
class Differences:
    """What two results do not share, the gravest first, and what becomes of each metric."""

    first: Result
    second: Result
    findings: tuple[Finding, ...]
    same_rankings: bool
    """Whether judged documents stand at the same places in both."""
    metrics: tuple[Compared, ...]


def differences_between(first: Result, second: Result) -> Differences:
    """Judgments, rankings, policy, definitions of metrics, and queries, one after the other."""
    shared = [name for name in first.summary if name in second.summary]
    findings = [
        *_on_data(first, second),
        *_on_policy(first, second),
        *_on_metrics(first, second),
        *_on_queries(first, second),
    ]
    same_rankings = "rankings" in first.fingerprints and not _differ(first, second, "rankings")
    return Differences(
        first, second, tuple(findings), same_rankings, tuple(_compared(first, second, name) for name in shared)
    )


def _differ(first: Result, second: Result, what: str) -> bool:
    return first.fingerprints.get(what) != second.fingerprints.get(what)


def _on_data(first: Result, second: Result) -> Iterator[Finding]:
    prints = [(one.fingerprints.get("judgments", "?"), one.fingerprints.get("rankings", "?")) for one in (first, second)]
    if _differ(first, second, "judgments"):
        yield Finding("judgments", prints[0][0], prints[1][0])
    if _differ(first, second, "rankings"):
        yield Finding("rankings", prints[0][1], prints[1][1])


def _on_policy(first: Result, second: Result) -> Iterator[Finding]:
    if first.profile != second.profile:
        yield Finding("profile", first.profile or "none", second.profile or "none")
    for setting in fields(Policy):
        ours, theirs = getattr(first.policy, setting.name), getattr(second.policy, setting.name)
        if ours != theirs:
            words = [of_policy(setting.name, value).words for value in (ours, theirs)]
            yield Finding(setting.name.replace("_", " "), *words)


def _on_metrics(first: Result, second: Result) -> Iterator[Finding]:
    """Metrics of one result alone; those of one kind are set side by side, for they are what people confuse."""
    ours = [metric for metric in first.metrics if metric.name not in second.table.columns]
    theirs = [metric for metric in second.metrics if metric.name not in first.table.columns]
    for metric in ours:
        like = [other for other in theirs if other.metric is metric.metric]
        yield Finding("definition" if like else "metric", metric.name, ", ".join(other.name for other in like) or "–")
    kinds = [metric.metric for metric in ours]
    for metric in theirs:
        if metric.metric not in kinds:
            yield Finding("metric", "–", metric.name)


def _on_queries(first: Result, second: Result) -> Iterator[Finding]:
    every = [set(one.query_ids) for one in (second, first)]
    alone = [
        [query for query in one.query_ids if query not in others] for one, others in zip((first, second), every, strict=True)
    ]
    if any(alone):
        yield Finding("queries only there", *(f"{len(names):,}: {some_of(names)}" if names else "–" for names in alone))


def _compared(first: Result, second: Result, name: str) -> Compared:
    ours, theirs = first.scores(name), second.scores(name)
    shared = [query for query in ours if query in theirs and ours[query] == ours[query] and theirs[query] == theirs[query]]
    moved = [(query, ours[query], theirs[query]) for query in shared if abs(ours[query] - theirs[query]) > SAME]
    moved.sort(key=lambda row: -abs(row[1] - row[2]))
    return Compared(
        name,
        first.summary[name],
        second.summary[name],
        _summary_over(first, name, shared),
        _summary_over(second, name, shared),
        tuple(moved),
    )


def _summary_over(result: Result, name: str, queries: list[str]) -> float:
    place = {query: number for number, query in enumerate(result.query_ids)}
    column = result.table.columns[name]
    at = np.array([place[query] for query in queries], dtype=np.int64)
    return column._replace(score=column.score[at], weight=column.weight[at]).summary()
