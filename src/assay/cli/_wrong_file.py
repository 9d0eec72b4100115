"""Wrong files: a saved result or prose where judgments or a run belong, told before a list of faults is."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING

from assay.errors import MAX_FAULTS, DataError, UsageError

if TYPE_CHECKING:
    from assay.files import FileSource

EXAMPLES = 3
"""Faults that are shown of a file that is something else."""
ORDER = "judgments come first, then runs"
"""What readers say of a file that is in the wrong place."""
MOST = 0.75
"""The share of its lines that are at fault in such a file."""


def refuse_saved_results(files: Iterable[str]) -> None:
    """What `--format json` wrote is no input of score."""
    from assay.evaluation import is_saved_result

    for file in files:
        with suppress(OSError):  # who reads it will say so
            if is_saved_result(file):
                raise UsageError(
                    f"{file} is a saved result, not judgments or a run; assay why compares results:\n"
                    f"  assay why {shlex.quote(file)} other_result.json"
                )


def describe_file_error(error: DataError, source: FileSource, what: str, order: str = ORDER) -> DataError:
    """The error, with the file's name; where hardly a line is as it should be, with that first.

    `order` says where judgments and runs belong, in commands to which they do not come one after another.
    """
    if n_lines := _n_lines_of_prose(error, source):
        lines = f"{len(error.faults)} of its first {n_lines} lines cannot be read"
        return DataError(f"{source.label} does not look like {what}: {lines}", (*error.faults[:EXAMPLES], "…"))
    named = error.message if error.message.startswith(source.label) else f"{source.label}: {error.message}"
    return DataError(named.replace(ORDER, order), error.faults)


def _n_lines_of_prose(error: DataError, source: FileSource) -> int:
    """How many lines were read, if most of them are at fault, some for the number of their words; else 0."""
    if len(error.faults) < MAX_FAULTS or not any(re.search(r"expected \d+ columns", fault) for fault in error.faults):
        return 0
    last = re.match(r":(\d+):", error.faults[-1].removeprefix(source.label))
    n_lines = sum(1 for _ in takewhile(lambda line: line[0] <= int(last[1]), source.lines())) if last else 0
    return n_lines if MOST * n_lines <= len(error.faults) else 0
