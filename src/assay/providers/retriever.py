"""What retrievers have in common: hits with fields about the query, the order of documents in ties, and errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from assay.errors import ProviderError
from assay.masking import mask
from assay.model import Document, Hit
from assay.views import ABSTAINED, ANSWERS, CONFIDENCE
from assay.views import REPORTED_ROUTE_FIELDS as ROUTES

FIELDS = frozenset((*ANSWERS, *CONFIDENCE, *ABSTAINED))
"""Names of fields about a query that may stand beside its hits; all other fields are ignored."""


class ReportedHits(list[Hit]):
    """A list of hits like any other; `fields` is what the retriever reported about the query."""

    def __init__(self, hits: Iterable[Hit], fields: Mapping[str, Any]) -> None:
        super().__init__(hits)
        self.fields = dict(fields)


def with_reported_fields(hits: list[Hit], answer: Any) -> list[Hit]:
    """The hits with what an answer says beside them; as they are, where it says nothing."""
    fields = reported_fields(answer)
    return ReportedHits(hits, fields) if fields else hits


def reported_fields(answer: Any) -> dict[str, Any]:
    """What an answer says about the query as a whole; nothing where it is a mere list of hits."""
    if isinstance(answer, ReportedHits):
        return answer.fields
    if not isinstance(answer, Mapping) or all(map(_is_score, answer.values())):
        return {}
    fields = {name: value for name, value in answer.items() if name in FIELDS and not isinstance(value, list | Mapping)}
    return fields | {name: value for name, value in answer.items() if name in ROUTES and value is not None}


def _is_score(value: Any) -> bool:
    """Where all are scores, the names are those of documents."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def in_tie_order(documents: Iterable[Document]) -> list[Document]:
    """The documents by id, descending: of two with equal scores the earlier one comes first, as in every run."""
    ordered = sorted(documents, key=lambda document: document.doc_id, reverse=True)
    for previous, document in pairwise(ordered):
        if previous.doc_id == document.doc_id:
            raise PermanentFailure(f"the document {document.doc_id} is there twice; ids tell documents apart")
    return ordered


def not_indexed_error(provider: str) -> PermanentFailure:
    """The error of a retriever that is asked before it has its documents."""
    return PermanentFailure(f"{provider} was asked before it had its documents: call index(documents) first")


BUSY_STATUS = (429, 503)
"""What a busy service answers in HTTP: too many requests, service unavailable."""
PERMANENT_STATUS = (301, 308, 400, 401, 403, 404, 405, 410, 413, 414, 415, 422)
"""What a service answers in HTTP to a request that it will never take."""

BUGS = (TypeError, AttributeError, NameError, ImportError, LookupError, ArithmeticError, AssertionError, NotImplementedError)
"""What code raises that is wrong, and not only unlucky."""


class RetryLater(ProviderError):
    """The service has too much to do; `retry_after` is the wait in seconds it asked for, None where it named none."""

    def __init__(self, retry_after: float | None = None, message: str = "", source: str = "") -> None:
        wait = "" if retry_after is None else f"; it asks to wait {retry_after:g} s"
        super().__init__((message or "the service is busy") + wait, source=source)
        self.retry_after, self.message = retry_after, mask(message)


class PermanentFailure(ProviderError):
    """Asking again would not help: the same question gets the same refusal."""


class DuplicateDocument(PermanentFailure):
    """A ranking that has a document twice."""

    def __init__(self, document: str) -> None:
        super().__init__(f"document {document} comes twice")
        self.document = document


def is_retryable(error: BaseException) -> bool:
    """Whether asking another time may help: not after a refusal that is final, nor where code has to be mended first."""
    return not isinstance(error, PermanentFailure) and not any(isinstance(cause, BUGS) for cause in (error, error.__cause__))
