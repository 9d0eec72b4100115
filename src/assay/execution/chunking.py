"""Chunking: cut the documents of a benchmark into chunks, and adapt how relevance is decided."""

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
"""Resolvers that decide by document ids, if there are judgments by id."""
CHUNKS_PER_DOCUMENT = 5
"""How many chunks are retrieved for each document if chunks are rolled up."""


@dataclass(frozen=True)
class ChunkedDataset:
    """A dataset whose documents may be cut into chunks, and how relevance is decided for it."""

    dataset: BenchmarkDataset
    relevance: Relevance
    chunker: BoundChunker | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    """The number and sizes of chunks, the time it took, and remarks of the chunker."""

    @property
    def is_rolled_up(self) -> bool:
        """Whether chunks are retrieved but documents are scored."""
        return self.chunker is not None and self.relevance.unit == "document"

    def depth(self, k: int) -> int:
        """How many chunks to retrieve for k scored items, because a document may have several chunks."""
        return k * CHUNKS_PER_DOCUMENT if self.is_rolled_up else k

    def max_documents(self, n_chunks: int) -> int | None:
        """How many documents count for this number of retrieved chunks: as many as without chunks; None: no limit."""
        return n_chunks // CHUNKS_PER_DOCUMENT if self.is_rolled_up else None

    def notes(self, k: int, rankings: Mapping[str, Mapping[str, float]], metrics: Sequence[BoundMetric]) -> list[str]:
        """Notes on queries for which k chunks were too few to fill a budget or to find enough documents."""
        n_chunks = len(self.dataset.documents) if self.chunker is not None else 0
        full = [ranking for ranking in rankings.values() if k <= len(ranking) < n_chunks]
        notes = []
        if budgets := {metric.name: metric.params["tokens"] for metric in metrics if metric.params.get("tokens")}:
            words = {doc: len(words_of(self.dataset.documents[doc].text)) for doc in set(chain(*full)) & self._ids}
            used = [sum(words.get(doc, 0) for doc in ranking) for ranking in full]
            for name, budget in budgets.items():
                if n_short := sum(total < budget for total in used):
                    share = _short_share(n_short, rankings, k)
                    notes.append(f"{name}: {share} do not fill the budget. Increase k to fill it.")
        if self.is_rolled_up and isinstance(owners := self.relevance.id_map, Mapping):
            n_expected = min(k // CHUNKS_PER_DOCUMENT, len(set(owners.values())))
            if n_short := sum(len({owners.get(doc, doc) for doc in ranking}) < n_expected for ranking in full):
                share = _short_share(n_short, rankings, k)
                notes.append(f"{share} come from fewer than {n_expected:,} documents. Increase k to find more.")
        return notes

    @cached_property
    def _ids(self) -> set[str]:
        return set(self.dataset.documents)

    @property
    def judgments(self) -> tuple[Mapping[str, Mapping[str, float]], str]:
        """What the oracle provider knows: judgments of what is retrieved, and the resolver that uses them."""
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
    """Cut all documents into chunks. If documents are judged by id, chunks are rolled up; with gold spans they are not."""
    if chunker is None:
        return ChunkedDataset(dataset, relevance)
    if not dataset.documents:
        raise DataError(f"{dataset.name} has no documents to cut into chunks. Add documents, or leave out the chunkers")
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
    """Raise a DataError if a metric needs gold spans and the dataset has none."""
    if not dataset.spans and (needy := [metric.name for metric in metrics if metric.metric.view == "spans"]):
        verb = "needs" if len(needy) == 1 else "need"
        advice = "Remove these metrics, or choose a benchmark with gold spans, such as code-spans"
        raise DataError(f"{dataset.name} has no gold spans, but {', '.join(needy)} {verb} them. {advice}")


def _short_share(n_short: int, rankings: Mapping[str, Any], k: int) -> str:
    return f"in {n_short:,} of {counted(len(rankings), 'query')}, the {k:,} retrieved chunks"


def _is_by_document(dataset: BenchmarkDataset, relevance: Relevance) -> bool:
    """Whether document ids decide about relevance, so that chunks must be rolled up."""
    has_ids = bool(dataset.qrels) or dataset.owner_of_relevance is not None
    is_plain = relevance.unit == "as_retrieved" and relevance.by.strip() in ID_RESOLVERS
    return is_plain and has_ids and not dataset.spans
