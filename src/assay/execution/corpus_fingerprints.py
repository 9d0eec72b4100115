"""Corpus fingerprints: the fingerprint of documents in a large file, cached by the bytes of the file.

A fingerprint needs every document, which takes many seconds for a million documents. A hash of the bytes of their file takes
a fraction of a second. Equal bytes that are read in the same way give equal documents, so the fingerprint is the same. The
time and size of a file are not used as a key, because a file can change without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from assay.array_file import read_about, write_arrays
from assay.datasets import BenchmarkDataset, StoredDocuments, recall_fingerprint
from assay.errors import DataError

INDEXES = "indexes"
"""The folder next to the store that has indexes, embeddings and fingerprints."""
MIN_BYTES = 1_000_000
"""The smallest file whose fingerprint is cached."""
SUFFIX = ".fingerprint"
FINGERPRINT = re.compile("[0-9a-f]{16}")


def recall_fingerprints(datasets: Iterable[BenchmarkDataset], folder: Path) -> None:
    """Give each dataset the cached fingerprint of its documents. A fingerprint that is not cached is computed and cached."""
    for dataset in datasets:
        documents = dataset.documents
        if not isinstance(documents, StoredDocuments) or documents.n_bytes < MIN_BYTES:
            continue
        state, digest = documents.state(), documents.content_digest()
        if digest is None:
            continue
        path = folder / f"documents-{digest}{SUFFIX}"
        known = _read(path, digest)
        if known and documents.state() == state:
            recall_fingerprint(dataset, known)
        elif not known:
            value = dataset.fingerprint("documents")
            if documents.state() == state:
                with suppress(OSError, DataError):
                    write_arrays(path, {"digest": digest, "fingerprint": value, "n_documents": len(documents)}, {})


def _read(path: Path, digest: str) -> str:
    """The cached fingerprint; empty if there is none, or if the file is damaged."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        about = read_about(path)
        if about["digest"] == digest and FINGERPRINT.fullmatch(about["fingerprint"]):
            return str(about["fingerprint"])
    return ""
