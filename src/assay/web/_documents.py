"""Documents: the words of those that a bundled benchmark holds; the store keeps only their ids."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from assay.errors import AssayError
from assay.evaluation.result import Result

LONGEST = 600
"""Letters of a document on a page."""


def texts_of(result: Result, documents: Iterable[str]) -> dict[str, str]:
    """Document → its first words; nothing where the data are not at hand."""
    dataset = bundled_dataset(str((result.provenance.get("dataset") or {}).get("name", "")))
    if dataset is None:
        return {}
    found = {}
    for name in documents:
        text = getattr(dataset.documents.get(name), "text", "") if hasattr(dataset.documents, "get") else ""
        found[name] = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return {name: text for name, text in found.items() if text}


@lru_cache(maxsize=8)
def bundled_dataset(name: str) -> Any | None:
    """A benchmark that comes with the package; None for any other name, which may be a path that is not ours to read."""
    from assay.datasets._format import HPO, bundled, load_dataset

    if name not in bundled() or name.startswith(HPO):
        return None
    try:
        return load_dataset(name)
    except AssayError:
        return None
