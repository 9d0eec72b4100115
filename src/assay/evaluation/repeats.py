"""Repeats: one result from several, if every query was sent several times; and the rankings that differ between results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.evaluation.grader import aligned_tables
from assay.evaluation.result import Result
from assay.model import PERCENTAGE_OF_SUMS, Column, ScoreTable

Ranking = Mapping[str, float]


def combine_repeats(repeats: Sequence[Result]) -> Result:
    """One result whose scores are means over the results of the repeats; it keeps all rankings and scores.

    A repeat that failed on a query counts with its score of 0. Scores that do not exist, such as the time of a query that
    failed, are left out of the mean. Texts, and values that are not computed from scores, are those of the first repeat.
    """
    first = repeats[0]
    if len(repeats) == 1:
        return first
    means, scores = mean_scores([repeat.table for repeat in repeats])
    queries = dict.fromkeys(query for repeat in repeats for query in repeat.run)
    rankings = {query: [repeat.run[query] for repeat in repeats if query in repeat.run] for query in queries}
    return first.subset(metrics=list(means.columns)).with_fields(
        table=means,
        repeats=scores,
        counts={**first.counts, "scored": len(means.query_ids)},
        run={query: some[0] for query, some in rankings.items()},
        reruns={query: some[1:] for query, some in rankings.items()},
        said={query: fields for repeat in reversed(repeats) for query, fields in repeat.said.items()},
        failures=_failures(repeats),
        notes=(*first.notes, _note(means, len(repeats))),
    )


def _note(means: ScoreTable, n: int) -> str:
    """How often each query was sent, and which values are no means over the repeats."""
    note = f"Each query was sent {n} times. Scores are means over these repeats."
    kept = [name for name, column in means.columns.items() if column.aggregation.summarise and _is_first(column)]
    return note if not kept else f"{note} {' and '.join(kept)} {'is' if len(kept) == 1 else 'are'} of the first repeat."


def _is_first(column: Column) -> bool:
    """Whether the value over repeats is that of the first one."""
    return not _is_averaged(column) and column.aggregation != PERCENTAGE_OF_SUMS


def mean_scores(repeats: Sequence[ScoreTable]) -> tuple[ScoreTable, dict[str, Floats]]:
    """The means over the tables of the repeats for the metrics that all of them have, and metric → queries × repeats."""
    tables = _over_the_same_queries(list(repeats))
    names = [name for name in tables[0].columns if all(name in table.columns for table in tables)]
    every = {name: [table.columns[name] for table in tables] for name in names}
    means = ScoreTable(tables[0].query_ids, {name: _mean_column(columns) for name, columns in every.items()})
    return means, {name: _side_by_side(columns) for name, columns in every.items() if _is_averaged(columns[0])}


def rankings_of_repeat(result: Result, repeat: int) -> Mapping[str, Ranking]:
    """Query → the ranking with this number, counted from 0; without queries with fewer rankings, because repeats failed."""
    if not repeat:
        return result.run
    return {query: some[repeat - 1] for query, some in result.reruns.items() if repeat <= len(some)}


def _over_the_same_queries(tables: list[ScoreTable]) -> list[ScoreTable]:
    """The tables over all queries in the same order. A query that does not count in one of them has no score there."""
    if all(table.query_ids == tables[0].query_ids for table in tables):
        return tables
    query_ids = tuple(dict.fromkeys(query for table in tables for query in table.query_ids))
    empty = ScoreTable(query_ids, {})
    return [aligned_tables([empty, table]) for table in tables]


def _is_averaged(column: Column) -> bool:
    """Whether a metric has a score for each query, and its value is computed from these scores."""
    return column.aggregation.summarise is not None and not column.is_composed


def _side_by_side(columns: Sequence[Column]) -> Floats:
    """Queries × repeats."""
    return np.column_stack([column.score.astype(float) for column in columns])


def _mean_column(columns: Sequence[Column]) -> Column:
    first = columns[0]
    if _is_averaged(first):
        return Column.of(_mean(_side_by_side(columns)), first.aggregation)
    if _is_first(first):
        return first
    weight = np.stack([column.weight for column in columns], axis=2)
    return Column(_mean(_side_by_side(columns)), _mean(weight), first.aggregation)


def _mean(scores: Floats) -> Floats:
    """The mean over the last axis without undefined scores; nan if all are undefined. The mean of equal scores is exact."""
    known = ~np.isnan(scores)
    n = known.sum(axis=-1)
    highest = np.where(known, scores, -np.inf).max(axis=-1)
    is_equal = highest == np.where(known, scores, np.inf).min(axis=-1)
    means = np.where(known, scores, 0.0).sum(axis=-1) / np.maximum(n, 1)
    return np.where(n > 0, np.where(is_equal, highest, means), np.nan)


def _failures(repeats: Sequence[Result]) -> dict[str, str]:
    """Query → why it failed. If only some repeats failed, the reason says how many."""
    reasons: dict[str, list[str]] = {}
    for repeat in repeats:
        for query, reason in repeat.failures.items():
            reasons.setdefault(query, []).append(reason)
    return {
        query: some[0] if len(some) == len(repeats) else f"{len(some)} of {len(repeats)} repeats: {some[0]}"
        for query, some in reasons.items()
    }


# The same configuration with other rankings

SAME_FIELDS = ("provider", "files", "k", "chunks", "assay", "python", "packages")
"""Fields of a provenance that are equal if a provider was run with the same configuration and code."""
CHUNK_TIMES = ("seconds",)


class ChangedRankings(NamedTuple):
    """How many of the shared queries have other rankings in a later result, although the configuration is the same."""

    n_changed: int
    n_queries: int


def changed_rankings(before: Result, now: Result) -> ChangedRankings | None:
    """The queries whose ranking changed without a change of configuration; None if it changed or is unknown.

    Results with uncommitted changes in the repository are not compared, because the code may differ. A ranking is the order
    of the documents. If queries were sent several times before, a ranking is new if it was not returned at that time.
    """
    if not _has_same_configuration(before, now):
        return None
    shared = [query for query in now.run if query in before.run]
    changed = [query for query in shared if _order(now.run[query]) not in _known_orders(before, query)]
    return ChangedRankings(len(changed), len(shared))


def _known_orders(result: Result, query: str) -> list[list[str]]:
    return [_order(ranking) for ranking in (result.run[query], *result.reruns.get(query, ()))]


def _order(ranking: Ranking) -> list[str]:
    """Documents by score, best first; equal scores by id, because their order has no meaning."""
    return sorted(ranking, key=lambda doc: (-ranking[doc], doc))


def _has_same_configuration(before: Result, now: Result) -> bool:
    old, new = before.provenance, now.provenance
    if "provider" not in old or "provider" not in new or before.benchmark != now.benchmark:
        return False
    data = [about.get("dataset", {}).get("fingerprints") for about in (old, new)]
    repositories = [about.get("repository") or {} for about in (old, new)]
    return (
        data[0] == data[1]
        and repositories[0] == repositories[1]
        and not any(repository.get("dirty") for repository in repositories)
        and all(_plain(old.get(name)) == _plain(new.get(name)) for name in SAME_FIELDS)
        and old.get("stage") == new.get("stage")
    )


def _plain(value: Any) -> Any:
    """A field without the times in it."""
    return {name: inner for name, inner in value.items() if name not in CHUNK_TIMES} if isinstance(value, Mapping) else value
