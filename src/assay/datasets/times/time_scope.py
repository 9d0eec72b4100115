"""Time scope: the documents that existed when a query was asked, and judgments that held at that time.

A document that is younger than its query could not have been found when the query was asked. With a time scope, such
documents are outside the scope of the query: they are neither retrieved nor judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from assay.errors import BadParameter, DataError
from assay.files import TABLE_COLUMNS, document_of
from assay.model import Query, RelevanceJudgment, Time, is_later, is_moment, parse_time, time_text
from assay.text import counted, some_of

if TYPE_CHECKING:
    from assay.datasets.dataset import BenchmarkDataset

QUERY = "query"
"""The word for: as of the time of each query."""
Pair = tuple[str, str]
"""Query and document."""
Intervals = dict[Pair, tuple[RelevanceJudgment, ...]]
"""Query and document → judgments that hold only for a time."""


@dataclass(frozen=True)
class AsOf:
    """The time as of which documents and judgments count: the time of each query, or a fixed time."""

    fixed: Time | None = None
    """None: the time of each query."""

    def __str__(self) -> str:
        return QUERY if self.fixed is None else time_text(self.fixed)

    def time_of(self, query: Query | None) -> Time | None:
        """The time for a query; None if it is unknown."""
        if self.fixed is not None:
            return self.fixed
        return None if query is None else query.time


AsOfSource = AsOf | Time | str | None
"""What a user can write: `query`, or a time."""


def parse_as_of(value: AsOfSource) -> AsOf | None:
    """`query`, or a time as `parse_time` reads it; None stays None."""
    if value is None or isinstance(value, AsOf):
        return value
    if isinstance(value, str) and value.strip().lower() == QUERY:
        return AsOf()
    try:
        return AsOf(parse_time(value))
    except DataError as error:
        raise BadParameter(f"as_of must be query or a time: {error.message}") from None


@dataclass(frozen=True)
class TimeLimits:
    """What a time scope left out of the ground truth of a dataset."""

    as_of: AsOf
    n_younger: int = 0
    """Judgments of documents that are younger than their query."""
    n_queries: int = 0
    """Queries with such judgments."""
    examples: tuple[str, ...] = ()
    n_undated_queries: int = 0
    """Queries without a time, if the time of each query counts. They may search all documents."""
    n_undated_documents: int = 0
    """Documents without a time. They count as older than every query."""

    @property
    def whose(self) -> str:
        """`the time of each query`, or the fixed time."""
        return "the time of each query" if self.as_of.fixed is None else time_text(self.as_of.fixed)

    @property
    def notes(self) -> list[str]:
        """What a reader should know, one sentence each."""
        than = "its query" if self.as_of.fixed is None else time_text(self.as_of.fixed)
        notes = []
        if self.n_younger:
            verb = "is" if self.n_younger == 1 else "are"
            what = f"{counted(self.n_younger, 'judgment')} of {counted(self.n_queries, 'query')} {verb} left out"
            notes.append(f"{what}, because the document is younger than {than} ({some_of(self.examples)})")
        if self.n_undated_queries:
            verb = "has" if self.n_undated_queries == 1 else "have"
            notes.append(f"{counted(self.n_undated_queries, 'query')} {verb} no time and can find documents of any time")
        if self.n_undated_documents:
            verb, pronoun = ("has", "It counts") if self.n_undated_documents == 1 else ("have", "They count")
            subject = counted(self.n_undated_documents, "document")
            notes.append(f"{subject} {verb} no time. {pronoun} as older than every query")
        return [f"as of {self.whose}: {note}." for note in notes]


def times_of_documents(dataset: BenchmarkDataset) -> dict[str, Time]:
    """Document → its time, for the documents that have one; in one pass. Also the files that chunks were cut from."""
    times: dict[str, Time] = {}
    for documents in (dataset.files or {}, dataset.documents):
        times |= {doc_id: document.time for doc_id, document in documents.items() if document.time is not None}
    return times


class TimeScope:
    """Which documents are younger than a query, or than the fixed time of the dataset."""

    def __init__(self, dataset: BenchmarkDataset, as_of: AsOf | None = None) -> None:
        self.as_of = as_of or dataset.as_of or AsOf()
        self._queries = dataset.queries
        self.times = times_of_documents(dataset) if self._needs_times() else {}

    @classmethod
    def of_times(cls, dataset: BenchmarkDataset, times: dict[str, Time]) -> TimeScope:
        """The scope of a dataset whose documents were read before."""
        scope = cls.__new__(cls)
        scope.as_of, scope._queries, scope.times = dataset.as_of or AsOf(), dataset.queries, times
        return scope

    def _needs_times(self) -> bool:
        return self.as_of.fixed is not None or any(query.time is not None for query in self._queries.values())

    def time_of_query(self, query_id: str) -> Time | None:
        """The time as of which documents count for a query; None if it is unknown."""
        return self.as_of.time_of(self._queries.get(query_id))

    def time_of_document(self, doc_id: str) -> Time | None:
        """The time of a document, or of the document that a chunk belongs to; None if it is unknown."""
        time = self.times.get(doc_id)
        return self.times.get(document_of(doc_id)) if time is None else time

    def is_younger(self, query_id: str, doc_id: str) -> bool:
        """Whether a document is younger than the query. If one of the two has no time, it is not."""
        limit, time = self.time_of_query(query_id), self.time_of_document(doc_id)
        return limit is not None and time is not None and is_later(time, limit)

    def allows(self, query_id: str) -> bool:
        """Whether some document may be too young for a query."""
        return self.time_of_query(query_id) is not None and bool(self.times)


def with_as_of(dataset: BenchmarkDataset, as_of: AsOf | None) -> BenchmarkDataset:
    """The dataset as of a time: judgments that held then, and no judgments of younger documents.

    Without `as_of`, only judgments that hold for a time are decided, by the time of their query. It is an error if the times
    that this needs are missing.
    """
    if as_of is None:
        return with_valid_judgments(dataset, AsOf()) if dataset.intervals else dataset
    if dataset.as_of is not None:
        if dataset.as_of == as_of:
            return dataset
        raise BadParameter(f"{dataset.name} is already as of {dataset.as_of}. Load it again to use {as_of}")
    scope = TimeScope(dataset, as_of)
    _check_times(dataset, scope)
    valid = with_valid_judgments(dataset, as_of) if dataset.intervals else dataset
    return _without_younger(valid, scope)


def _check_times(dataset: BenchmarkDataset, scope: TimeScope) -> None:
    """Raise if there is nothing to compare."""
    if scope.as_of.fixed is None and not any(query.time is not None for query in dataset.queries.values()):
        none = _none_of(len(dataset.queries), "query", dataset.name)
        names = ", ".join(TABLE_COLUMNS["queries"]["time"])
        advice = f"Give the queries times (accepted names: {names}), or write a day: --as-of 2024-05-01"
        raise DataError(f"as_of=query needs the times of queries, but {none}. {advice}")
    if not scope.times and not dataset.intervals:
        none = _none_of(len(dataset.documents), "document", dataset.name)
        names = ", ".join(TABLE_COLUMNS["documents"]["time"])
        advice = f"Give the documents times (accepted names: {names}), or remove as_of"
        raise DataError(f"as_of={scope.as_of} needs the times of documents, but {none}. {advice}")


def _none_of(count: int, noun: str, dataset: str) -> str:
    if not count:
        return f"{dataset} has no {'queries' if noun == 'query' else 'documents'}"
    return f"the only {noun} of {dataset} does not have one" if count == 1 else f"none of the {count:,} of {dataset} has one"


def younger_judged(dataset: BenchmarkDataset, scope: TimeScope, *, only_relevant: bool = False) -> Iterator[Pair]:
    """Judged documents (or evidence) that are younger than their query."""
    for query_id, judged in dataset.qrels.items():
        if scope.time_of_query(query_id) is not None:
            for doc, grade in judged.items():
                if (grade > 0 or not only_relevant) and scope.is_younger(query_id, doc):
                    yield query_id, doc
    for query_id, query in dataset.queries.items():
        for doc in query.evidence or ():
            if doc not in dataset.qrels.get(query_id, ()) and scope.is_younger(query_id, doc):
                yield query_id, doc


def _without_younger(dataset: BenchmarkDataset, scope: TimeScope) -> BenchmarkDataset:
    """The dataset without judgments, evidence and gold spans of documents that are younger than their query."""
    younger = dict.fromkeys(younger_judged(dataset, scope))
    younger |= {
        (query, span.doc_id): None
        for query, spans in dataset.spans.items()
        for span in spans
        if scope.is_younger(query, span.doc_id)
    }
    limits = TimeLimits(
        scope.as_of,
        len(younger),
        len({query for query, _ in younger}),
        tuple(f"{query}/{doc}" for query, doc in list(younger)[:MAX_EXAMPLES]),
        sum(scope.time_of_query(query) is None for query in dataset.queries),
        len(dataset.documents) - sum(doc in scope.times for doc in dataset.documents) if scope.times else 0,
    )
    return replace(
        dataset,
        as_of=scope.as_of,
        time_limits=limits,
        queries={key: _with_evidence(query, younger) for key, query in dataset.queries.items()},
        qrels={
            query: {doc: grade for doc, grade in judged.items() if (query, doc) not in younger}
            for query, judged in dataset.qrels.items()
        },
        subtopics={pair: grades for pair, grades in dataset.subtopics.items() if pair not in younger},
        judgments={pair: judgment for pair, judgment in dataset.judgments.items() if pair not in younger},
        spans={
            query: [span for span in spans if (query, span.doc_id) not in younger] for query, spans in dataset.spans.items()
        },
    )


MAX_EXAMPLES = 20
"""How many examples are kept."""


def _with_evidence(query: Query, younger: Mapping[Pair, None]) -> Query:
    if not query.evidence or not any((query.query_id, doc) in younger for doc in query.evidence):
        return query
    return replace(query, evidence=tuple(doc for doc in query.evidence if (query.query_id, doc) not in younger))


@dataclass(frozen=True)
class ValidJudgments:
    """How many judgments hold only for a time, and how many of them do not hold at the time of their query."""

    n_intervals: int = 0
    n_pairs: int = 0
    n_invalid: int = 0
    examples: tuple[str, ...] = field(default=())

    @property
    def notes(self) -> list[str]:
        """What a reader should know."""
        if not self.n_intervals:
            return []
        subject = f"{self.n_invalid:,} of {counted(self.n_pairs, 'judged pair')} with valid_from or valid_to"
        verb = "does" if self.n_invalid == 1 else "do"
        cases = f" ({some_of(self.examples)})" if self.examples else ""
        fate = "is left out" if self.n_invalid == 1 else "are left out"
        return [f"{subject} {verb} not hold at the time of the query and {fate}{cases}."]


def with_valid_judgments(dataset: BenchmarkDataset, as_of: AsOf) -> BenchmarkDataset:
    """The dataset with the grades that hold at the time of each query. A query without a time is an error."""
    qrels = {query: dict(judged) for query, judged in dataset.qrels.items()}
    invalid: list[str] = []
    for (query, doc), judgments in dataset.intervals.items():
        time = as_of.time_of(dataset.queries.get(query))
        if time is None:
            advice = "Give the query a time, or write a day: --as-of 2024-05-01"
            what = f"its judgment of document {doc} holds only for a time (valid_from, valid_to)"
            raise DataError(f"query {query} has no time, but {what}. {advice}")
        judged = qrels.setdefault(query, {})
        judged.pop(doc, None)
        valid = [judgment for judgment in judgments if judgment.holds_at(time)]
        if valid:
            judged[doc] = valid[-1].relevance_grade
        else:
            invalid.append(f"{query}/{doc}")
    n_intervals = sum(map(len, dataset.intervals.values()))
    valid_judgments = ValidJudgments(n_intervals, len(dataset.intervals), len(invalid), tuple(invalid[:MAX_EXAMPLES]))
    return replace(dataset, qrels=qrels, valid_judgments=valid_judgments)


def add_interval(intervals: Intervals, judgment: RelevanceJudgment) -> None:
    """Add a judgment that holds only for a time, in the order of time. Two that hold at the same time are an error.

    Where one moment ends an interval and starts the next, the later one holds.
    """
    pair = judgment.query_id, judgment.doc_id
    judgments = sorted((*intervals.get(pair, ()), judgment), key=_start)
    for before, after in pairwise(judgments):
        if _overlap(before, after):
            spans = " and ".join(f"{_text(each.valid_from)} to {_text(each.valid_to)}" for each in (before, after))
            whose = f"document {pair[1]} has two judgments for query {pair[0]} that hold at the same time"
            raise DataError(f"{whose} ({spans}); change valid_from or valid_to")
    intervals[pair] = tuple(judgments)


def _start(judgment: RelevanceJudgment) -> str:
    return "" if judgment.valid_from is None else time_text(judgment.valid_from)


def _text(time: Time | None) -> str:
    return "…" if time is None else time_text(time)


def _overlap(before: RelevanceJudgment, after: RelevanceJudgment) -> bool:
    if before.valid_to is None or after.valid_from is None:
        return True
    end, start = before.valid_to, after.valid_from
    return not is_later(start, end) and not (start == end and is_moment(start) and is_moment(end))
