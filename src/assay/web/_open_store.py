"""The open store: the one behind the pages, opened again where another file has taken its place."""

from __future__ import annotations

import threading
from pathlib import Path

from assay.errors import StoreError
from assay.store import Store

Identity = tuple[int, int] | None
"""Device and number of a file; None where there is none."""


class OpenStore:
    """`opened.now()` is the store at its path. A file that is gone is told: what is written into it would be lost."""

    def __init__(self, store: Store) -> None:
        self._store, self._path = store, store.place.path
        self._lock = threading.Lock()
        self._parted: list[Store] = []
        """Stores whose files went elsewhere; to close them would remove the log of the file that came instead."""
        self._file, self._log = self._seen()

    def now(self) -> Store:
        """Cheap where nothing has happened, for every request asks. What a server keeps stays where it is."""
        if self._path is None:
            return self._store
        with self._lock:
            file, log = self._seen()
            if file is None:
                raise StoreError(
                    f"the store {self._store.place} was moved or deleted while it was served; nothing is read or kept "
                    "until a store is there again"
                )
            if file != self._file:
                self._open_again(log)
            elif log is not None:
                self._log = log
            return self._store

    def _open_again(self, log: Identity) -> None:
        """A log that is still the old file's goes first: the new file must never be read with it."""
        if log is not None and log == self._log:
            self._store.close()
        else:
            self._parted.append(self._store)
        self._store = Store.open(self._store.place, create=False)
        self._file, self._log = self._seen()

    def _seen(self) -> tuple[Identity, Identity]:
        """The file and its log as they are now."""
        path = self._path
        return (None, None) if path is None else (_identity(path), _identity(path.with_name(f"{path.name}-wal")))


def _identity(path: Path) -> Identity:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino
