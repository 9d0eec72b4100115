"""Folders that are written: all of their files or none, and never among the files of another benchmark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.atomic_write import encodable, sync_folder
from assay.datasets._record_files import suffix_of
from assay.errors import DataError, UsageError
from assay.temporary_files import locked_folder

CARD = "dataset.json"
STEMS = ("corpus", "queries", "documents", "docs", "judgments", "qrels", "topics", "collection")
"""What files of benchmarks are called, whatever their ending."""
FILES = (".jsonl", ".ndjson", ".parquet", ".json", ".csv", ".tsv", ".txt", ".qrels")
"""Endings of names that mean a file, not a folder."""


def is_benchmark_file(name: str) -> bool:
    """Whether a file of that name, or a folder of judgments, belongs to some benchmark."""
    return name.partition(".")[0].lower() in STEMS


@contextmanager
def new_folder(
    path: Path, kind: str, written: Collection[str], is_taken: Callable[[str], object] = is_benchmark_file
) -> Iterator[Path]:
    """A folder to fill; its files reach `path` when all of them are there: at one instant, if there is no such folder yet.

    `written` are the files that the format has: old ones of that name are replaced, or removed. Any other file that would
    be taken for part of a benchmark (`is_taken`) is in the way, and refused.
    """
    if suffix_of(path.name) in FILES and not path.is_dir():
        raise UsageError(f"{path}: {kind} is a folder of files; give a folder, such as {path.name.partition('.')[0]}")
    _refuse_others(path, {*written, CARD}, is_taken)
    is_new = not path.exists()
    try:
        with locked_folder(path.parent if is_new else path) as staged, encodable(path):
            yield staged
            if is_new:
                staged.replace(path)
            else:
                _move(staged, path, {*written, CARD})
        sync_folder(path.parent if is_new else path)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from None


def _refuse_others(path: Path, written: Collection[str], is_taken: Callable[[str], object]) -> None:
    names = {file.name for file in path.iterdir()} if path.is_dir() else set()
    inner = {file.name for file in (path / "qrels").iterdir()} if (path / "qrels").is_dir() else set()
    known = {name for name in names if is_taken(name) or is_benchmark_file(name)} | {f"qrels/{name}" for name in inner}
    folders = {parent for name in {*written, *known} if (path / (parent := Path(name).parent.as_posix())).is_dir()}
    others = sorted(name for name in known - {*written} - folders if not Path(name).name.startswith("."))
    if CARD in names and not known & {*written}:
        others.append(CARD)
    if others:
        raise DataError(f"{path}: there are already {', '.join(others)}; write to another folder")


def _move(staged: Path, path: Path, written: Collection[str]) -> None:
    """Put the files in place, and remove old ones that have no successor."""
    fresh = {file.relative_to(staged).as_posix() for file in staged.rglob("*") if file.is_file()}
    for name in sorted(fresh):
        (path / name).parent.mkdir(exist_ok=True)
        (staged / name).replace(path / name)
    for name in {*written} - fresh:
        (path / name).unlink(missing_ok=True)
    for folder in [one for one in staged.iterdir() if one.is_dir()]:
        folder.rmdir()
