"""Sources: the files of a user that decide what a provider answers, known by their content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path


def prints_of(files: Iterable[Path]) -> dict[str, str]:
    """File → a short hash of its content; what is no file, or cannot be read, is left out."""
    found: dict[str, str] = {}
    for file in files:
        try:
            if file.is_file():
                found[_shown(file)] = _print_of(file)
        except OSError:
            continue
    return found


def _print_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, partial(hashlib.blake2b, digest_size=8)).hexdigest()


def _shown(file: Path) -> str:
    """Its path, from the current folder where it lies below."""
    path, here = file.absolute(), Path.cwd()
    return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()
