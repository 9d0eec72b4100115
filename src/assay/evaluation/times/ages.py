"""Ages: how old documents were when a query was asked, from the times of a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import chain, repeat
from typing import Any

import numpy as np

from assay.arrays import Bools, Floats
from assay.datasets import BenchmarkDataset, TimeScope
from assay.metrics import find_metrics
from assay.model import RELEVANT_AGE, Qrels, Query, Time, age_bin
from assay.text import counted, some_of
from assay.views import Ages, Documents, GradedRun

SECONDS_PER_DAY = 86_400.0
UNIX_DAY = datetime(1970, 1, 1).toordinal()
TOP_RANKS = 10
"""Ranks in which documents that are younger than their query are counted."""


class AgeSource:
    """The ages of documents for queries: query time − document time, in days.

    The time of a query is the fixed time of the time scope, if there is one.
    """

    def __init__(self, scope: TimeScope) -> None:
        self._scope = scope

    @classmethod
    def of(cls, dataset: BenchmarkDataset) -> AgeSource | None:
        """The source of a dataset; None if no query or no document has a time."""
        is_fixed = dataset.as_of is not None and dataset.as_of.fixed is not None
        if not is_fixed and not any(query.time is not None for query in dataset.queries.values()):
            return None
        scope = TimeScope(dataset)
        return cls(scope) if scope.times else None

    @cached_property
    def _seconds(self) -> dict[str, float]:
        """Document → seconds since 1970."""
        return {doc: seconds_of(time) for doc, time in self._scope.times.items()}

    @cached_property
    def _days(self) -> frozenset[str]:
        """Documents of which only the day is known."""
        return frozenset(doc for doc, time in self._scope.times.items() if not isinstance(time, datetime))

    def ages(self, queries: Sequence[str], docs: Iterable[str], counts: Sequence[int]) -> Floats:
        """The age of each document; `counts` says how many of them belong to each query."""
        times = [self._scope.time_of_query(query) for query in queries]
        asked = np.repeat([np.nan if time is None else seconds_of(time) for time in times], counts)
        has_day = np.repeat([time is not None and not isinstance(time, datetime) for time in times], counts)
        docs = list(docs)
        written = np.fromiter(map(self._seconds.get, docs, repeat(np.nan)), np.float64, len(docs))
        for place in np.flatnonzero(np.isnan(written)).tolist():  # chunks that are known by the name of their document
            if (time := self._scope.time_of_document(docs[place])) is not None:
                written[place] = seconds_of(time)
        is_day = has_day.astype(bool)
        if self._days:
            is_day |= np.fromiter(map(self._days.__contains__, docs), bool, len(docs))
        exact = (asked - written) / SECONDS_PER_DAY
        return np.where(is_day, np.floor(asked / SECONDS_PER_DAY) - np.floor(written / SECONDS_PER_DAY), exact)

    def of_judgments(self, qrels: Qrels) -> Floats:
        """The age of every judged document, in the order of the judgments."""
        return self.ages(qrels.query_ids, qrels.docs, np.diff(qrels.offsets).tolist())

    def view(self, run: GradedRun, documents: Documents, k: int | None) -> Ages:
        """The ages of the first k retrieved documents of each query of a graded run."""
        ranked = [documents(query, k) for query in run.query_ids]
        counts = list(map(len, ranked))
        length = np.array(counts, dtype=np.int64)
        query = np.repeat(np.arange(len(counts)), length)
        rank = np.arange(1, len(query) + 1) - np.repeat(np.cumsum(length) - length, length)
        return Ages(run, query, rank, self.ages(run.query_ids, chain.from_iterable(ranked), counts), self.is_timed(run))

    def is_timed(self, run: GradedRun) -> Bools:
        """Which queries of a run have a time."""
        return np.array([self._scope.time_of_query(query) is not None for query in run.query_ids], dtype=bool)

    def tagged(self, queries: Mapping[str, Query], run: GradedRun) -> dict[str, Query]:
        """The queries with a tag for the age of the document that they look for, if it is known."""
        (metric,) = find_metrics([RELEVANT_AGE])
        ages: Any = metric.score(Ages.of_judged(run, self.is_timed(run)))
        known = {query: age_bin(age) for query, age in zip(run.query_ids, ages.tolist(), strict=True) if age == age}
        return {key: _with_tag(query, known[key]) if key in known else query for key, query in queries.items()}

    def notes(self, run: GradedRun, documents: Documents) -> list[str]:
        """A note on documents among the first ten that are younger than their query."""
        timed = run.select(self.is_timed(run))
        ranked = {query: documents(query, TOP_RANKS) for query in timed.query_ids}
        ages = self.ages(timed.query_ids, chain.from_iterable(ranked.values()), list(map(len, ranked.values())))
        pairs = [(query, doc) for query, docs in ranked.items() for doc in docs]
        younger = [pairs[place] for place in np.flatnonzero(ages < 0).tolist()]
        if not younger:
            return []
        queries = len({query for query, _ in younger})
        relevant = timed.relevant().top(TOP_RANKS)
        n_relevant = 0 if relevant.age is None else int((relevant.age < 0).sum())
        what = f"{counted(len(younger), 'document')} in the first {TOP_RANKS} of {counted(queries, 'query')}"
        verb, whose = "is" if len(younger) == 1 else "are", "its" if queries == 1 else "their"
        than = f"{verb} younger than {whose} query, {n_relevant:,} of them relevant"
        examples = some_of(["/".join(pair) for pair in younger])
        fix = "Such a document could not be found when the query was asked. To leave them out: --as-of query"
        return [f"{what} {than} ({examples}). {fix}."]


def _with_tag(query: Query, value: str) -> Query:
    """The query with the tag, unless it has one of this name."""
    return replace(query, metadata={RELEVANT_AGE: value, **(query.metadata or {})})


def seconds_of(time: Time) -> float:
    """Seconds since 1970; a day begins at midnight, UTC."""
    if isinstance(time, datetime):
        return time.timestamp()
    return (time.toordinal() - UNIX_DAY) * SECONDS_PER_DAY
