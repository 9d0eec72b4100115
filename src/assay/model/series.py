"""series: what a mapping may hold for a query besides lists and mappings: a pandas Series, a polars one, a generator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.model.ids import all_text


def unpacked(given: Any) -> Any:
    """The same as a list or a mapping: a generator as a list, a Series of texts as a list of ids, any other as
    id → value by its index. Where ids of an index come twice, they stay pairs. Whatever is none of these stays as it is.
    """
    if isinstance(given, Iterator):
        return list(given)
    if isinstance(given, list | dict) or not hasattr(given, "to_list"):
        return given
    values = given.to_list()
    if not hasattr(given, "index") or not hasattr(given.index, "to_list") or all_text(values):
        return values
    ids = given.index.to_list()
    by_id = dict(zip(ids, values, strict=True))
    return by_id if len(by_id) == len(ids) else list(zip(ids, values, strict=True))
