"""Files of a benchmark's folder: which of them no part of the benchmark uses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from assay.files import CARD

ABOUT_FOLDERS = ("readme", "license", "licence", "notice", "citation", "changelog", "copying", "authors", "dataset_infos")
"""Names of files that describe a folder, without extension."""
ABOUT_ENDINGS = (".py", ".sh", ".ipynb", ".pdf", ".html", ".png", ".svg", ".lock", ".yaml", ".yml", ".toml")
"""Extensions of files that are not data."""
MAX_FILES = 1000
"""How many files of a folder are looked at."""


def named_files(folder: Path, stems: Collection[str], endings: Collection[str]) -> list[Path]:
    """Files of a folder with one of these names and extensions, whatever their case, in the order of the names."""
    files = {file.name.lower(): file for file in sorted(folder.iterdir()) if file.is_file()} if folder.is_dir() else {}
    return [files[name] for stem in stems for ending in endings if (name := f"{stem}{ending}") in files]


def describes_folder(file: Path) -> bool:
    """Whether a file describes a folder, such as README.md; it is not data."""
    return file.name.partition(".")[0].lower() in ABOUT_FOLDERS


def unused_files(folder: Path, opened: Collection[Path]) -> list[str]:
    """Names of the files in a folder that are neither in `opened` nor below a folder in it, sorted."""
    if not folder.is_dir():
        return []
    used = {path.absolute() for path in opened} | {(folder / CARD).absolute()}
    return [
        file.relative_to(folder).as_posix()
        for file in _data_files(folder)
        if used.isdisjoint({file.absolute(), *_parents(file)})
    ]


def _parents(file: Path) -> set[Path]:
    return set(file.absolute().parents)


def _data_files(folder: Path) -> Iterator[Path]:
    """Files in a folder and in its folders that may be data; hidden files are skipped."""
    inner = [folder, *(path for path in sorted(folder.iterdir()) if path.is_dir() and not path.name.startswith("."))]
    files = (file for place in inner for file in sorted(place.iterdir()) if file.is_file())
    for _, file in zip(range(MAX_FILES), files, strict=False):
        if not file.name.startswith(".") and file.suffix.lower() not in ABOUT_ENDINGS and not describes_folder(file):
            yield file
