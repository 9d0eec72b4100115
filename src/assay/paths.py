"""Paths that somebody wrote: whether a text names a file. One that no file can have, such as one too long, names none."""

from __future__ import annotations

import os


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a file."""
    return os.path.isfile(path)  # noqa: PTH113 (Path.is_file raises where the name is too long)
