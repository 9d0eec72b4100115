"""Chunking: a benchmark with its documents cut into chunks, and how relevance is decided then."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

from assay.chunkers import BoundChunker, chunk_documents, sizes
from assay.datasets import BenchmarkDataset
from assay.errors import DataError
from assay.evaluation import Relevance, chunk_judgments, domain_judgments, is_decided_by_domain
from assay.metrics import BoundMetric
from assay.serialize import to_json
from assay.text import counted, words_of

ID_RESOLVERS = ("auto", "qrels", "pack")
"""Resolvers that decide by ids of documents, where there are any."""
CHUNKS_PER_DOCUMENT = 5
"""So many chunks are asked for in place of each document, where chunks are rolled up."""


@dataclass(frozen=True)
class ChunkedDataset:
    """A dataset whose documents are chunks, or as it was; and who decides about relevance then."""

    dataset: BenchmarkDataset
    relevance: Relevance
    chunker: BoundChunker | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    """How many chunks there are and how large, how long it took, and what was done otherwise than asked."""

    @property
    def is_rolled_up(self) -> bool:
        """Whether chunks are retrieved here, and documents scored."""
        return self.chunker is not None and self.relevance.unit == "document"

    def depth(self, k: int) -> int:
        """How many chunks to ask for, to have k of what is scored; a document may have several among them."""
        return k * CHUNKS_PER_DOCUMENT if self.is_rolled_up else k

    def max_documents(self, n_chunks: int) -> int | None:
        """How many documents count where so many chunks were asked for: as many as without chunks; None: no limit."""
        return n_chunks // CHUNKS_PER_DOCUMENT if self.is_rolled_up else None

    def notes(self, k: int, rankings: Mapping[str, Mapping[str, float]], metrics: Sequence[BoundMetric]) -> list[str]:
        """Where k chunks were asked for and given, and were too few: for a budget, or for as many documents."""
        n_chunks = len(self.dataset.documents) if self.chunker is not None else 0
        full = [ranking for ranking in rankings.values() if k <= len(ranking) < n_chunks]
        notes = []
        if budgets := {metric.name: metric.params["tokens"] for metric in metrics if metric.params.get("tokens")}:
            words = {doc: len(words_of(self.dataset.documents[doc].text)) for doc in set(chain(*full)) & self._ids}
            used = [sum(words.get(doc, 0) for doc in ranking) for ranking in full]
            for name, budget in budgets.items():
                if n_short := sum(total < budget for total in used):
                    notes.append(
                        f"{name}: {_short_share(n_short, rankings, k)} less than the budget; a larger k would fill it."
                    )
        if self.is_rolled_up and isinstance(owners := self.relevance.id_map, Mapping):
            n_expected = min(k // CHUNKS_PER_DOCUMENT, len(set(owners.values())))
            if n_short := sum(len({owners.get(doc, doc) for doc in ranking}) < n_expected for ranking in full):
                share = _short_share(n_short, rankings, k)
                notes.append(f"{share} of fewer than {n_expected:,} documents; a larger k would find more.")
        return notes

    @cached_property
    def _ids(self) -> set[str]:
        return set(self.dataset.documents)

    @property
    def judgments(self) -> tuple[Mapping[str, Mapping[str, float]], str]:
        """What an oracle may know: judgments of what is retrieved, and the resolver that decides by them."""
        if self.chunker is None and is_decided_by_domain(self.relevance.by):
            return domain_judgments(self.dataset, self.relevance), "qrels"
        if self.chunker is None:
            return self.dataset.qrels, self.relevance.by
        if self.dataset.spans:
            return chunk_judgments(self.dataset, self.relevance), "qrels"
        owners = self.relevance.id_map if isinstance(self.relevance.id_map, Mapping) else {}
        chunks: dict[str, list[str]] = {}
        for chunk, document in owners.items():
            chunks.setdefault(document, []).append(chunk)
        known = {
            query: {chunk: grade for doc, grade in judged.items() for chunk in chunks.get(doc, ())}
            for query, judged in self.dataset.qrels.items()
        }
        return known, "qrels" if known else self.relevance.by


def chunk_dataset(dataset: BenchmarkDataset, chunker: BoundChunker | None, relevance: Relevance) -> ChunkedDataset:
    """Cut all documents. Where documents are judged by id, chunks are rolled up to them; gold spans need no such thing."""
    if chunker is None:
        return ChunkedDataset(dataset, relevance)
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
    about = {"chunker": chunker.configuration, "seconds": round(seconds, 3), **to_json(sizes(chunks))}
    return ChunkedDataset(cut, relevance, chunker, {**about, **({"remarks": dict(remarks)} if remarks else {})})


def check_has_spans(dataset: BenchmarkDataset, metrics: Sequence[BoundMetric]) -> None:
    """Metrics of spans need gold spans; better said before anybody is asked."""
    if not dataset.spans and (needy := [metric.name for metric in metrics if metric.metric.view == "spans"]):
        verb = "needs" if len(needy) == 1 else "need"
        advice = "leave them out, or choose a benchmark that has some, such as code-spans"
        raise DataError(f"{dataset.name} has no gold spans, and {', '.join(needy)} {verb} some; {advice}")


def _short_share(n_short: int, rankings: Mapping[str, Any], k: int) -> str:
    return f"in {n_short:,} of {counted(len(rankings), 'query')} the {k:,} chunks asked for are"


def _is_by_document(dataset: BenchmarkDataset, relevance: Relevance) -> bool:
    """Whether ids of documents decide, so that chunks must be led back to them."""
    has_ids = bool(dataset.qrels) or dataset.owner_of_relevance is not None
    is_plain = relevance.unit == "as_retrieved" and relevance.by.strip() in ID_RESOLVERS
    return is_plain and has_ids and not dataset.spans
