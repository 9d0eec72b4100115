"""The store: evaluations in SQLite or PostgreSQL. SQLAlchemy is loaded when a name is first asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.store.entries import Entry, Note, Point, StoredEvaluation
    from assay.store.judgments import Judgment
    from assay.store.keeping import keep
    from assay.store.store import Imported, Store

__all__ = ["Entry", "Imported", "Judgment", "Note", "Point", "Store", "StoredEvaluation", "keep"]

_HOMES = {
    "Entry": "assay.store.entries",
    "Imported": "assay.store.store",
    "Judgment": "assay.store.judgments",
    "Note": "assay.store.entries",
    "Point": "assay.store.entries",
    "Store": "assay.store.store",
    "StoredEvaluation": "assay.store.entries",
    "keep": "assay.store.keeping",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay.store' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
