"""ranked_terms: the HPO ids of a Chroma-shaped result, best first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.compat._credited_once import credited_once
from assay.errors import DataError
from assay.text import shortened

TERM = "hpo_id"
"""Where the metadata of a hit says which term it is."""
_LOOKS_LIKE_A_TERM = re.compile(r"[A-Z][A-Za-z]*[:_][0-9]+")


def ranked_terms(results: Mapping[str, Any] | None) -> list[str]:
    """The term of each hit by its metadata, or its id where metadata say nothing of terms; none where there are no hits.

    A hit without a term, and one whose term came before, hold their rank under a name that no term has. Metadata that name
    no term at all, beside ids that are none, are refused: terms must stand under another name there.
    """
    if not results:
        return []
    if not isinstance(results, Mapping):
        raise DataError(f"expected what Chroma returns, {{'ids': [[…]], 'metadatas': [[…]]}}, found {shortened(results)}")
    ids, metadatas = _of_one_query(results, "ids"), _of_one_query(results, "metadatas")
    if not metadatas or not any(metadatas):
        return credited_once(ids or [""] * len(metadatas or ()))
    if ids is not None and len(ids) != len(metadatas):
        raise DataError(f"ids and metadatas belong together one by one; found {len(ids)} and {len(metadatas)}")
    known = [_metadata(one) for one in metadatas]
    if not any(TERM in one for one in known):
        _refuse_other_names(known, ids or ())
    return credited_once(_term(*hit) for hit in zip(known, ids or [""] * len(known), strict=True))


def _metadata(one: Any) -> Mapping[str, Any]:
    if one is not None and not isinstance(one, Mapping):
        raise DataError(f"metadatas: expected a map with {TERM} for each hit, found {shortened(one)}")
    return one or {}


def _term(metadata: Mapping[str, Any], own: Any) -> Any:
    """What metadata say, be it nothing; the hit's own id where they do not say."""
    return (metadata[TERM] or "") if TERM in metadata else own


def _refuse_other_names(metadatas: Sequence[Mapping[str, Any]], ids: Sequence[Any]) -> None:
    if not any(isinstance(one, str) and _LOOKS_LIKE_A_TERM.fullmatch(one) for one in ids):
        found = ", ".join(dict.fromkeys(str(name) for one in metadatas for name in one))
        said = f"metadatas: no hit says its {TERM}, and ids are not like HP:0001250 either; found {found}"
        raise DataError(said)


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
