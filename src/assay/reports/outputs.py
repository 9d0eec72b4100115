"""Outputs: results as files, the format told by the ending."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assay.atomic_write import atomic_write, destination, is_stream
from assay.errors import UsageError
from assay.evaluation import Result
from assay.files import write_run
from assay.masking import mask
from assay.reports.sections.evaluation import EvaluationDisplay, render_evaluation

ENDINGS = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}
RUNS = (".trec", ".run")
PAGES = (".html", ".htm")
OR_FLAG = "a file without an ending has the format of -f"
LONGEST_NAME = 60
"""Letters of a result's name in the name of a file, which the system bounds in bytes."""


def form_of(path: Path, form: str = "", endings: Mapping[str, str] = ENDINGS) -> str:
    """The format of a file, told by its ending; a file without one, a pipe or a device has the given form.

    Empty where neither tells it.
    """
    ending = path.suffix.lower()
    return endings.get(ending, "" if ending and not is_stream(path) else form)


def check_outputs(paths: Iterable[str], known: Sequence[str] = (*ENDINGS, *RUNS), form: str = "") -> None:
    """Refuse what could not be written, before anything is run: endings nobody knows, folders, one file twice.

    Folders that are missing are made later; but one at the root is likely to be a mistake.
    """
    seen: set[Path] = set()
    for path in map(Path, paths):
        if path.suffix.lower() in PAGES and path.suffix.lower() not in known:
            raise UsageError(f"-o {path}: a page is made of what is stored: assay report latest -o {path}")
        check_endings([str(path)], known, form)
        if path.is_dir() or any(parent.exists() and not parent.is_dir() for parent in path.parents):
            raise UsageError(f"-o {path}: a file is needed; {_in_the_way(path)}")
        if not is_stream(path):
            check_writable(destination(path), str(path))
        if path.absolute() in seen:
            raise UsageError(f"-o {path}: given twice, and the second would replace the first")
        seen.add(path.absolute())


def check_endings(paths: Iterable[str], known: Sequence[str], form: str = "") -> None:
    """Refuse a file whose format neither its ending nor the form tells."""
    for path in map(Path, paths):
        if path.suffix.lower() not in known and not form_of(path, form, {}):
            raise UsageError(f"-o {path}: the ending tells the format; there are {', '.join(known)}; {OR_FLAG}")


def check_writable(path: Path, argument: str) -> None:
    """Refuse a folder in which nothing can be written, in the words that were given."""
    here = _existing(path)
    if here == here.parent and path.absolute().parent != here:
        missing = Path(*path.absolute().parts[:2])
        raise UsageError(f"-o {argument}: there is no folder {missing}; make it first, or choose another")
    if not os.access(here, os.W_OK | os.X_OK):
        raise UsageError(f"-o {argument}: the folder {here} cannot be written to; choose another")


def _existing(path: Path) -> Path:
    """The nearest folder above a file that is there."""
    return next(parent for parent in path.absolute().parents if parent.exists())


def new_folders(paths: Iterable[str]) -> list[Path]:
    """The folders that will be made for these files; of several within each other the one that holds the others."""
    folders: dict[Path, None] = {}
    for path in map(Path, paths):
        missing = [parent for parent in path.parents if not parent.exists()]
        folders |= dict.fromkeys(missing[-1:])
    return list(folders)


def _in_the_way(path: Path) -> str:
    if path.is_dir():
        return "there is a folder of that name"
    return f"{next(parent for parent in path.parents if parent.exists())} is no folder"


def write_output(path: Path, results: Sequence[Result], how: EvaluationDisplay | None = None, form: str = "") -> list[Path]:
    """Write results, or their rankings where the ending is that of a run; one file for each where there are several.

    The form is that of a file whose ending tells none. Gives the files that were written.
    """
    if path.suffix.lower() not in RUNS:
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
    """Benchmark and provider of each as part of a file's name: short, and no two alike."""
    plain = [re.sub(r"[^\w.-]+", "_", f"{result.benchmark}-{result.name}").strip("_")[:LONGEST_NAME] for result in results]
    return [name if plain.count(name) == 1 else f"{name}-{number}" for number, name in enumerate(plain, 1)]
