"""What retrievers have in common: hits with fields about the query, the order of documents in ties, and errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from assay.errors import ProviderError
from assay.masking import mask
from assay.model import Document, Hit
from assay.providers.reporting import CountedDocuments
from assay.views import ABSTAINED, ANSWERS, CONFIDENCE
from assay.views import REPORTED_ROUTE_FIELDS as ROUTES

FIELDS = frozenset((*ANSWERS, *CONFIDENCE, *ABSTAINED))
"""Names of fields about a query that may be next to its hits; all other fields are ignored."""


class ReportedHits(list[Hit]):
    """A list of hits with `fields`, which the retriever reported about the query."""

    def __init__(self, hits: Iterable[Hit], fields: Mapping[str, Any]) -> None:
        super().__init__(hits)
        self.fields = dict(fields)


def with_reported_fields(hits: list[Hit], answer: Any) -> list[Hit]:
    """The hits with the fields that the response reports about the query; unchanged if there are none."""
    fields = reported_fields(answer)
    return ReportedHits(hits, fields) if fields else hits


def reported_fields(answer: Any) -> dict[str, Any]:
    """The fields that a response reports about the query; empty if it is only a list of hits."""
    if isinstance(answer, ReportedHits):
        return answer.fields
    if not isinstance(answer, Mapping) or all(map(_is_score, answer.values())):
        return {}
    fields = {name: value for name, value in answer.items() if name in FIELDS and not isinstance(value, list | Mapping)}
    return fields | {name: value for name, value in answer.items() if name in ROUTES and value is not None}


def _is_score(value: Any) -> bool:
    """Whether a value is a score; if all values of a mapping are scores, its keys are document ids."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def in_tie_order(documents: Iterable[Document]) -> list[Document]:
    """The documents by id, descending, so that ties are ordered as in every run. An id that occurs twice is an error."""
    source = documents.being_read() if isinstance(documents, CountedDocuments) else documents
    ordered = sorted(source, key=lambda document: document.doc_id, reverse=True)
    for previous, document in pairwise(ordered):
        if previous.doc_id == document.doc_id:
            raise duplicate_document_error(document.doc_id)
    return ordered


def duplicate_document_error(doc_id: str) -> PermanentFailure:
    """The error for documents of which two have the same id."""
    return PermanentFailure(f"two documents have the id {doc_id}. Give each document a different id")


def not_indexed_error(provider: str) -> PermanentFailure:
    """The error of a retriever whose search is called before index."""
    return PermanentFailure(f"{provider} has no documents yet: call index(documents) before search")


BUSY_STATUS = (429, 503)
"""HTTP status of a busy service: too many requests, service unavailable."""
PERMANENT_STATUS = (301, 308, 400, 401, 403, 404, 405, 410, 413, 414, 415, 422)
"""HTTP status of a request that will never succeed."""

BUGS = (TypeError, AttributeError, NameError, ImportError, LookupError, ArithmeticError, AssertionError, NotImplementedError)
"""Exceptions that mean a bug in the code, so that a retry does not help."""


class RetryLater(ProviderError):
    """The service is busy; `retry_after` is the wait in seconds that it requested, or None."""

    def __init__(self, retry_after: float | None = None, message: str = "", source: str = "") -> None:
        wait = "" if retry_after is None else f"; it asks to wait {retry_after:g} s"
        super().__init__((message or "the service is busy") + wait, source=source)
        self.retry_after, self.message = retry_after, mask(message)


class PermanentFailure(ProviderError):
    """An error that a retry cannot fix: the same query would fail again."""


class DuplicateDocument(PermanentFailure):
    """A ranking in which a document occurs twice."""

    def __init__(self, document: str) -> None:
        super().__init__(f"document {document} occurs twice in the ranking. Return each document only once")
        self.document = document


def is_retryable(error: BaseException) -> bool:
    """Whether a retry may help: not after a permanent failure, and not after a bug in the code."""
    return not isinstance(error, PermanentFailure) and not any(isinstance(cause, BUGS) for cause in (error, error.__cause__))
