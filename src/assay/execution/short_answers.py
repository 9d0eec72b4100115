"""Short answers: whether a provider returned fewer documents for every query than it could have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from assay.evaluation import Limit, find_limit
from assay.execution.unknown_documents import unknown_documents

if TYPE_CHECKING:
    from assay.execution.runner import Part


def limit_of(part: Part, rankings: Mapping[str, Collection[str]]) -> Limit | None:
    """The limit of the provider. None if it has none, or if it always returns all documents that fit.

    A provider that returns documents which the benchmark does not have may have any number of them.
    """
    lengths = {query: len(ranking) for query, ranking in rankings.items()}
    if part.provider.is_exhaustive or max(lengths.values(), default=part.k) >= part.k:
        return None  # before documents are counted, which may read a large file
    groups = part.dataset.groups if any(query.scope is not None for query in part.queries.values()) else {}
    n_documents = part.k if unknown_documents(part, rankings) else len(part.dataset.documents) or part.k
    possible = {
        query: min(part.k, n_documents if (scope := part.queries[query].scope) is None else len(groups.get(scope, ())))
        for query in rankings
    }
    return find_limit(lengths, possible)
