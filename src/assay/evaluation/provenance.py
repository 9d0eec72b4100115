"""Provenance: what a result is based on, so that it can be reproduced; and what differs between two results."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, Unpack

from assay._version import __version__
from assay.atomic_write import atomic_write
from assay.datasets import PARTS, BenchmarkDataset
from assay.errors import UsageError
from assay.evaluation.repository import describe_repository
from assay.evaluation.result import Result
from assay.evaluation.saved_form import SCHEMA
from assay.evaluation.scoring import EvaluateSettings, evaluate
from assay.metrics import Given
from assay.model import RunSource

PACKAGES = (
    *("numpy", "scipy", "duckdb", "msgspec", "bm25s", "PyStemmer", "wordllama", "sentence-transformers", "tree-sitter"),
    *("chonkie", "langchain-core", "llama-index-core", "haystack-ai", "chromadb", "qdrant-client", "lancedb", "psycopg"),
)
"""Packages whose version may change a score."""


def now() -> str:
    """The current time in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def describe_dataset(dataset: BenchmarkDataset) -> dict[str, Any]:
    """Name, version, sizes and fingerprints; for chunks, those of the original files; for terms, what is searched."""
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


@cache
def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


DEFAULT_CUTOFFS = "5,10,20"
DEFAULT_METRICS = tuple(f"{name}@{DEFAULT_CUTOFFS}" for name in ("precision", "recall", "f1", "hit", "mrr", "map", "ndcg"))
"""The metrics that are scored if a module is given instead of names."""


class ReproducibleEvaluationRunner:
    """Scores runs of a named model on a dataset with `evaluate_run`, and writes the results with `save_results`."""

    def __init__(self, dataset: BenchmarkDataset, model_name: str, model_version: str = "") -> None:
        self.dataset, self.model_name, self.model_version = dataset, model_name, model_version
        self.results: list[Result] = []

    def evaluate_run(
        self,
        results: RunSource,
        metrics: Given | Iterable[Given] | ModuleType | None = None,
        **settings: Unpack[EvaluateSettings],
    ) -> Result:
        """Score a mapping of query → ranked ids (or id → score). `settings` are those of `assay.evaluate`."""
        began, start = now(), time.perf_counter()
        chosen_metrics = DEFAULT_METRICS if isinstance(metrics, ModuleType) else metrics
        name = f"{self.model_name} {self.model_version}".strip()
        result = evaluate(self.dataset, results, chosen_metrics, name=name, **settings)
        provenance = {
            "dataset": describe_dataset(self.dataset),
            "model": {"name": self.model_name, "version": self.model_version},
            "metrics": [metric.name for metric in result.metrics],
            "policy": result.policy.to_dict(),
            "counts": dict(result.counts),
            "started": began,
            "finished": now(),
            "seconds": {"total": round(time.perf_counter() - start, 3)},
            "repository": describe_repository(),
            **describe_machine(),
        }
        result = result.with_fields(benchmark=self.dataset.name, provenance=provenance)
        self.results.append(result)
        return result

    def save_results(self, path: str | Path) -> None:
        """Write all results so far as JSON, like `assay score --format json`."""
        import msgspec

        if not self.results:
            raise UsageError("there are no results to save yet. Call evaluate_run first")
        content = {"schema": SCHEMA, "results": [result.to_dict() for result in self.results]}
        with atomic_write(Path(path)) as file:
            file.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
