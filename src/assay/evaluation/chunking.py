"""chunking: a benchmark with its documents cut into chunks, and what became of its relevance."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.chunkers._chunker import BoundChunker
from assay.chunkers._documents import chunk_documents
from assay.chunkers._sizes import sizes
from assay.datasets._dataset import BenchmarkDataset
from assay.errors import DataError
from assay.evaluation.judging import Relevance, chunk_judgments, term_judgments

BY_IDS = ("auto", "qrels", "pack")
"""Resolvers that decide by ids of documents, where there are any."""


@dataclass(frozen=True)
class Chunked:
    """A dataset whose documents are chunks, or as it was; and who decides about relevance then."""

    dataset: BenchmarkDataset
    relevance: Relevance
    chunker: BoundChunker | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    """How many chunks there are and how large, how long it took, and what was done otherwise than asked."""

    @property
    def judgments(self) -> tuple[Mapping[str, Mapping[str, float]], str]:
        """What an oracle may know: judgments of what is retrieved, and the resolver that decides by them."""
        if self.chunker is None and self.relevance.by.partition("(")[0].strip() == "ontology":
            return term_judgments(self.dataset, self.relevance), "qrels"
        if self.chunker is None:
            return self.dataset.qrels, self.relevance.by
        if self.dataset.spans:
            return chunk_judgments(self.dataset, self.relevance), "qrels"
        owners = self.relevance.id_map if isinstance(self.relevance.id_map, Mapping) else {}
        chunks: dict[str, list[str]] = {}
        for chunk, document in owners.items():
            chunks.setdefault(document, []).append(chunk)
        known = {
            query: {one: grade for doc, grade in judged.items() for one in chunks.get(doc, ())}
            for query, judged in self.dataset.qrels.items()
        }
        return known, "qrels" if known else self.relevance.by


def chunked(dataset: BenchmarkDataset, chunker: BoundChunker | None, relevance: Relevance) -> Chunked:
    """Cut all documents. Where documents are judged by id, chunks are rolled up to them; gold spans need no such thing."""
    if chunker is None:
        return Chunked(dataset, relevance)
    if not dataset.documents:
        raise DataError(f"{dataset.name} has no documents to cut into chunks")
    began = time.perf_counter()
    remarks: Counter[str] = Counter()
    chunks = chunk_documents(chunker, dataset.documents.values(), remarks)
    seconds = time.perf_counter() - began
    cut = replace(
        dataset,
        documents={chunk.chunk_id: chunk.to_document() for chunk in chunks},
        files=dataset.documents,
        _fingerprints={},
    )
    if _is_by_document(dataset, relevance):
        relevance = replace(relevance, unit="document", id_map={chunk.chunk_id: chunk.doc_id for chunk in chunks})
    about = {"chunker": chunker.configuration, "seconds": round(seconds, 3), **asdict(sizes(chunks))}
    return Chunked(cut, relevance, chunker, {**about, **({"remarks": dict(remarks)} if remarks else {})})


def _is_by_document(dataset: BenchmarkDataset, relevance: Relevance) -> bool:
    """Whether ids of documents decide, so that chunks must be led back to them."""
    has_ids = bool(dataset.qrels) or dataset.owner_of_relevance is not None
    is_plain = relevance.unit == "as_retrieved" and relevance.by.strip() in BY_IDS
    return is_plain and has_ids and not dataset.spans
