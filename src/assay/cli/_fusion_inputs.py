"""Inputs of fusion: the runs, and the judgments that fusions are tuned and taught by."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._wrong_file import describe_file_error, refuse_saved_results
from assay.errors import AssayError, DataError

if TYPE_CHECKING:
    from assay.model import Qrels, Run

ORDER = "runs come by themselves, judgments by --qrels FILE"
"""What is said of a file that is in the wrong place."""


def read_runs(files: Sequence[str], duplicates: str) -> dict[str, Run]:
    """Name → run; names are the files' own where those tell them apart."""
    from assay.files import as_source
    from assay.model import Run

    refuse_saved_results(files)
    sources = [as_source(file) for file in files]
    names = [source.name for source in sources]
    names = names if len(set(names)) == len(names) else [f"{file} ({number})" for number, file in enumerate(files, 1)]
    found = {}
    for name, source in zip(names, sources, strict=True):
        try:
            found[name] = Run(source, duplicates=duplicates.replace("-", "_"))
        except DataError as error:
            raise describe_file_error(error, source, "a run", ORDER) from None
    return found


def read_qrels(file: str) -> Qrels:
    """Judgments of a file, or of a benchmark: a bundled one by its name, a folder, or a file that holds one."""
    from assay.files import as_source
    from assay.model import Qrels

    if file != "-" and (Path(file).is_dir() or not Path(file).exists()):
        return _benchmark_qrels(file)
    source = as_source(file)
    try:
        return Qrels(source)
    except DataError as error:
        if _is_benchmark(Path(file)):
            return _benchmark_qrels(file)
        raise describe_file_error(error, source, "judgments", ORDER) from None


def _is_benchmark(path: Path) -> bool:
    """Whether a file looks like a benchmark, which has queries beside its judgments."""
    from assay.datasets import detect_format

    with suppress(AssayError):
        return path.is_file() and detect_format(path).name != "trec"
    return False


def _benchmark_qrels(name: str) -> Qrels:
    """The judgments of a benchmark, by name or path; one without any is refused, for nothing can be learnt from it."""
    from assay.datasets import load_dataset

    dataset = load_dataset(name)
    if not dataset.qrels:
        raise DataError(f"{name}: no query of it has judgments, and fusions are tuned and taught by these alone")
    return dataset.judged()
