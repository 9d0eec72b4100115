"""Provenance: what a result rests on, so that it can be had again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from assay._version import __version__
from assay.datasets import PARTS, BenchmarkDataset

PACKAGES = (
    *("numpy", "scipy", "duckdb", "msgspec", "bm25s", "PyStemmer", "wordllama", "sentence-transformers", "tree-sitter"),
    *("chonkie", "langchain-core", "llama-index-core", "haystack-ai", "chromadb", "qdrant-client", "lancedb", "psycopg"),
)
"""What may change a number when it changes."""


def now() -> str:
    """The time, to the second, in UTC."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def describe_dataset(dataset: BenchmarkDataset) -> dict[str, Any]:
    """Name, version, sizes, fingerprints; of chunks, those of what they were cut from; of terms, what is searched."""
    if dataset.files is not None:
        dataset = replace(dataset, documents=dict(dataset.files), files=None, _fingerprints={})
    return {
        "name": dataset.name,
        "version": dataset.version,
        "format": dataset.format,
        "num_queries": len(dataset.queries),
        "num_documents": len(dataset.documents),
        "fingerprints": {part: dataset.fingerprint(part) for part in PARTS},
        **({"documents": dict(about)} if isinstance(about := dataset.metadata.get("documents"), Mapping) else {}),
    }


def describe_machine() -> dict[str, Any]:
    """Versions and platform."""
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: version for name in PACKAGES if (version := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
