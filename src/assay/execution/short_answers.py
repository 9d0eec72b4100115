"""Short answers: whether a provider returned fewer documents for every query than it could have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from assay.evaluation import Limit, find_limit, limit_on
from assay.execution.unknown_documents import unknown_documents

if TYPE_CHECKING:
    from assay.execution.runner import Part


def limit_of(part: Part, rankings: Mapping[str, Collection[str]]) -> Limit | None:
    """The limit of the provider. None if it has none, or if it always returns all documents that fit.

    A provider that returns documents which the benchmark does not have may have any number of them.
    """
    lengths = {query: len(ranking) for query, ranking in rankings.items()}
    if part.provider.is_exhaustive or max(lengths.values(), default=part.k) >= part.k:
        return None
    if unknown_documents(part, rankings):
        return find_limit(lengths, dict.fromkeys(lengths, part.k))
    return limit_on(part.dataset, lengths, part.k)
