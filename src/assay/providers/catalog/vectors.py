"""vectors: precomputed embeddings of documents and queries in files; exact search by cosine, dot product or distance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from assay.errors import ProviderError
from assay.grammar import REQUIRED, Param, one_of
from assay.model import Document, Query
from assay.providers.nearest import FileRows, top_k
from assay.providers.nearest import Vectors as Matrix
from assay.providers.provider import Provider, hits_of_ids
from assay.providers.reporting import report_indexed
from assay.providers.responses import Answers
from assay.providers.retriever import PermanentFailure, in_tie_order, not_indexed_error
from assay.providers.vector_files import VectorFile, open_vectors
from assay.text import counted

SPARE = 64
"""Extra neighbours whose distance is measured, because the search before it rounds."""


class Vectors:
    """Ranks documents by the similarity of their vectors to the query's. By cosine, a zero vector is never found."""

    def __init__(self, documents: str, queries: str, documents_ids: str, queries_ids: str, similarity: str) -> None:
        self._documents, self._queries = opened(documents, queries, documents_ids, queries_ids)
        self._similarity = similarity
        self._document_order: Collection[str] | None = None
        self._query_order: Collection[str] | None = None
        self._rows: FileRows | None = None

    def set_order(self, queries: Collection[str], documents: Collection[str]) -> None:
        """Set the ids of all queries and documents, in the order of the benchmark."""
        self._query_order, self._document_order = queries, documents

    def index(self, documents: Iterable[Document]) -> None:
        """Find the rows of these documents. Without ids and without set_order, rows are in the order of the documents."""
        document_list = list(documents)
        order = self._document_order or [document.doc_id for document in document_list]
        row_of = self._documents.rows_by_id(order)
        ids = [document.doc_id for document in in_tie_order(document_list)]
        if lacking := [doc_id for doc_id in ids if doc_id not in row_of]:
            share = f"{len(lacking):,} of {counted(len(ids), 'document')}, such as {lacking[0]!r}"
            raise PermanentFailure(f"{self._documents.path} has no vector for {share}. Add one for each document")
        at = np.array([row_of[doc_id] for doc_id in ids], np.int64)
        rows = FileRows(self._documents, at, self._similarity, report_indexed)
        self._ids = [ids[place] for place in rows.placed.tolist()]
        self._rows = rows

    def search(self, queries: Sequence[Query], k: int) -> Answers:
        """For each query the k nearest documents. A query without a vector fails."""
        rows = self._rows
        if rows is None:
            raise not_indexed_error("vectors")
        row_of = self._queries.rows_by_id(self._query_order)
        answers: Answers = [
            []
            if query.query_id in row_of
            else PermanentFailure(f"{self._queries.path} has no vector for query {query.query_id!r}. Add one")
            for query in queries
        ]
        known = [place for place, query in enumerate(queries) if query.query_id in row_of]
        at = np.array([row_of[queries[place].query_id] for place in known], np.int64)
        asked = FileRows(self._queries, at, self._similarity)
        if len(rows) and len(asked):
            nearest = self._nearest(asked, rows, k)
            for number, (row, score) in zip(asked.placed.tolist(), nearest, strict=True):
                answers[known[number]] = hits_of_ids([self._ids[place] for place in row], score)
        return answers

    def _nearest(self, asked: FileRows, rows: FileRows, k: int) -> list[tuple[list[int], list[float]]]:
        """For each query the positions of documents and their scores; a distance is negated."""
        if self._similarity != "euclidean":
            nearest, scores = top_k(asked[:], cast("Matrix", rows), k)
            return list(zip(nearest.tolist(), scores.tolist(), strict=True))
        extended = np.hstack([asked[:], np.ones((len(asked), 1), np.float32)])
        near, _ = top_k(extended, cast("Matrix", rows.for_distance()), k + SPARE)
        return [_by_distance(query, places, rows, k) for query, places in zip(asked[:], near, strict=True)]


def _by_distance(
    query: npt.NDArray[np.float32], places: npt.NDArray[np.int64], rows: FileRows, k: int
) -> tuple[list[int], list[float]]:
    """The k nearest of these places, measured in float64; on equal distance the lower place first."""
    apart = rows[places].astype(np.float64) - query.astype(np.float64)
    distances = np.sqrt(np.vecdot(apart, apart))
    order = np.lexsort((places, distances))[:k]
    return places[order].tolist(), (-distances[order]).tolist()


def opened(documents: str, queries: str, documents_ids: str, queries_ids: str) -> tuple[VectorFile, VectorFile]:
    """Both files; their rows must have the same length. Without queries, the file of documents has their vectors too."""
    queries, queries_ids = (queries, queries_ids) if queries else (documents, documents_ids)
    ours, asked = open_vectors(documents, documents_ids, "document"), open_vectors(queries, queries_ids, "query")
    if ours.width != asked.width:
        widths = f"{documents} has {ours.width:,} numbers per row, but {queries} has {asked.width:,}"
        raise ProviderError(f"vectors: {widths}. Embed documents and queries with the same model")
    return ours, asked


def check_files(documents: str, queries: str, documents_ids: str, queries_ids: str, similarity: str) -> None:  # noqa: ARG001
    """Raise unless the files exist and fit together; the numbers are not read."""
    opened(documents, queries, documents_ids, queries_ids)


def _files(documents: str, queries: str, documents_ids: str, queries_ids: str, similarity: str) -> list[Path]:  # noqa: ARG001
    return [Path(path).expanduser() for path in (documents, queries, documents_ids, queries_ids) if path]


PROVIDER = Provider(
    "vectors",
    "precomputed embeddings of documents and queries in NumPy or Parquet files or tables; exact search",
    Vectors,
    params=(
        Param(
            "documents",
            str,
            REQUIRED,
            ".npy with a row per document in the order of the benchmark, or .npz, Parquet or a table with ids and vectors",
        ),
        Param("queries", str, "", "the same as documents, for the queries; if not set, the file of documents has their ids"),
        Param("documents_ids", str, "", "text file with the id of each row of documents, one per line"),
        Param("queries_ids", str, "", "the same as documents_ids, for the queries"),
        Param(
            "similarity", one_of("cosine", "dot", "euclidean"), "cosine", "similarity of vectors: cosine, dot or euclidean"
        ),
    ),
    short_for="documents",
    check=check_files,
    sources=_files,
    needs_text=False,
)
