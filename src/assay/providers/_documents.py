"""The documents of a retriever, in the order that decides ties."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from assay.model import Document
from assay.providers._refusals import PermanentFailure


def in_tie_order(documents: Iterable[Document]) -> list[Document]:
    """The documents by id, descending: of two with equal scores the earlier one comes first, as in every run."""
    ordered = sorted(documents, key=lambda document: document.doc_id, reverse=True)
    for one, other in pairwise(ordered):
        if one.doc_id == other.doc_id:
            raise PermanentFailure(f"the document {one.doc_id} is there twice; ids tell documents apart")
    return ordered


def not_indexed(provider: str) -> PermanentFailure:
    """The error of a retriever that is asked before it has its documents."""
    return PermanentFailure(f"{provider} was asked before it had its documents: call index(documents) first")
