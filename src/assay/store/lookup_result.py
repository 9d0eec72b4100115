"""Lookup result: the results that a reference means, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evaluation import Result


@dataclass(frozen=True)
class LookupResult:
    """Results from a file or from a stored evaluation."""

    results: tuple[Result, ...]
    label: str
    """A label for users: `main (2026-11-10, bm25)`."""
    evaluation: str = ""
    """The id of a stored evaluation; empty for a file."""
    newer_judgments: tuple[str, ...] = ()
    """Notes on grades by people that these results do not use."""
