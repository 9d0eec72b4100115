"""What services answer over HTTP, page by page: each line of an input is the body of one response."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from assay.grammar import mark_written
from assay.model import Query
from assay.providers.http_client import Reply
from assay.providers.http_retriever import HttpRetriever
from assay.providers.provider import parse_provider
from fuzz.component import Component, SilentDifference

K = 5
PAGES = {
    "http_pages": """http(url=http://h, body='{"p": {page}, "c": {cursor}, "q": "{query}"}', cursor=next)""",
    "opensearch": "opensearch(url=http://h, index=docs, size=2)",
    "vespa": "vespa(url=http://h, schema=docs, size=2)",
    "solr": "solr(url=http://h, collection=docs, size=2)",
    "typesense": "typesense(url=http://h, collection=docs, size=2)",
    "meilisearch": "meilisearch(url=http://h, index=docs, size=2)",
    "weaviate": "weaviate(url=http://h, collection=Docs, size=2)",
    "milvus": "milvus(url=http://h, collection=docs, size=2)",
}
"""Component → the provider that reads the responses."""
Write = Callable[[list[tuple[str, float]]], Any]
WRITERS: dict[str, Write] = {
    "http_pages": lambda hits: {"results": hits, "next": hits[-1][0] if hits else None, "answer": "42"},
    "opensearch": lambda hits: {"hits": {"hits": [{"_id": d, "_score": s, "_source": {"text": "t"}} for d, s in hits]}},
    "vespa": lambda hits: {"root": {"children": [{"id": f"id:a:b::{d}", "relevance": s, "fields": {}} for d, s in hits]}},
    "solr": lambda hits: {"response": {"docs": [{"id": d, "score": s} for d, s in hits]}},
    "typesense": lambda hits: {"results": [{"hits": [{"document": {"id": d}, "text_match": 1} for d, _ in hits]}]},
    "meilisearch": lambda hits: {"hits": [{"id": d, "text": "t"} for d, _ in hits]},
    "weaviate": lambda hits: {"data": {"Get": {"Docs": [{"_additional": {"id": d, "score": f"{s}"}} for d, s in hits]}}},
    "milvus": lambda hits: {"code": 0, "data": [{"id": d, "distance": s} for d, s in hits]},
}
ERRORS = ({"error": {"reason": "no such index"}}, {"message": "no"}, {"root": {"errors": [{"message": "no"}]}})


class _Recorded:
    """Gives recorded responses, in turn; then empty ones."""

    def __init__(self, bodies: Iterator[bytes]) -> None:
        self.bodies, self.n = bodies, 0

    def ask(self, _request: Any, _timeout: float) -> Reply:
        self.n += 1
        return Reply(200, {}, next(self.bodies, b"{}"))


def _reader(name: str) -> Callable[[bytes], object]:
    def check(data: bytes) -> object:
        bound = parse_provider(mark_written(PAGES[name]))
        retriever = bound.provider.make(**bound.params)
        assert isinstance(retriever, HttpRetriever)
        service = _Recorded(iter(data.split(b"\n")))
        retriever._connections = service  # type: ignore[assignment]
        (hits,) = retriever.search([Query("q", "cats")], K)
        docs = [hit.doc_id for hit in hits]
        if len(set(docs)) < len(docs) or len(docs) > K or service.n > K + 1:
            raise SilentDifference(f"{docs} after {service.n} requests")
        return hits

    return check


def _seeds(name: str) -> list[bytes]:
    write = WRITERS[name]
    pages = [write([("a", 3.0), ("b", 2.0)]), write([("b", 2.0), ("c", 1.0)]), write([])]
    lines = [json.dumps(page).encode() for page in (*pages, *ERRORS)]
    return [b"\n".join(lines[:3]), b"\n".join(lines[:1] + lines[3:]), lines[2]]


COMPONENTS = tuple(Component(name, _reader(name), partial(_seeds, name), "jsonl") for name in PAGES)
