"""Embeddings for providers: vectors of length 1 by a model; an error about the model is a ProviderError."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from assay.embeddings import EmbeddingCache, Vectors, load_model
from assay.embeddings import check_model as check_any_model
from assay.embeddings import embed as embed_texts
from assay.errors import ProviderError, UsageError
from assay.providers.reporting import Report, report_nothing


@contextmanager
def _as_provider_error() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        raise ProviderError(str(error)) from error


def check_model(owner: str, model: str) -> None:
    """Raise unless the package that the model needs is installed; a file of vectors is not a model."""
    with _as_provider_error():
        check_any_model(owner, model)


def embed(
    owner: str, model: str, texts: Sequence[str], store: EmbeddingCache | None = None, report: Report = report_nothing
) -> Vectors:
    """A vector of length 1 per text, a zero vector for a blank text."""
    with _as_provider_error():
        return embed_texts(load_model(owner, model), texts, store, report)
