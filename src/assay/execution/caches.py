"""Caches: what evaluations cached in the working folder, with sizes and ages, and how to delete it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.array_file import read_about
from assay.errors import DataError, UnknownName, near_matches
from assay.execution.corpus_fingerprints import INDEXES
from assay.temporary_files import remove_abandoned
from assay.text import counted

ANSWERS = "answers"
INDEX_SUFFIX, FINGERPRINT_SUFFIX = ".index", ".fingerprint"
EMBEDDINGS = re.compile(r"embeddings\.sqlite(-journal|-wal|-shm)?")


@dataclass(frozen=True)
class Cache:
    """Files that are deleted together."""

    name: str
    content: str
    files: tuple[Path, ...]
    n_bytes: int
    used: float
    """When it was used last, in seconds since 1970; an index is also used if it is only read."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        used = datetime.fromtimestamp(self.used, UTC).isoformat(timespec="seconds")
        return {"cache": self.name, "content": self.content, "bytes": self.n_bytes, "used": used}


def list_caches(home: Path) -> list[Cache]:
    """The caches in the folder of evaluations, the largest first."""
    files = list(_files_in(home / INDEXES))
    prints = [path for path in files if path.suffix == FINGERPRINT_SUFFIX]
    answers = [path for path in _files_in(home / ANSWERS) if path.suffix == ".log"]
    caches = [
        *(_cache(path.stem, _describe_index(path), [path]) for path in files if path.suffix == INDEX_SUFFIX),
        _cache("embeddings", "embeddings of single texts", [path for path in files if EMBEDDINGS.fullmatch(path.name)]),
        _cache("fingerprints", f"fingerprints of {counted(len(prints), 'large file')}", prints),
        _cache("answers", f"answers of {counted(len(answers), 'configuration')}", answers),
    ]
    return sorted((cache for cache in caches if cache.files), key=lambda cache: (-cache.n_bytes, cache.name))


def clear_caches(home: Path, name: str | None = None) -> list[Cache]:
    """Delete all caches, or the one of this name, and return what was deleted. An evaluation that runs is not disturbed."""
    caches = list_caches(home)
    if name is not None:
        names = [cache.name for cache in caches]
        if name not in names:
            raise UnknownName("cache", name, near_matches(name, names), "assay store caches lists all")
        caches = [cache for cache in caches if cache.name == name]
    for cache in caches:
        for path in cache.files:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise DataError(f"cannot be deleted: {error.strerror or error}", source=path) from None
    remove_abandoned(home / INDEXES)
    return caches


def _files_in(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(path for path in folder.iterdir() if path.is_file())


def _cache(name: str, content: str, files: Iterable[Path]) -> Cache:
    n_bytes, used, there = 0, 0.0, []
    for path in files:
        with suppress(OSError):  # another process may delete it
            status = path.stat()
            n_bytes, used = n_bytes + status.st_size, max(used, status.st_mtime)
            there.append(path)
    return Cache(name, content, tuple(there), n_bytes, used)


def _describe_index(path: Path) -> str:
    """The provider, the number of documents and the settings."""
    try:
        about = read_about(path)
        settings = about["settings"] if isinstance(about["settings"], Mapping) else {}
        inside = ", ".join(f"{name}={value}" for name, value in settings.items() if value not in ("", None))
        return f"index of {counted(int(about['n_documents']), 'document')} for {about['provider']}({inside})"
    except (OSError, ValueError, LookupError, TypeError):
        return "damaged index"
