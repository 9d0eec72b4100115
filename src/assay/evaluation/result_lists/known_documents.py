"""Known documents: the catalogue, tags, texts, vectors and popularity of the documents of a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from assay.arrays import Bools, Floats
from assay.datasets import BenchmarkDataset
from assay.errors import DataError, UsageError
from assay.files import document_of
from assay.metrics import BoundMetric
from assay.model import POPULARITY, TAGS, Document, fields_for, fingerprint, known_popularity, split_tags
from assay.text import counted, some_of
from assay.views import Documents, ResultLists

if TYPE_CHECKING:
    from assay.evaluation.result_lists.document_vectors import DocumentVectors

VIEW = "result_lists"
CHUNK_OF = "doc_id"
"""The metadata field of a chunk with the id of its document."""
MOST_NAMED = 5
"""The most documents that a note names."""
ANOTHER_COLUMN = "Correct it, or name another column: --columns popularity=NAME"
ADD_DOCUMENTS = "Name the documents with --documents, or choose a benchmark that has them"


class DatasetDocuments:
    """What is known about the documents of a benchmark. What no document has is an error with what to do about it.

    If the benchmark was cut into chunks, its documents are those before. A chunk has the tags, the popularity and, unless it
    has its own, the vector of its document. It does not have the text of its document, because it is only a part of it.
    """

    def __init__(self, dataset: BenchmarkDataset, document_of_chunk: Callable[[str], str] = document_of) -> None:
        chunks = {} if dataset.files is None else dataset.documents
        self._chunks: Mapping[str, Document] = chunks
        self._dataset = _before_chunking(dataset)
        self._document_of_chunk = document_of_chunk
        self._lacking: dict[str, tuple[int, int, tuple[str, ...]]] = {}
        self._outside: tuple[int, tuple[str, ...]] = (0, ())
        self._sources: dict[str, str] = {}
        self._fields: dict[str, list[str]] = {}

    @property
    def n_catalogue(self) -> int:
        """The number of all documents."""
        if not self._dataset.documents:
            raise UsageError(f"{self._dataset.name} has no documents, so its catalogue is unknown. {ADD_DOCUMENTS}")
        return len(self._dataset.documents)

    def in_catalogue(self, ids: Sequence[str]) -> Sequence[str | None]:
        """For each id the document of the benchmark that it is or belongs to; None if there is none."""
        owners = map(self._owner, ids)
        names = [name if name in self._dataset.documents else None for name in owners]
        self._outside = _counted_names(ids, [name is None for name in names])
        return names

    def tags(self, ids: Sequence[str]) -> Sequence[Collection[str]]:
        """The tags of each document."""
        advice = "Add a column tags or categories to the table of documents"
        self._check("tags", lambda document: bool(split_tags(self._value(document, TAGS))), advice)
        owners = (self._dataset.documents.get(self._owner(name)) for name in ids)
        tags = [() if document is None else split_tags(self._value(document, TAGS)) for document in owners]
        self._note("tags", ids, np.array(list(map(bool, tags)), dtype=bool))
        return tags

    def texts(self, ids: Sequence[str]) -> Sequence[str]:
        """The text of each document."""
        self._check("texts", lambda document: bool(document.content.strip()), ADD_DOCUMENTS)
        texts = [self._text(name) for name in ids]
        self._note("text", ids, np.array([bool(text.strip()) for text in texts], dtype=bool))
        return texts

    def vectors(self, ids: Sequence[str]) -> Floats:
        """The vector of each document."""
        rows = self._vectors.of(ids)
        if not self._vectors.are_of_texts and (bare := np.flatnonzero(np.isnan(rows).any(axis=1))).size:
            rows[bare] = self._vectors.of([self._owner(ids[place]) for place in bare.tolist()])
        has_vector: Bools = np.logical_not(np.isnan(rows).any(axis=1))
        self._note("vector", ids, has_vector)
        return rows

    def popularity(self, ids: Sequence[str]) -> Floats:
        """The share of each document in all interactions; 0 counts like the lowest popularity above 0."""
        counts, owners = self._counts, list(map(self._owner, ids))
        known = np.array([counts.get(name, np.nan) for name in owners], dtype=float)
        if self._dataset.document_data.popularity is not None:
            inside = np.array([name in self._dataset.documents for name in owners], dtype=bool)
            known = np.where(np.isnan(known) & inside, 0.0, known)
        self._note("popularity", ids, ~np.isnan(known))
        positive = [value for value in counts.values() if value > 0]
        share = np.maximum(known, min(positive)) / sum(positive)
        return np.asarray(np.maximum(share, np.finfo(float).tiny))  # so that no surprise is infinite

    @cached_property
    def _counts(self) -> dict[str, float]:
        """Document → popularity, without unknown values."""
        data = self._dataset.document_data
        counts = self._own_counts() if data.popularity is None else data.popularity
        if not any(counts.values()):
            advice = "Add a column popularity, views or clicks to the table of documents, or use --popularity FILE"
            raise UsageError(f"the documents of {self._dataset.name} have no popularity. {advice}")
        self._sources["document_popularity"] = f"{data.popularity_from or 'documents'} {_digest_of(counts)}"
        return dict(counts)

    def _own_counts(self) -> dict[str, float]:
        """Document → popularity, according to the documents themselves."""
        counts = {}
        for name, document in self._dataset.documents.items():
            try:
                value = known_popularity(self._value(document, POPULARITY))
            except DataError as error:
                what = f"document {name}: the field {self._field(POPULARITY)}: {error.message}"
                raise DataError(f"{what}. {ANOTHER_COLUMN}", source=self._dataset.name) from None
            if value is not None:
                counts[name] = value
        return counts

    def _value(self, document: Document, role: str) -> object:
        return (document.metadata or {}).get(self._field(role))

    def _field(self, role: str) -> str:
        """The metadata field that all documents have for a role; empty if none of them has one."""
        if role not in self._fields:
            named = self._dataset.document_data.columns.get(role, "")
            self._fields[role] = fields_for(role, self._field_names, named)
        return next(iter(self._fields[role]), "")

    @cached_property
    def _field_names(self) -> Collection[str]:
        return dict.fromkeys(name for document in self._dataset.documents.values() for name in document.metadata or ())

    @cached_property
    def _vectors(self) -> DocumentVectors:
        from assay.evaluation.result_lists.document_vectors import open_document_vectors  # it imports models of texts

        vectors = open_document_vectors(self._dataset, self._text)
        self._sources["document_vectors"] = vectors.name
        return vectors

    def _owner(self, doc_id: str) -> str:
        """The id itself, or that of the document of a chunk."""
        if doc_id in self._dataset.documents:
            return doc_id
        if doc_id in self._chunks:
            return str((self._chunks[doc_id].metadata or {})[CHUNK_OF])
        return self._document_of_chunk(doc_id)

    def _text(self, doc_id: str) -> str:
        """The text of what was retrieved, which may be a chunk; empty if it is not known."""
        document = self._chunks.get(doc_id) or self._dataset.documents.get(doc_id)
        return "" if document is None else document.content

    def _check(self, what: str, has: Callable[[Document], bool], advice: str) -> None:
        if not any(map(has, self._dataset.documents.values())):
            raise UsageError(f"the documents of {self._dataset.name} have no {what}. {advice}")

    def _note(self, what: str, ids: Sequence[str], known: Bools) -> None:
        n, names = _counted_names(ids, ~known)
        self._lacking[what] = (n, len(ids), names)

    def notes(self) -> list[str]:
        """Notes on documents about which something is not known."""
        unknown = [
            f"{n:,} of {counted(n_all, 'retrieved document')} {'has' if n == 1 else 'have'} no {what} "
            f"({some_of(names, MOST_NAMED)}). Metrics that need it leave {'it' if n == 1 else 'them'} out."
            for what, (n, n_all, names) in self._lacking.items()
            if n
        ]
        about_data = (*self._notes_on_fields(), *self._notes_on_popularity(), *self._notes_on_unused())
        return [*about_data, *self._notes_on_catalogue(), *unknown]

    def _notes_on_fields(self) -> list[str]:
        named = self._dataset.document_data.columns
        return [
            f"documents have the columns {some_of(fields, MOST_NAMED)} for {role}; {fields[0]} is used. To use another, add "
            f"--columns {role}={fields[1]}."
            for role, fields in self._fields.items()
            if len(fields) > 1 and role not in named
        ]

    def _notes_on_catalogue(self) -> list[str]:
        n, names = self._outside
        if not n:
            return []
        verb, them = ("is", "it") if n == 1 else ("are", "them")
        catalogue = f"the {counted(len(self._dataset.documents), 'document')} of {self._dataset.name}"
        what = f"{counted(n, 'retrieved document')} {verb} not among {catalogue} ({some_of(names, MOST_NAMED)})"
        return [f"{what}. Metrics of all lists leave {them} out."]

    def _notes_on_popularity(self) -> list[str]:
        data, documents = self._dataset.document_data, self._dataset.documents
        if data.popularity is None or "popularity" not in self._lacking:
            return []
        listed = sum(name in documents for name in data.popularity)
        if listed == len(documents):
            return []
        share = f"{data.popularity_from} has {listed:,} of {counted(len(documents), 'document')}"
        return [f"{share}. The others count as documents with popularity 0."]

    def _notes_on_unused(self) -> list[str]:
        data = self._dataset.document_data
        readers = {"vectors": (data.vectors, "ild@10"), "popularity": (data.popularity, "novelty@10")}
        return [
            f"No metric reads the {what} that you gave. {reader} would."
            for what, (value, reader) in readers.items()
            if value is not None and f"document_{what}" not in self._sources
        ]

    def describe(self) -> dict[str, Any]:
        """Where vectors and popularity come from, with what tells other ones apart, if metrics read them."""
        return dict(self._sources)

    def view(self, query_ids: tuple[str, ...], documents: Documents, metrics: Iterable[BoundMetric]) -> ResultLists:
        """The first documents of each query, as many as the metrics need."""
        depth = depth_of(metrics)
        return ResultLists.of(query_ids, [documents(query, depth) for query in query_ids], self)


def _before_chunking(dataset: BenchmarkDataset) -> BenchmarkDataset:
    """The benchmark with the documents that chunks were cut from; documents in files stay there."""
    if dataset.files is None:
        return dataset
    return replace(dataset, documents=cast("MutableMapping[str, Document]", dataset.files), files=None, _fingerprints={})


def _counted_names(ids: Sequence[str], chosen: Sequence[bool] | Bools) -> tuple[int, tuple[str, ...]]:
    """How many of the ids are chosen, and the first of them."""
    names = tuple(ids[place] for place in np.flatnonzero(np.asarray(chosen, dtype=bool)).tolist())
    return len(names), names[: MOST_NAMED + 1]


def _digest_of(counts: Mapping[str, float]) -> str:
    return fingerprint([(name, float(count)) for name, count in counts.items()])


def reads_lists(metrics: Iterable[BoundMetric]) -> list[BoundMetric]:
    """Those of the metrics that read result lists."""
    return [metric for metric in metrics if metric.metric.view == VIEW]


def depth_of(metrics: Iterable[BoundMetric]) -> int:
    """How many documents of a query the metrics of result lists read."""
    return max(metric.params["k"] for metric in reads_lists(metrics))


def check_known_documents(dataset: BenchmarkDataset, metrics: Iterable[BoundMetric]) -> None:
    """Raise if the documents of a benchmark lack what a metric of result lists needs; found out without any ranking."""
    needy = reads_lists(metrics)
    nothing = ResultLists.of((), [], DatasetDocuments(dataset))
    for metric in needy:
        try:
            metric.score(nothing)
        except UsageError as error:
            raise UsageError(f"{metric.name}: {error}") from None
