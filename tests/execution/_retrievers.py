"""What the tests of execution share: a small benchmark, retrievers that do as they are told, and a way to ask them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from assay import BenchmarkDataset, Document, Hit, Query
from assay.execution import Part, Progress, Response, RetryPolicy, collect_responses
from assay.providers import BoundProvider, Provider

AT_ONCE = RetryPolicy(timeout=5.0, retries=0, backoff=0.0)
QUICK = RetryPolicy(timeout=5.0, retries=2, backoff=0.0)
LONG = 60.0
"""Seconds until a test that waits for something gives up."""


def queries(n: int) -> list[Query]:
    """q0, q1, …"""
    return [Query(f"q{number}", f"text {number}") for number in range(n)]


def benchmark(n: int = 4, name: str = "small") -> BenchmarkDataset:
    """Queries q0 …, each with one relevant document d0 …"""
    return BenchmarkDataset(
        name,
        queries={query.query_id: query for query in queries(n)},
        documents={f"d{number}": Document(f"d{number}", f"text {number}") for number in range(n)},
        qrels={f"q{number}": {f"d{number}": 1.0} for number in range(n)},
    )


def right(query: Query) -> list[Hit]:
    """The one relevant document."""
    return [Hit(f"d{query.query_id[1:]}", 1.0)]


class Told:
    """Answers each query with what a function says; remembers what it was asked, and how much at once."""

    def __init__(self, answer: Callable[[Query], Any] = right, batch: int = 1000) -> None:
        self.answer, self.batch = answer, batch
        self.asked: list[list[str]] = []
        self.n_now = self.most = 0
        self._lock = threading.Lock()

    def index(self, documents: Any) -> None:
        self.documents = [document.doc_id for document in documents]

    def search(self, queries: Any, k: int) -> list[Any]:
        with self._lock:
            self.asked.append([query.query_id for query in queries])
            self.n_now += 1
            self.most = max(self.most, self.n_now)
        try:
            return [self.answer(query) for query in queries]
        finally:
            with self._lock:
                self.n_now -= 1

    def times(self, query: str) -> int:
        """How often a query was asked."""
        return sum(some.count(query) for some in self.asked)

    def sizes(self) -> list[int]:
        """How many queries came at once, each time."""
        return [len(some) for some in self.asked]


def own(retriever: Any, name: str = "own", **how: Any) -> BoundProvider:
    """A provider of this retriever."""
    return BoundProvider(Provider(name, "", lambda: retriever, **how), {})


def collected(
    provider: Any,
    n: int = 4,
    dataset: BenchmarkDataset | None = None,
    known: Mapping[str, Response] | None = None,
    policy: RetryPolicy = QUICK,
    watch: Callable[[Progress], None] = lambda _: None,
    k: int = 10,
    **how: Any,
) -> dict[str, Response]:
    """Query → response of a provider, or of a retriever, for the queries of a benchmark."""
    dataset = dataset or benchmark(n)
    bound = provider if isinstance(provider, BoundProvider) else own(provider)
    part = Part(dataset, bound, dataset.queries, k, policy, **how)
    return collect_responses(part, known or {}, None, Progress(part.name, len(part.queries), watch=watch))


def errors(responses: Mapping[str, Response]) -> dict[str, str]:
    """Query → error, of those that have one."""
    return {query: response.error for query, response in responses.items() if response.error is not None}


def failing(errors: dict[str, BaseException], every: bool = False) -> Callable[[Query], list[Hit]]:
    """Raises what stands beside a query, once or every time."""
    left = dict(errors)

    def answer(query: Query) -> list[Hit]:
        error = left.get(query.query_id) if every else left.pop(query.query_id, None)
        if error:
            raise error
        return right(query)

    return answer


def fallible(*queries: str) -> tuple[Told, set[str]]:
    """A retriever that fails on these queries, and the set of them, from which they can be taken."""
    fails = set(queries)

    def answer(query: Query) -> list[Hit]:
        if query.query_id in fails:
            raise ValueError("told to fail")
        return right(query)

    return Told(answer), fails
