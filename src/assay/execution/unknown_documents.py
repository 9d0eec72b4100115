"""Unknown documents: ids that a provider returned and that are not among the documents of the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from assay.files import document_of

if TYPE_CHECKING:
    from assay.execution.runner import Part

MIN_SHARE = 0.1
"""If no more than this share of the returned ids is unknown, there is no note."""


def unknown_documents(part: Part, rankings: Mapping[str, Iterable[str]]) -> list[str]:
    """The returned ids that are neither documents, nor chunks of documents, nor judged; each once, in order.

    Empty if the benchmark has no documents, or if other things than ids of documents decide about relevance.
    """
    documents, relevance = part.dataset.documents, part.relevance
    if not relevance.is_by_id or relevance.domain_options or part.dataset.spans or not documents:
        return []
    returned = dict.fromkeys(doc for ranking in rankings.values() for doc in ranking)
    unknown = [doc for doc in returned if doc not in documents and document_of(doc) not in documents]
    judged = {doc for grades in part.dataset.qrels.values() for doc in grades} if unknown else ()
    return [doc for doc in unknown if doc not in judged]


def notes_on_unknown_documents(part: Part, rankings: Mapping[str, Iterable[str]]) -> list[str]:
    """A note if many returned ids are unknown. If all are, the note on ids that do not match the judgments says it."""
    unknown = unknown_documents(part, rankings)
    n_returned = len({doc for ranking in rankings.values() for doc in ranking})
    if len(unknown) <= MIN_SHARE * n_returned or (part.dataset.qrels and len(unknown) == n_returned):
        return []
    are = "document that is" if len(unknown) == 1 else "documents that are"
    count = f"the provider returned {len(unknown):,} {are} not among the documents of the benchmark"
    return [f"{count}, such as {unknown[0]}. Check that it searches the same documents."]
