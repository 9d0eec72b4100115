"""Time filter: rankings without documents that are younger than their query, if the dataset is as of a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assay.datasets import BenchmarkDataset, TimeScope
from assay.evaluation.result import Result
from assay.evaluation.times.ages import TOP_RANKS
from assay.files import as_source, brings_hits, hits_of
from assay.model import Hit, Query, Run
from assay.text import counted


class TimeFiltered(NamedTuple):
    """A run, and what was removed from it."""

    run: Any
    notes: tuple[str, ...] = ()


def without_younger(run: Any, dataset: BenchmarkDataset, duplicates: str) -> TimeFiltered:
    """The run without documents that are out of the time scope of their query, with a note on how many there were."""
    if dataset.as_of is None:
        return TimeFiltered(run)
    scope = TimeScope(dataset)
    source = as_source(run)
    hits = hits_of(source) if brings_hits(source) else None
    if hits is not None:
        kept_hits = {query: _kept_hits(scope, query, some) for query, some in hits.items()}
        return TimeFiltered(kept_hits, _notes(dataset, _counts(hits, kept_hits)))
    whole = source if isinstance(source, Run) else Run(source, duplicates=duplicates)
    rankings = dict(zip(whole.query_ids, whole.rankings, strict=True))
    kept = {query: _kept(scope, query, ranking) for query, ranking in rankings.items()}
    counts = _counts(rankings, kept)
    if not counts:
        return TimeFiltered(whole, _notes(dataset, counts))
    return TimeFiltered(whole.with_rankings(kept), _notes(dataset, counts))


def _kept(scope: TimeScope, query: str, ranking: dict[str, float]) -> dict[str, float]:
    if not scope.allows(query):
        return ranking
    return {doc: score for doc, score in ranking.items() if not scope.is_younger(query, doc)}


def _kept_hits(scope: TimeScope, query: str, hits: Sequence[Hit]) -> Sequence[Hit]:
    return [hit for hit in hits if not scope.is_younger(query, hit.doc_id)] if scope.allows(query) else hits


def _counts(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, int]:
    """Query → how many documents were removed, if any."""
    counts = {query: len(before[query]) - len(after[query]) for query in before}
    return {query: count for query, count in counts.items() if count}


def _notes(dataset: BenchmarkDataset, counts: Mapping[str, int]) -> tuple[str, ...]:
    """What the time scope left out, first of the rankings, then of the judgments."""
    limits = dataset.time_limits
    if limits is None:
        return ()
    removed = f"{counted(sum(counts.values()), 'retrieved document')} of {counted(len(counts), 'query')}"
    is_one = sum(counts.values()) == 1
    verb, who, whose = ("is", "it is", "its") if is_one else ("are", "they are", "their")
    than = f"{whose} query" if limits.as_of.fixed is None else str(limits.as_of)
    what = f"{removed} {verb} removed, because {who} younger than {than}"
    return (*([f"as of {limits.whose}: {what}."] if counts else []), *limits.notes)


def with_age_tags(result: Result, queries: Mapping[str, Query]) -> Mapping[str, Query]:
    """The queries of a result with a tag for the age of the document that they look for."""
    grader = result.grader
    if grader is None or grader.ages is None:
        return queries
    return grader.ages.tagged(queries, grader.main_grading(result.settings, result.policy).run)


def notes_on_younger(result: Result, dataset: BenchmarkDataset) -> list[str]:
    """A note on retrieved documents that are younger than their query, unless a time scope leaves them out."""
    grader = result.grader
    if dataset.as_of is not None or grader is None or grader.ages is None:
        return []
    run = grader.main_grading(result.settings, result.policy).run
    return grader.ages.notes(run, grader.documents(result.policy.rank_rule, TOP_RANKS))
