"""Pool files: pools as JSON lines, and a copy of each drawn pool under its id, so that judgments can name their pool."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import DataError

if TYPE_CHECKING:
    from assay.judging import Pool

FOLDER = "pools"


def write_pool(pool: Pool, path: Path) -> None:
    """Write a pool, completely or not at all."""
    from assay.atomic_write import atomic_write
    from assay.judging import pool_lines

    with atomic_write(path) as file:
        file.write("".join(f"{line}\n" for line in pool_lines(pool)).encode("utf-8", "surrogatepass"))


def read_pool_file(path: Path) -> Pool:
    """The pool in a file."""
    from assay.judging import pool_from_lines

    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"the pool cannot be read: {error.strerror or error}", source=str(path)) from None
    return pool_from_lines(content.split(b"\n"), str(path))


def keep_pool(pool: Pool) -> None:
    """Keep a copy of a pool under its id."""
    from assay.execution import DEFAULT_HOME, write_gitignore

    path = DEFAULT_HOME / FOLDER / f"{pool.id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_gitignore(DEFAULT_HOME)
    write_pool(pool, path)


def kept_pool(id_: str) -> Pool | None:
    """The pool with this id; None if there is no copy of it."""
    from assay.execution import DEFAULT_HOME

    path = DEFAULT_HOME / FOLDER / f"{id_}.jsonl"
    return read_pool_file(path) if id_.isalnum() and path.is_file() else None
