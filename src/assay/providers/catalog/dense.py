"""dense: cosine similarity of query and document embeddings; exact search, with a small model that needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.embeddings import (
    WORDLLAMA,
    EmbeddingCache,
    note_on_capitals,
    note_on_scripts,
    without_capitals,
    wordllama_tokens,
)
from assay.grammar import Param
from assay.model import Document, Hit, Query
from assay.providers.embeddings import check_model, embed
from assay.providers.nearest import Vectors, top_k
from assay.providers.provider import Provider, hits_of_ids
from assay.providers.reporting import Report, report_indexed, report_nothing
from assay.providers.retriever import in_tie_order, not_indexed_error


class Dense:
    """Ranks documents by the cosine of their embeddings. A document without words is never found."""

    def __init__(self, model: str, query_prefix: str, document_prefix: str, cache: str) -> None:
        check_model("dense", model)
        self.model, self.query_prefix, self.document_prefix = model, query_prefix, document_prefix
        self.cache = cache
        self._ids: list[str] | None = None

    def index(self, documents: Iterable[Document]) -> None:
        """Embed each document's title and text."""
        ordered = in_tie_order(documents)
        vectors = self._embed([document.content for document in ordered], self.document_prefix, report_indexed)
        placed = np.flatnonzero(vectors.any(axis=1))
        self._vectors = vectors if len(placed) == len(vectors) else vectors[placed]
        self._ids = [ordered[place].doc_id for place in placed.tolist()]

    def search(self, queries: Sequence[Query], k: int) -> list[list[Hit]]:
        """For each query the k nearest documents."""
        ids = self._ids
        if ids is None:
            raise not_indexed_error("dense")
        vectors = self._embed([query.text for query in queries], self.query_prefix)
        asked = np.flatnonzero(vectors.any(axis=1))
        answers: list[list[Hit]] = [[] for _ in queries]
        if ids and len(asked):
            rows, scores = top_k(vectors[asked], self._vectors, k)
            for query, row, score in zip(asked.tolist(), rows.tolist(), scores.tolist(), strict=True):
                answers[query] = hits_of_ids([ids[place] for place in row], score)
        return answers

    def _embed(self, texts: Sequence[str], prefix: str, report: Report = report_nothing) -> Vectors:
        store = EmbeddingCache(self.cache) if self.cache else None
        read = without_capitals if self.model == WORDLLAMA else str
        texts = [f"{prefix}{read(text)}" if text.strip() else "" for text in texts]
        return embed("dense", self.model, texts, store, report)


def notes_on_queries(queries: Sequence[Query], model: str, **_: Any) -> list[str]:
    """Notes on queries that the small model in the package reads badly; nothing is known about other models."""
    if model != WORDLLAMA:
        return []
    texts = [query.text for query in queries]
    return [*note_on_capitals(texts), *note_on_scripts(texts, wordllama_tokens)]


PROVIDER = Provider(
    "dense",
    "cosine similarity of query and document embeddings; exact search, with a small model that needs no network",
    Dense,
    params=(
        Param("model", str, WORDLLAMA, "wordllama, or the name or folder of a sentence-transformers model"),
        Param("query_prefix", str, "", "text that the model expects before each query"),
        Param("document_prefix", str, "", "text that the model expects before each document"),
        Param("cache", str, "", "folder in which embeddings are cached; empty: no cache"),
    ),
    is_repeatable=True,
    unless_set=("model",),
    check=lambda model, **_: check_model("dense", model),
    notes=notes_on_queries,
)
