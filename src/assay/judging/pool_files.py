"""Pool files: pools as JSON lines, and a copy of each drawn pool under its id, so that judgments can name their pool."""

from __future__ import annotations

from pathlib import Path

from assay.atomic_write import atomic_write
from assay.errors import DataError
from assay.execution import DEFAULT_HOME, write_gitignore
from assay.judging.pool_form import pool_from_lines, pool_lines
from assay.judging.pools import Pool

POOL_FOLDER = DEFAULT_HOME / "pools"
"""Where the copies of drawn pools are."""
ENDING = ".jsonl"


def write_pool(pool: Pool, path: Path) -> None:
    """Write a pool, completely or not at all."""
    with atomic_write(path) as file:
        file.write("".join(f"{line}\n" for line in pool_lines(pool)).encode("utf-8", "surrogatepass"))


def read_pool_file(path: Path) -> Pool:
    """The pool in a file."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"the pool cannot be read: {error.strerror or error}", source=str(path)) from None
    return pool_from_lines(content.split(b"\n"), str(path))


def keep_pool(pool: Pool) -> None:
    """Keep a copy of a pool under its id."""
    path = kept_pool_path(pool.id)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_gitignore(DEFAULT_HOME)
    write_pool(pool, path)


def kept_pool_path(id_: str, folder: Path = POOL_FOLDER) -> Path:
    """The file of the copy of a pool."""
    return folder / f"{id_}{ENDING}"


def kept_pool(id_: str, folder: Path = POOL_FOLDER) -> Pool | None:
    """The pool with this id; None if there is no copy of it."""
    path = kept_pool_path(id_, folder)
    return read_pool_file(path) if id_.isalnum() and path.is_file() else None


def kept_pool_ids(folder: Path = POOL_FOLDER) -> list[str]:
    """The ids of all kept pools, the newest file first."""
    files = [(-file.stat().st_mtime_ns, file.stem) for file in folder.glob(f"*{ENDING}") if file.stem.isalnum()]
    return [id_ for _, id_ in sorted(files)]
