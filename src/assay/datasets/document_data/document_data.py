"""Document data: where the vectors of documents come from, and how popular documents are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.datasets.kinds import VectorSource
from assay.errors import BadParameter
from assay.text import shortened


@dataclass(frozen=True, eq=False)
class DocumentData:
    """Where vectors come from, and the popularity of documents; None: from the documents, or from the usual model."""

    vectors: VectorSource | None = None
    popularity: Mapping[str, float] | None = None
    popularity_from: str = ""
    """The file with the popularity."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """`tags` or `popularity` → the column of documents that the user named for it."""


def check_vectors(value: Any) -> None:
    """Raise unless vectors are a file, the name of a model, or a mapping."""
    if not isinstance(value, str | Path | Mapping) or not value:
        raise BadParameter(f"vectors must be a file, the name of a model, or id → vector, not {shortened(value)}")
