"""Files of a benchmark's folder: which of them no part of the benchmark uses."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from assay.files import CARD

ABOUT_FOLDERS = ("readme", "license", "licence", "notice", "citation", "changelog", "copying", "authors", "dataset_infos")
"""Names of files that describe a folder, without extension."""
ABOUT_ENDINGS = (".py", ".sh", ".ipynb", ".pdf", ".html", ".png", ".svg", ".lock", ".yaml", ".yml", ".toml")
"""Extensions of files that are not data."""
MAX_ENTRIES = 100_000
"""How many files and folders are looked at."""


def named_files(folder: Path, stems: Collection[str], endings: Collection[str]) -> list[Path]:
    """Files of a folder with one of these names and extensions, whatever their case, in the order of the names."""
    files = {file.name.lower(): file for file in sorted(folder.iterdir()) if file.is_file()} if folder.is_dir() else {}
    return [files[name] for stem in stems for ending in endings if (name := f"{stem}{ending}") in files]


def describes_folder(file: Path) -> bool:
    """Whether a file describes a folder, such as README.md; it is not data."""
    return file.name.partition(".")[0].lower() in ABOUT_FOLDERS


def unused_files(folder: Path, opened: Collection[Path]) -> list[str]:
    """Names of the files in a folder that are neither in `opened` nor below a folder in it, a folder before its folders.

    A link that leads nowhere is such a file, because its data is missing.
    """
    if not folder.is_dir():
        return []
    start = folder.absolute()
    used = {path.absolute() for path in opened} | {start / CARD}
    if not used.isdisjoint({start, *start.parents}):
        return []
    return [path.relative_to(start).as_posix() for path in _data_files(start, used)]


def _data_files(folder: Path, used: Collection[Path]) -> Iterator[Path]:
    """Files in a folder and below it that may be data and are not used. Hidden files and folders are skipped."""
    n_left = MAX_ENTRIES
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and Path(place, name) not in used)
        paths = (Path(place, name) for name in sorted(names)[: max(n_left, 0)] if not name.startswith("."))
        yield from (path for path in paths if path not in used and _may_be_data(path))
        n_left -= len(folders) + len(names)
        if n_left <= 0:
            return


def _may_be_data(file: Path) -> bool:
    return file.suffix.lower() not in ABOUT_ENDINGS and not describes_folder(file) and (file.is_file() or file.is_symlink())
