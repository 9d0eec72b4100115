"""Seen hashes: whether a hash appears twice among very many, which may be more than fit into memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from assay.files.blocks.byte_fields import Words
from assay.temporary_files import TemporaryFile

MOST_HELD = 1 << 22
"""Hashes that stay in memory; more are written to temporary files, eight bytes for each."""
N_FILES = 64
"""Each file has the hashes with the same first bits, so that it fits into memory."""


class SeenHashes:
    """A context manager: the temporary files are removed at its end."""

    def __init__(self) -> None:
        self._held: list[Words] = []
        self._n_held = 0
        self._paths: list[Path] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()

    def add(self, hashes: Words) -> None:
        """Keep these hashes."""
        self._held.append(hashes)
        self._n_held += len(hashes)
        if self._n_held > MOST_HELD:
            self._write()

    def has_duplicates(self, check_stop: Callable[[], None] = lambda: None) -> bool:
        """Whether a hash was added twice. `check_stop` is called between two files."""
        if not self._paths:
            return _has_equals(self._taken())
        self._write()
        for path in self._paths:
            check_stop()
            if _has_equals(np.fromfile(path, dtype=np.uint64)):
                return True
        return False

    def _taken(self) -> Words:
        hashes = np.concatenate([*self._held, np.zeros(0, dtype=np.uint64)])
        self._held.clear()
        self._n_held = 0
        return hashes

    def _write(self) -> None:
        """Append the hashes in memory to the files."""
        if not self._paths:
            self._paths = [self._stack.enter_context(TemporaryFile()) for _ in range(N_FILES)]
        hashes = self._taken()
        number = (hashes >> np.uint64(64 - (N_FILES - 1).bit_length())).astype(np.uint8)
        hashes = hashes[np.argsort(number, kind="stable")]
        ends = np.cumsum(np.bincount(number, minlength=N_FILES)).tolist()
        for path, begin, end in zip(self._paths, [0, *ends], ends, strict=False):
            with path.open("ab") as file:
                hashes[begin:end].tofile(file)


def _has_equals(hashes: Words) -> bool:
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any())
