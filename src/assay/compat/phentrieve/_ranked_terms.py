"""ranked_terms: the HPO ids of a Chroma-shaped result, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.compat._credited_once import credited_once
from assay.errors import DataError
from assay.text import shortened

TERM = "hpo_id"
"""Where the metadata of a hit says which term it is."""


def ranked_terms(results: Mapping[str, Any] | None) -> list[str]:
    """The term of each hit by its metadata, or its id where metadata were not asked for; none where there are no hits.

    A hit without a term, and one whose term came before, hold their rank under a name that no term has.
    """
    if not results:
        return []
    if not isinstance(results, Mapping):
        raise DataError(f"expected what Chroma returns, {{'ids': [[…]], 'metadatas': [[…]]}}, found {shortened(results)}")
    metadatas = _of_one_query(results, "metadatas")
    if metadatas is None:
        return credited_once(_of_one_query(results, "ids") or ())
    return credited_once((one or {}).get(TERM) or "" for one in metadatas)


def _of_one_query(results: Mapping[str, Any], key: str) -> Sequence[Any] | None:
    """The list of the only query; None where the key is missing or empty."""
    lists = results.get(key)
    if not lists:
        return None
    if not isinstance(lists, list | tuple) or not all(isinstance(one, list | tuple) for one in lists):
        raise DataError(f"{key}: expected a list with the list of one query, as Chroma returns it, found {shortened(lists)}")
    if len(lists) > 1:
        raise DataError(f"{key}: these are the results of {len(lists)} queries; hand over one query's at a time")
    return lists[0]
