"""Provenance: what a result is based on, so that it can be reproduced; and what differs between two results."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, Unpack

from assay._version import __version__
from assay.atomic_write import atomic_write
from assay.datasets import PARTS, BenchmarkDataset
from assay.errors import UsageError
from assay.evaluation.result import Result
from assay.evaluation.scoring import EvaluateSettings, evaluate
from assay.masking import mask
from assay.metrics import Given
from assay.model import RunSource
from assay.repository import describe_repository
from assay.text import printable, shortened

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
        **({"as_of": str(dataset.as_of)} if dataset.as_of is not None else {}),
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
    from importlib import metadata  # it imports a parser of mails

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

        from assay.evaluation.saved_form import SCHEMA

        if not self.results:
            raise UsageError("there are no results to save yet. Call evaluate_run first")
        content = {"schema": SCHEMA, "results": [result.to_dict() for result in self.results]}
        with atomic_write(Path(path)) as file:
            file.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


COMMIT_DIGITS = 7
FINGERPRINT_DIGITS = 8
DATA = ("queries", "documents", "judgments")
SOFTWARE = ("assay", "python")
REQUEST = ("k", "repeats", "seed", "selection", "relevance", "profile", "policy")
NONE = "none"
LONGEST = 60
"""Characters of a value."""


class Changed(NamedTuple):
    """One recorded difference."""

    part: str
    """`code`, `provider`, `dataset`, `request`, `metrics` or `software`."""
    text: str
    """`code version 1a2b3c4 → 5d6e7f8`, on one line and without secrets."""
    name: str = ""
    """What differs: `code version`."""
    old: str = ""
    new: str = ""

    def __str__(self) -> str:
        return self.text


def what_changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[Changed, ...]:
    """The differences between the provenance of two results: code, provider, dataset, request, metrics and software.

    A field that only one of them has is compared as empty. Times, counts and the platform are not compared. An empty answer
    means that nothing was recorded: the data of a server, for example, may have changed.
    """
    return (
        *_code(before, now),
        *_provider(before, now),
        *_dataset(before, now),
        *_request(before, now),
        *_metrics(before, now),
        *_software(before, now),
    )


def _code(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Changed]:
    """The commit. If files differ from it, the same commit can mean other code."""
    old, new = (_part(some, "repository") for some in (before, now))
    commits = [str(some.get("commit", ""))[:COMMIT_DIGITS] for some in (old, new)]
    dirty = [" with uncommitted changes" if some.get("dirty") else "" for some in (old, new)]
    versions = [printable(f"{commit}{more}") for commit, more in zip(commits, dirty, strict=True)]
    if all(commits) and (versions[0] != versions[1]):
        yield Changed("code", f"code version {versions[0]} → {versions[1]}", "code version", *versions)
    elif all(commits) and any(dirty):
        yield Changed("code", f"code version {versions[1]}", "code version", *versions)


def _provider(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Changed]:
    old, new = (_flat(_part(some, "model")) for some in (before, now))
    yield from _fields(old, new, "provider", "model ")
    old, new = (_flat(_part(_part(some, "provider"), "configuration")) for some in (before, now))
    yield from _fields(old, new, "provider", "provider configuration: ")
    files = [_part(some, "files") for some in (before, now)]
    for name in sorted(files[0].keys() & files[1].keys(), key=str):
        if files[0][name] != files[1][name]:
            prints = [_digest(some[name]) for some in files]
            yield Changed("provider", printable(f"file {name} changed"), printable(f"file {name}"), *prints)
    chunkers = [_part(some, "chunks").get("chunker") for some in (before, now)]
    if chunkers[0] != chunkers[1]:
        yield _moved("provider", "chunker", *chunkers)


def _dataset(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Changed]:
    old, new = (_part(some, "dataset") for some in (before, now))
    for name in ("name", "version"):
        if old.get(name) != new.get(name):
            yield _moved("dataset", "dataset" if name == "name" else f"dataset {name}", old.get(name), new.get(name))
    prints = [_part(some, "fingerprints") for some in (old, new)]
    if parts := [name for name in DATA if name in prints[0] and name in prints[1] and prints[0][name] != prints[1][name]]:
        digests = [", ".join(_digest(some[name]) for name in parts) for some in prints]
        yield Changed("dataset", f"dataset: {' and '.join(parts)} changed", f"dataset: {' and '.join(parts)}", *digests)
    yield from _fields(_flat(_part(old, "documents")), _flat(_part(new, "documents")), "dataset", "documents: ")


def _request(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Changed]:
    old, new = (_flat({name: some[name] for name in REQUEST if name in some}) for some in (before, now))
    yield from _fields(old, new, "request", "")


def _metrics(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Changed]:
    """The metrics that only one of them was asked for, if both have a list."""
    old, new = (_names(some.get("metrics")) for some in (before, now))
    if not old or not new:
        return
    left, added = ([name for name in some if name not in other] for some, other in ((old, new), (new, old)))
    if left or added:
        yield _moved("metrics", "metrics", ", ".join(left), ", ".join(added))


def _names(value: Any) -> list[str]:
    return [str(name) for name in value] if isinstance(value, Sequence) and not isinstance(value, str) else []


def _software(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Changed]:
    old, new = (
        {**{name: some[name] for name in SOFTWARE if name in some}, **_part(some, "packages")} for some in (before, now)
    )
    yield from _fields(old, new, "software", "")


def _fields(old: Mapping[str, Any], new: Mapping[str, Any], part: str, head: str) -> Iterator[Changed]:
    """Fields that differ. A field that is empty and one that is not there look the same, and mean the same."""
    for name in dict.fromkeys((*old, *new)):
        before, now = (None if some.get(name) == "" else some.get(name) for some in (old, new))
        if before != now:
            yield _moved(part, f"{head}{name}", before, now)


def _moved(part: str, name: str, old: Any, new: Any) -> Changed:
    name, before, now = (printable(text) for text in (name, _shown(old), _shown(new)))
    return Changed(part, f"{name} {before} → {now}", name, before, now)


def _shown(value: Any) -> str:
    """A value as text, shortened in the middle, because long names mostly differ at the ends."""
    if value is None or value == "":
        return NONE
    text = mask(value) if isinstance(value, str) else shortened(value, 10 * LONGEST)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[1 - LONGEST // 2 :]}"


def _digest(value: Any) -> str:
    return printable(str(value))[:FINGERPRINT_DIGITS]


def _part(some: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A field that is a mapping; empty if it is missing or something else, because a provenance is data of others."""
    value = some.get(name)
    return value if isinstance(value, Mapping) else {}


def _flat(some: Mapping[str, Any], head: str = "") -> dict[str, Any]:
    """Nested fields with their path: `model.name`."""
    flat: dict[str, Any] = {}
    for name, value in some.items():
        path = f"{head}{name}"
        if isinstance(value, Mapping) and value:
            flat |= _flat(value, f"{path}.")
        else:
            flat[path] = value
    return flat
