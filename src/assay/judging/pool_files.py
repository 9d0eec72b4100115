"""Pool files: pools as JSON lines, and a copy of each drawn pool under its id, so that judgments can name their pool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.atomic_write import atomic_write
from assay.errors import DataError, UnknownName, near_matches
from assay.execution import DEFAULT_HOME, write_gitignore
from assay.judging.pool_form import pool_from_lines, pool_lines
from assay.judging.pools import Pool
from assay.text import some_of

MAX_NAMED = 10
POOL_FOLDER = DEFAULT_HOME / "pools"
"""Where the copies of drawn pools are."""
REMOVED = "removed"
"""The folder inside it for the copies that were removed from the queue. Grades can still name these pools."""
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


def drawn_pool(id_: str) -> Pool | None:
    """The pool with this id, also if it was removed from the queue."""
    return kept_pool(id_) or kept_pool(id_, POOL_FOLDER / REMOVED)


def remove_pool(id_: str) -> Path:
    """Remove a pool from the queue and from the lists of pools. Its copy is moved, and returned; grades stay."""
    ids = kept_pool_ids()
    if id_ not in ids:
        raise UnknownName("pool", id_, near_matches(id_, ids), _known_pools(ids))
    path = kept_pool_path(id_, POOL_FOLDER / REMOVED)
    try:
        path.parent.mkdir(exist_ok=True)
        return kept_pool_path(id_).replace(path)
    except OSError as error:
        raise DataError(f"the pool cannot be moved: {error.strerror or error}", source=str(path)) from None


def _known_pools(ids: Sequence[str]) -> str:
    return f"choose from {some_of(ids, MAX_NAMED)}" if ids else f"{POOL_FOLDER} has no pools"


def kept_pool_ids(folder: Path = POOL_FOLDER) -> list[str]:
    """The ids of all kept pools, the newest file first."""
    files = [(-file.stat().st_mtime_ns, file.stem) for file in folder.glob(f"*{ENDING}") if file.stem.isalnum()]
    return [id_ for _, id_ in sorted(files)]
