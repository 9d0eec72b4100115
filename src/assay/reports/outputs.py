"""Outputs: results as files; the file extension sets the format."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.atomic_write import atomic_write, destination, is_stream
from assay.errors import UsageError
from assay.evaluation import Result
from assay.files import write_parquet_table, write_run
from assay.masking import mask

if TYPE_CHECKING:
    from assay.reports.report import Report
    from assay.reports.sections.evaluation import EvaluationDisplay

ENDINGS = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}
RUNS = (".trec", ".run")
PAGES = (".html", ".htm")
OR_FLAG = "A file without an extension needs -f"
_KINDS = {
    **dict.fromkeys(("run", "benchmark", "query", "slice", "value", "by"), "VARCHAR"),
    **dict.fromkeys(("queries", "users", "sessions", "searches", "user groups"), "BIGINT"),
}
"""SQL types of the columns of scores that are not values."""
LONGEST_NAME = 60
"""Characters of a result's name in a file name, because systems limit the length of file names."""


def form_of(path: Path, form: str = "", endings: Mapping[str, str] = ENDINGS) -> str:
    """The format of a file by its extension; a file without one, a pipe or a device gets the given form.

    Empty if neither sets it.
    """
    ending = path.suffix.lower()
    return endings.get(ending, "" if ending and not is_stream(path) else form)


def check_outputs(paths: Iterable[str], known: Sequence[str] = (*ENDINGS, *RUNS), form: str = "") -> None:
    """Refuse outputs that cannot be written, before anything runs: unknown extensions, folders, one file twice.

    Missing folders are created later, except a folder directly below the root, which is probably a mistake.
    """
    seen: set[Path] = set()
    for path in map(Path, paths):
        if path.suffix.lower() in PAGES and path.suffix.lower() not in known:
            page = f"To create a page from stored results: assay report latest -o {path}"
            raise UsageError(f"-o {path}: this command does not write HTML pages. {page}")
        check_endings([str(path)], known, form)
        if path.is_dir() or any(parent.exists() and not parent.is_dir() for parent in path.parents):
            raise UsageError(f"-o {path}: {_in_the_way(path)}. Choose another path")
        if not is_stream(path):
            check_writable(destination(path), str(path))
        if path.absolute() in seen:
            raise UsageError(f"-o {path}: the same file is given twice. Remove one of them")
        seen.add(path.absolute())


def check_endings(paths: Iterable[str], known: Sequence[str], form: str = "") -> None:
    """Refuse a file if neither its extension nor the form sets its format."""
    for path in map(Path, paths):
        if path.suffix.lower() not in known and not form_of(path, form, {}):
            raise UsageError(f"-o {path}: the file extension must be one of {', '.join(known)}. {OR_FLAG}")


def check_writable(path: Path, argument: str) -> None:
    """Refuse a folder that is not writable; the error names the path as the user wrote it."""
    here = _existing(path)
    if here == here.parent and path.absolute().parent != here:
        missing = Path(*path.absolute().parts[:2])
        raise UsageError(f"-o {argument}: the folder {missing} does not exist. Create it first, or choose another folder")
    if not os.access(here, os.W_OK | os.X_OK):
        raise UsageError(f"-o {argument}: the folder {here} is not writable. Choose another folder")


def _existing(path: Path) -> Path:
    """The nearest existing folder above a file."""
    return next(parent for parent in path.absolute().parents if parent.exists())


def new_folders(paths: Iterable[str]) -> list[Path]:
    """The folders that will be created for these files; of nested folders, only the outermost."""
    folders: dict[Path, None] = {}
    for path in map(Path, paths):
        missing = [parent for parent in path.parents if not parent.exists()]
        folders |= dict.fromkeys(missing[-1:])
    return list(folders)


def _in_the_way(path: Path) -> str:
    if path.is_dir():
        return "expected a file, found a folder"
    return f"{next(parent for parent in path.parents if parent.exists())} is not a folder"


def write_score_table(path: Path, report: Report) -> None:
    """Write the table of CSV as Parquet: names are text, counts are whole numbers, and values have all their digits."""
    from assay.reports.sections.scores import exact_slice_table, exact_table

    table = exact_slice_table(report) if report.slices else exact_table(report)
    kinds = {column.head: _KINDS.get(column.head, "DOUBLE") for column in table.columns}
    texts = {name for name, kind in kinds.items() if kind == "VARCHAR"}
    rows = (
        [
            cell.text if name in texts else float(cell.text) if cell.text else None
            for name, cell in zip(kinds, row, strict=True)
        ]
        for row in table.rows
    )
    write_parquet_table(path, kinds, rows)


def write_output(path: Path, results: Sequence[Result], how: EvaluationDisplay | None = None, form: str = "") -> list[Path]:
    """Write results, or their rankings if the extension is that of a run; several runs get a file each.

    The form applies to a file whose extension sets none. Returns the files that were written.
    """
    if path.suffix.lower() not in RUNS:
        from assay.reports.sections.evaluation import EvaluationDisplay, render_evaluation

        text = render_evaluation(results, form_of(path, form), how or EvaluationDisplay())
        with atomic_write(path) as file:
            file.write(mask(text).encode("utf-8", "surrogatepass"))
        return [path]
    targets = (
        [path] if len(results) == 1 else [path.with_name(f"{path.stem}-{name}{path.suffix}") for name in _names(results)]
    )
    for target, result in zip(targets, results, strict=True):
        write_run(result.run, target, re.sub(r"\s+", "", result.name))
    return targets


def _names(results: Sequence[Result]) -> list[str]:
    """The benchmark and provider of each result as part of a file name: short, and different in any case of letters."""
    plain = [re.sub(r"[^\w.-]+", "_", f"{result.benchmark}-{result.name}").strip("_")[:LONGEST_NAME] for result in results]
    folded = [name.casefold() for name in plain]
    return [name if folded.count(name.casefold()) == 1 else f"{name}-{number}" for number, name in enumerate(plain, 1)]
