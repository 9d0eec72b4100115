"""Document vectors: of length 1, from a file, from a model that is installed, or from memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, ratio
from assay.datasets import BenchmarkDataset, VectorSource
from assay.embeddings import WORDLLAMA, EmbeddingModel, TextVectors, check_known, find_model, without_capitals
from assay.errors import DataError, ProviderError, UsageError
from assay.model import fingerprint, text_id
from assay.providers import file_digests, is_vector_file, open_vectors
from assay.text import counted, shortened

OWNER = "ild"
IN_MEMORY = "vectors"
"""Where vectors come from that were passed from Python."""
WITH_IDS = "or use a file with ids and vectors, such as .npz"
WAYS = "Use a file (--vectors vectors.npz), or the tags of the documents: ild(by=tags)"


class DocumentVectors(NamedTuple):
    """Where the vectors of documents come from."""

    of: Callable[[Sequence[str]], Floats]
    """Ids → a row of length 1 for each; nan if the document has no vector."""
    name: str
    """What decides the vectors: the file with its fingerprint, or the model with its version."""
    are_of_texts: bool = False
    """Whether a model computes them from texts."""


def open_document_vectors(dataset: BenchmarkDataset, text_of: Callable[[str], str]) -> DocumentVectors:
    """The vectors of a benchmark: those that the user named, or those of the model that needs no network.

    A model reads the texts of `text_of`, which also knows chunks.
    """
    source: VectorSource = WORDLLAMA if dataset.document_data.vectors is None else dataset.document_data.vectors
    if isinstance(source, Mapping):
        return _in_memory(dataset, source)
    if is_vector_file(str(source)):
        return _of_file(dataset, str(source))
    return _of_model(dataset, str(source), text_of)


def _in_memory(dataset: BenchmarkDataset, vectors: Mapping[str, Sequence[float]]) -> DocumentVectors:
    rows = {text_id(name): _vector_of(text_id(name), row) for name, row in vectors.items()}
    _check_ids(dataset, rows, IN_MEMORY)
    example, width = next((name, len(row)) for name, row in rows.items())
    for name, row in rows.items():
        if len(row) != width:
            sizes = f"the vector has {counted(len(row), 'number')}, but that of {example} has {width:,}"
            raise DataError(f"document {name}: {sizes}", source=IN_MEMORY)
    _check_finite(list(rows), np.array(list(rows.values())), IN_MEMORY)
    nothing = np.full(width, np.nan)

    def of(ids: Sequence[str]) -> Floats:
        return _of_length_1(np.array([rows.get(name, nothing) for name in ids]).reshape(len(ids), width))

    return DocumentVectors(of, f"your vectors {fingerprint([(name, *row.tolist()) for name, row in rows.items()])}")


def _vector_of(doc_id: str, row: Sequence[float]) -> Floats:
    """The vector of a document as an array; text and truth values are not numbers."""
    try:
        array = np.asarray(row)
        vector = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        array = vector = np.zeros(0)
    if array.dtype.kind not in "iufO" or vector.ndim != 1 or not len(vector):
        raise DataError(f"document {doc_id}: the vector must be a list of numbers, not {shortened(row)}", source=IN_MEMORY)
    return vector


def _check_ids(dataset: BenchmarkDataset, ids: Collection[str], source: str) -> None:
    """Raise if none of the ids is that of a document."""
    if not any(name in dataset.documents for name in ids):
        example = shortened(next(iter(ids), "none"))
        raise DataError(f"none of its ids, such as {example}, is a document of {dataset.name}", source=source)


def _check_finite(ids: Sequence[str], rows: Floats, source: str) -> None:
    """Raise if a number of a vector is not finite, or is missing."""
    if (bad := np.flatnonzero(~np.isfinite(rows).all(axis=1))).size:
        raise DataError(f"document {ids[bad[0]]}: a number of its vector is not finite", source=source)


def _of_file(dataset: BenchmarkDataset, path: str) -> DocumentVectors:
    """The rows of a file. Without ids, they are in the order of the documents."""
    try:
        file = open_vectors(path, "", "document")
        number = file.rows_by_id(list(dataset.documents), WITH_IDS)
    except ProviderError as error:  # no provider is involved: the data are wrong
        raise DataError(str(error)) from None
    _check_ids(dataset, number, path)

    def of(ids: Sequence[str]) -> Floats:
        place = np.array([number.get(name, -1) for name in ids], dtype=np.int64)
        rows = np.full((len(ids), file.width), np.nan)
        listed = np.flatnonzero(place >= 0)
        rows[listed] = file.vectors[place[listed]]
        _check_finite([ids[row] for row in listed.tolist()], rows[listed], path)
        return _of_length_1(rows)

    (digest,) = file_digests([Path(path).expanduser()]).values()
    return DocumentVectors(of, f"{path} {digest}")


def _of_model(dataset: BenchmarkDataset, name: str, text_of: Callable[[str], str]) -> DocumentVectors:
    try:
        check_known(OWNER, name, f"the model {name!r} of vectors")
    except UsageError as error:
        raise UsageError(f"{error}. {WAYS}") from None
    if not any(document.content.strip() for document in dataset.documents.values()):
        raise UsageError(f"{OWNER} needs texts of documents, which {dataset.name} does not have. {WAYS}")
    model, read = find_model(OWNER, name), without_capitals if name == WORDLLAMA else str

    def of(ids: Sequence[str]) -> Floats:
        texts = [read(text_of(name)) for name in ids]
        return _of_length_1(np.asarray(_text_vectors(model).of(texts), dtype=np.float64))

    return DocumentVectors(of, model.identity, are_of_texts=True)


@lru_cache(maxsize=2)
def _text_vectors(model: EmbeddingModel) -> TextVectors:
    return TextVectors(model)


def _of_length_1(rows: Floats) -> Floats:
    """The rows with length 1; nan for rows of zeros, which have no direction. The squares of large numbers are finite."""
    rows = ratio(rows, np.abs(rows).max(axis=1, initial=0.0)[:, np.newaxis])
    length = np.sqrt(np.vecdot(rows, rows))[:, np.newaxis]
    return np.where(length > 0, ratio(rows, length), np.nan)
