"""What the runner's tests share: a small benchmark, and retrievers that do as they are told."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from assay import BenchmarkDataset, Document, Hit, Query
from assay.execution import Response, RetryPolicy
from assay.execution.client import RetrieverClient
from assay.execution.pool import ask_concurrently
from assay.providers import adapt

QUICK = RetryPolicy(timeout=5.0, retries=2, backoff=0.001)
LONG = 60.0
"""Seconds until a test that waits for something gives up."""
AMPLE = 0.5
"""Seconds within which, on the busiest machine, everything is answered that does not hang."""


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


def answered(
    retriever: Any, n: int = 4, k: int = 10, batch: int = 1, policy: RetryPolicy = QUICK, grows: bool = False
) -> dict[str, Response]:
    """Query → answer, after checking that each query came once."""
    client = retriever if isinstance(retriever, RetrieverClient) else RetrieverClient(adapt(retriever))
    found = [answer for some in ask_concurrently(client, queries(n), k, batch, policy, grows=grows) for answer in some]
    assert sorted(answer.query for answer in found) == sorted(f"q{number}" for number in range(n))
    return {answer.query: answer for answer in found}


def failing(errors: dict[str, BaseException], every: bool = False) -> Callable[[Query], list[Hit]]:
    """Raises what stands beside a query, once or every time."""
    left = dict(errors)

    def answer(query: Query) -> list[Hit]:
        error = left.get(query.query_id) if every else left.pop(query.query_id, None)
        if error:
            raise error
        return right(query)

    return answer
