"""Open store: the store of the pages, opened again if another file replaces it."""

from __future__ import annotations

import threading
from pathlib import Path

from assay.errors import StoreError
from assay.store import Store

Identity = tuple[int, int] | None
"""Device and inode of a file; None if it does not exist."""


class OpenStore:
    """`opened.now()` is the store at its path. A missing file is an error, because what is written to it would be lost."""

    def __init__(self, store: Store) -> None:
        self._store, self._path = store, store.place.path
        self._lock = threading.Lock()
        self._parted: list[Store] = []
        """Stores whose files were replaced; closing them would remove the log of the new file."""
        self._file, self._log = self._seen()

    def now(self) -> Store:
        """The current store. This is cheap if nothing has changed. A store on a database server never moves."""
        if self._path is None:
            return self._store
        with self._lock:
            file, log = self._seen()
            if file is None:
                raise StoreError(
                    f"the store {self._store.place} was moved or deleted while it was being served. "
                    "Nothing can be read or saved until a store is there again"
                )
            if file != self._file:
                self._open_again(log)
            elif log is not None:
                self._log = log
            return self._store

    def _open_again(self, log: Identity) -> None:
        """Open the new file. If the log still belongs to the old file, the old store is closed first, because the new file
        must never be read with it.
        """
        if log is not None and log == self._log:
            self._store.close()
        else:
            self._parted.append(self._store)
        self._store = Store.open(self._store.place, create=False)
        self._file, self._log = self._seen()

    def _seen(self) -> tuple[Identity, Identity]:
        """The current file and its log."""
        path = self._path
        return (None, None) if path is None else (_identity(path), _identity(path.with_name(f"{path.name}-wal")))


def _identity(path: Path) -> Identity:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_dev, stat.st_ino
