"""Ground truth: what is relevant, read as plain judgments or as a benchmark."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from assay.datasets import BenchmarkDataset, detect_format, load_dataset
from assay.errors import AssayError, DataError
from assay.files import as_source
from assay.model import Qrels


def load_ground_truth(
    source: Any, dataset_format: str | None = None, *, kind: Literal["judgments", "benchmark", ""] = ""
) -> Qrels | BenchmarkDataset:
    """Read judgments from a file, a frame or a mapping; or a benchmark by its name, or from a folder or a file.

    `kind` says which of the two it is. Without it, a name that is not a file, and a file that cannot be read as judgments,
    is a benchmark.
    """
    if isinstance(source, Qrels | BenchmarkDataset):
        return source
    is_path = isinstance(source, str | os.PathLike) and source != "-"
    is_named = is_path and (Path(source).is_dir() or not Path(source).exists())
    if kind == "benchmark" or dataset_format or (is_named and not kind):
        return load_dataset(source, dataset_format)
    try:
        return Qrels(as_source(source))
    except DataError:
        if not kind and is_path and _is_benchmark(Path(source)):
            return load_dataset(source)
        raise


def _is_benchmark(path: Path) -> bool:
    """Whether a file looks like a benchmark, which has queries in addition to judgments."""
    with suppress(AssayError):
        return path.is_file() and detect_format(path).name != "trec"
    return False
