"""Index cache: indexes on disk, found by the content of the documents and by everything else that decides the index.

A cache never changes a result. A damaged file is built again, and a folder that cannot be written costs only time. If two
processes build the same index at once, both finish, and the second one uses the file of the first.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from assay._version import __version__
from assay.array_file import Arrays, DamagedFile, open_arrays, write_arrays
from assay.errors import DataError
from assay.model import Document
from assay.providers.reporting import CountedDocuments, report_cache, report_indexed

MIN_DOCUMENTS = 5_000
"""The fewest documents whose index is cached. A smaller index is built in a tenth of a second."""
SUFFIX = ".index"

Build = Callable[[Iterable[Document]], Arrays]
"""Documents → the arrays of an index."""


def cached_arrays(
    folder: str, provider: str, documents: Iterable[Document], settings: Callable[[], Mapping[str, Any]], build: Build
) -> Arrays:
    """The arrays of an index: from the cache if it is there, else built and cached.

    `settings` returns everything but the documents that decides the index, with the versions of the packages that it needs.
    The documents are not read if the index is cached.
    """
    if not folder or not isinstance(documents, CountedDocuments) or documents.fingerprint is None:
        return build(documents)
    if len(documents) < MIN_DOCUMENTS:
        return build(documents)
    fingerprint = documents.fingerprint()
    about = {
        "provider": provider,
        **settings(),
        "assay": __version__,
        "python": ".".join(map(str, sys.version_info[:3])),
        "documents": fingerprint,
        "n_documents": len(documents),
    }
    path = Path(folder) / f"{provider}-{_digest(about)}{SUFFIX}"
    if (cached := _read(path, about)) is not None:
        report_indexed(len(documents), len(documents))
        return cached
    arrays = build(documents)
    if documents.fingerprint() != fingerprint:  # the files of the documents have changed in the meantime
        return arrays
    if (cached := _read(path, about, quietly=True)) is None:
        _write(path, about, arrays)
        cached = _read(path, about)
    return arrays if cached is None else cached


@cache
def installed_version(package: str) -> str:
    """The version of a package; empty if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def _digest(about: Mapping[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=12).hexdigest()


def _read(path: Path, about: Mapping[str, Any], *, quietly: bool = False) -> Arrays | None:
    """The cached arrays; None if there are none, or if the file is damaged. The time of the file says when it was used."""
    try:
        file = open_arrays(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        what = "is damaged" if isinstance(error, DamagedFile) else "cannot be read"
        if not quietly:
            report_cache(f"the cached index {path} {what}, so it is built again")
        return None
    if file.about != about:
        return None
    with suppress(OSError):
        os.utime(path)
    return file.arrays


def _write(path: Path, about: Mapping[str, Any], arrays: Arrays) -> None:
    try:
        write_arrays(path, about, arrays)
    except (OSError, DataError) as error:
        report_cache(f"the index is not cached, because the cache cannot be written ({error})")
