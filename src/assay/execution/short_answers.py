"""Short answers: whether a provider returned fewer documents for every query than it could have."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING

from assay.evaluation import Limit, limit_on

if TYPE_CHECKING:
    from assay.execution.runner import Part


def limit_of(part: Part, rankings: Mapping[str, Sized]) -> Limit | None:
    """The limit of the provider. None if it has none, or if it always returns all documents that fit."""
    if part.provider.is_exhaustive:
        return None
    return limit_on(part.dataset, {query: len(ranking) for query, ranking in rankings.items()}, part.k)
