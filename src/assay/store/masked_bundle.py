"""Masked bundle: an evaluation without secrets that became known only after it was saved, for others to read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.errors import StoreError
from assay.masking import mask, mask_nested
from assay.schema import SchemaError
from assay.store.parcel import StoredResult, parcel_of_plain
from assay.store.payload import pack_json, unpack_json
from assay.store.writing import EvaluationBundle


def masked_bundle(bundle: EvaluationBundle, name: str, what: str) -> EvaluationBundle:
    """The same with every text masked; its digest is that of what it says now, so that it can be imported.

    Where ids would no longer differ, nothing is exported: figures would be lost.
    """
    try:
        plan, parcels = _masked(unpack_json(bundle.plan)), tuple(map(_masked_parcel, bundle.parcels))
    except (SchemaError, ValueError):
        raise StoreError(
            f"{name} cannot be exported: {what} is in it, and without that secret its ids or numbers cannot be told apart; "
            f"delete it with assay results delete {name}, or rename what holds the secret and evaluate again"
        ) from None
    return replace(bundle, plan=pack_json(plan), parcels=parcels)


def _masked_parcel(parcel: StoredResult) -> StoredResult:
    return parcel_of_plain(_masked(parcel.to_plain()))


def _masked(value: Any) -> Any:
    """Plain values masked; a ValueError where two names become one."""
    if isinstance(value, Mapping):
        found = {mask(name): _masked(one) for name, one in value.items()}
        if len(found) != len(value):
            raise ValueError
        return found
    return [_masked(one) for one in value] if isinstance(value, list) else mask_nested(value)
