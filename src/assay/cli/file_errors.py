"""File errors: which file is wrong, and whether it is a file of another kind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import MAX_FAULTS, DataError, Hint, NoGroundTruth

if TYPE_CHECKING:
    from assay.files import FileSource

MAX_FAULTS_SHOWN = 3
"""The number of faults that are shown for a file of another kind."""
MIN_SHARE_AT_FAULT = 0.75
"""The share of faulty lines from which a file counts as one of another kind."""


@contextmanager
def errors_at(
    source: Any, what: str, *, dataset: str = "", others: tuple[str, ...] = (), order: Hint | None = None
) -> Iterator[None]:
    """Errors name the file that is wrong: the source, unless it is the benchmark or another file that was read with it.

    Such a file is also `train.txt.query`, which is read with `train.txt`. `order` says where judgments and runs belong, for
    commands that do not take judgments first.
    """
    try:
        yield
    except NoGroundTruth as error:
        raise (error.at(dataset) if dataset else describe_file_error(error, source, what, order)) from None
    except DataError as error:
        starts = (dataset, *others, f"{source.label}.")
        is_other = error.source != source.label and any(error.source.startswith(path) for path in starts if path)
        raise (error if is_other else describe_file_error(error, source, what, order)) from None


@contextmanager
def errors_of(source: FileSource) -> Iterator[None]:
    """Errors about the temporary file of a stream name the stream."""
    try:
        yield
    except DataError as error:
        raise error.relocated(source.label) from None


@contextmanager
def errors_of_judgments(path: str, command: str) -> Iterator[None]:
    """Errors about judgments; if the file is a benchmark with queries, the error shows the command for it instead.

    Features with labels are a benchmark that can also be read as judgments, so their faults are shown.
    """
    try:
        yield
    except DataError:
        from assay.datasets import describe_if_benchmark
        from assay.files import FileSource, is_feature_line

        kind = describe_if_benchmark(Path(path))
        if kind and not (Path(path).is_file() and is_feature_line(FileSource(path).first_line)):
            raise DataError(f"{path} is {kind}, not a file of judgments. Use --dataset:\n  {command}") from None
        raise


def describe_file_error(error: DataError, source: FileSource, what: str, order: Hint | None = None) -> DataError:
    """The error with the name of the file; if most lines are wrong, it says that the file is of another kind."""
    if n_lines := _n_lines_if_mostly_faulty(error, source):
        lines = f"{len(error.faults)} of its first {n_lines} lines cannot be read"
        return DataError(f"{source.label} does not look like {what}: {lines}", (*error.faults[:MAX_FAULTS_SHOWN], "…"))
    return error.at(source.label).hinting(order if order and error.hint else error.hint)


def _n_lines_if_mostly_faulty(error: DataError, source: FileSource) -> int:
    """How many lines were read, if most of them are faulty and some have the wrong number of columns; else 0."""
    if len(error.faults) < MAX_FAULTS or all(fault.code != "columns" for fault in error.faults):
        return 0
    last = error.faults[-1].line or 0
    n_lines = sum(1 for _ in takewhile(lambda line: line[0] <= last, source.lines()))
    return n_lines if MIN_SHARE_AT_FAULT * n_lines <= len(error.faults) else 0
