"""Document vectors: of length 1, from a file, from a model that is installed, or from memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from assay.arrays import Floats, ratio
from assay.datasets import BenchmarkDataset, VectorSource
from assay.embeddings import WORDLLAMA, EmbeddingModel, TextVectors, check_known, find_model, without_capitals
from assay.errors import DataError, UsageError
from assay.model import fingerprint
from assay.providers import file_digests, is_vector_file, open_vectors
from assay.text import shortened

OWNER = "ild"
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
        return _in_memory(source)
    if is_vector_file(str(source)):
        return _of_file(dataset, str(source))
    return _of_model(dataset, str(source), text_of)


def _in_memory(vectors: Mapping[str, Sequence[float]]) -> DocumentVectors:
    rows = {str(name): np.asarray(row, dtype=np.float64) for name, row in vectors.items()}
    shapes = {row.shape for row in rows.values()}
    if len(shapes) != 1 or len(next(iter(shapes))) != 1:
        raise DataError("every document needs a vector with the same number of numbers", source="vectors")
    (width,) = shapes.pop()
    nothing = np.full(width, np.nan)

    def of(ids: Sequence[str]) -> Floats:
        return _of_length_1(np.array([rows.get(name, nothing) for name in ids]).reshape(len(ids), width))

    return DocumentVectors(of, f"your vectors {fingerprint([(name, *row.tolist()) for name, row in rows.items()])}")


def _of_file(dataset: BenchmarkDataset, path: str) -> DocumentVectors:
    """The rows of a file. Without ids, they are in the order of the documents."""
    file = open_vectors(path, "", "document")
    number = file.rows_by_id(list(dataset.documents))
    if not any(name in number for name in dataset.documents):
        example = next(iter(number), "none")
        raise DataError(f"none of its ids, such as {shortened(example)}, is a document of {dataset.name}", source=path)

    def of(ids: Sequence[str]) -> Floats:
        place = np.array([number.get(name, -1) for name in ids], dtype=np.int64)
        rows = np.full((len(ids), file.width), np.nan)
        rows[place >= 0] = file.vectors[place[place >= 0]]
        if not np.isfinite(rows[place >= 0]).all():
            raise DataError("a number is not finite", source=path)
        return _of_length_1(rows)

    (digest,) = file_digests([Path(path).expanduser()]).values()
    return DocumentVectors(of, f"{path} {digest}")


def _of_model(dataset: BenchmarkDataset, name: str, text_of: Callable[[str], str]) -> DocumentVectors:
    try:
        check_known(OWNER, name)
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
    """The rows with length 1; nan for rows of zeros, which have no direction."""
    length = np.sqrt(np.vecdot(rows, rows))[:, np.newaxis]
    return np.where(length > 0, ratio(rows, length), np.nan)
