"""The form of the lines of a pool."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import UNSET, UnsetType

from assay.schema import Count


class PoolLine(msgspec.Struct, forbid_unknown_fields=True):
    """A line of a pool: the head, which has a schema, or a pair, which has a query and a document."""

    schema: str | UnsetType = UNSET
    id: str | UnsetType = UNSET
    how: str | UnsetType = UNSET
    seed: Count | UnsetType = UNSET
    metric: str | UnsetType = UNSET
    depth: Count | UnsetType = UNSET
    benchmark: str | UnsetType = UNSET
    is_complete: bool | UnsetType = UNSET
    n_drawn: Count | UnsetType = UNSET
    n_pairs: Count | UnsetType = UNSET
    systems: list[str] | UnsetType = UNSET
    queries: list[str] | UnsetType = UNSET
    query: str | UnsetType = UNSET
    document: str | UnsetType = UNSET
    probability: Annotated[float, msgspec.Meta(gt=0, le=1)] | UnsetType = UNSET
    place: Count | UnsetType = UNSET
