"""The runner and its providers, against bare loops and bare libraries on the same data."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from assay.datasets import BenchmarkDataset
from assay.evaluation import OWN, settings_of
from assay.execution import Part, Progress, RetryPolicy, collect_responses
from assay.execution.client import RetrieverClient
from assay.execution.pool import ask_concurrently
from assay.execution.responses import ResponseLog
from assay.execution.retrieve import wrap_retriever
from assay.execution.runner import score_part
from assay.grammar import mark_written
from assay.metrics import find_metrics
from assay.model import Document, Hit, Query
from assay.providers import parse_provider
from assay.providers.nearest import top_k
from benchmarks._timing import Row, best_time, faster, within

WORDS = np.array([f"word{number}" for number in range(30_000)])


def measure() -> Iterator[Row]:
    """From memory, BM25, nearest vectors, and a slow service."""
    yield _from_memory()
    yield _bm25()
    yield _nearest()
    yield _service()


class Memory:
    """Answers that are there already."""

    def __init__(self, answers: dict[str, list[Hit]]) -> None:
        self.answers = answers

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        return [self.answers[query.query_id][:k] for query in queries]


def _from_memory() -> Row:
    queries = {f"q{n}": Query(f"q{n}", "text") for n in range(100_000)}
    answers = {query: [Hit(f"d{n}", 10.0 - n) for n in range(10)] for query in queries}
    qrels = {query: {"d3": 1.0, "d7": 2.0} for query in queries}
    dataset = BenchmarkDataset("memory", queries=queries, qrels=qrels)
    memory = Memory(answers)
    settings = settings_of(find_metrics(["ndcg@10", "mrr"]), OWN)

    def ours() -> None:
        with tempfile.TemporaryDirectory() as folder:
            log = ResponseLog(Path(folder) / "answers.log")
            log.begin({})
            appender = log.appender()
            part = Part(dataset, wrap_retriever(memory, "memory"), queries, 10)
            found = collect_responses(part, {}, appender, Progress("memory", len(queries)))
            appender.close()
            score_part(part, found, settings, OWN)

    def bare() -> dict[str, dict[str, float]]:
        return {name: {hit.doc_id: hit.score for hit in memory.search([query], 10)[0]} for name, query in queries.items()}

    return within("100,000 queries × 10 from memory", "a bare loop", best_time(ours, 3), best_time(bare, 3), 8)


def _texts(n: int, length: int, seed: int) -> list[str]:
    places = (len(WORDS) * np.random.default_rng(seed).random((n, length)) ** 2).astype(int)
    return [" ".join(row) for row in WORDS[places].tolist()]


def _bm25() -> Row:
    import bm25s
    import Stemmer

    texts, asked = _texts(100_000, 60, 0), _texts(1000, 8, 1)
    documents = [Document(f"d{n}", text) for n, text in enumerate(texts)]
    queries = [Query(f"q{n}", text) for n, text in enumerate(asked)]
    provider = parse_provider(mark_written("bm25"))

    def ours() -> None:
        retriever = provider.make()
        retriever.index(documents)
        list(ask_concurrently(RetrieverClient(retriever), queries, 100, 1000, RetryPolicy()))

    def bare() -> None:
        stemmer = Stemmer.Stemmer("english")
        index = bm25s.BM25(method="lucene")
        index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
        tokens = bm25s.tokenize(asked, stopwords="en", stemmer=stemmer, show_progress=False)
        index.retrieve(tokens, k=100, show_progress=False)

    return within("bm25, 100,000 documents, 1,000 queries", "bare bm25s", best_time(ours, 2), best_time(bare, 2), 1.3)


def _nearest() -> Row:
    rng = np.random.default_rng(0)
    documents = rng.standard_normal((100_000, 256), dtype=np.float32)
    queries = rng.standard_normal((1000, 256), dtype=np.float32)

    def bare() -> Any:
        scores = queries @ documents.T
        best = np.argpartition(-scores, 100, axis=1)[:, :100]
        return np.take_along_axis(best, np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1), axis=1)

    ours = best_time(lambda: top_k(queries, documents, 100), 3)
    return within("nearest 100 of 100,000 × 256, 1,000 queries", "bare NumPy", ours, best_time(bare, 3), 1.2)


class Slow(BaseHTTPRequestHandler):
    """Takes 50 ms for an answer."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        time.sleep(0.05)
        body = b'{"results": [{"id": "d1", "score": 1.0}]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


def _service() -> Row:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    provider = parse_provider(mark_written(f"http(url='http://127.0.0.1:{server.server_address[1]}/search')"))
    queries = [Query(f"q{n}", f"text {n}") for n in range(200)]

    def run(concurrency: int) -> None:
        client = RetrieverClient(provider.make())
        batches = ask_concurrently(client, queries, 10, 1, RetryPolicy(concurrency=concurrency))
        answers = [answer for batch in batches for answer in batch]
        if any(answer.error for answer in answers):
            raise RuntimeError(answers[0].error)

    try:
        return faster(
            "200 calls of 50 ms, 10 at once", "one by one", best_time(lambda: run(10), 2), best_time(lambda: run(1), 1), 6
        )
    finally:
        server.shutdown()
