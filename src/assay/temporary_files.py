"""Temporary files: locked by the process that writes them, so that others can see whether it still runs.

The files of a killed process are removed by the next process that works in the same folder.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

TEMPORARY = re.compile(r"\.assay-[0-9a-f]{16}\.tmp")
"""Names of temporary files and folders; no other program uses such names."""
DESCRIPTORS = Path("/proc/self/fd")
"""The folder in which Linux lists the open files of a process, by number."""
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
"""The flag that refuses to open a symbolic link; Windows has none."""
FULL = (errno.ENOSPC, errno.EDQUOT)
"""Error numbers of a full disk."""

_cleaned: set[Path] = set()


class TemporaryFile:
    """An empty file of this process, which can be written and read by its path until it is closed.

    On Linux it has no name in any folder, so nothing remains if the process is killed.
    """

    def __init__(self) -> None:
        if DESCRIPTORS.is_dir():
            self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as this object)
            self.path = DESCRIPTORS / str(self._file.fileno())
        else:
            folder = Path(tempfile.gettempdir())
            clean_once(folder)
            self._file = locked_file(folder)
            self.path = Path(self._file.name)

    def close(self) -> None:
        """Remove the file. It is closed first, because Windows removes no open files, nor files that are mapped."""
        self._file.close()
        if self.path.parent != DESCRIPTORS:
            with suppress(*([PermissionError] if sys.platform == "win32" else [])):
                self.path.unlink(missing_ok=True)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def locked_file(folder: Path) -> IO[bytes]:
    """A new temporary file, locked while it is open.

    Another process may remove it between its creation and its lock, so this is checked, and repeated if necessary.
    """
    while True:
        path = temporary_name(folder)
        file = path.open("xb")
        if try_lock(file.fileno()):
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                    return file
        file.close()


@contextmanager
def locked_folder(parent: Path) -> Iterator[Path]:
    """A new temporary folder, locked while it is in use and removed at the end."""
    parent.mkdir(parents=True, exist_ok=True)
    clean_once(parent)
    while True:
        folder = temporary_name(parent)
        folder.mkdir()
        handle = _open_folder(folder)
        if handle is None or (try_lock(handle) and folder.exists()):
            break
        os.close(handle)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _open_folder(folder: Path) -> int | None:
    """A handle of a folder, to lock it. None on Windows, which opens no folders."""
    return None if sys.platform == "win32" else os.open(folder, os.O_RDONLY)


def is_read_only(folder: Path) -> bool:
    """Whether no file can be created in a folder, or the folder itself cannot be created. A full disk does not count."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked_file(folder) as file:
            path = Path(file.name)
        path.unlink(missing_ok=True)
    except OSError as error:
        return error.errno not in FULL
    return False


def temporary_name(folder: Path) -> Path:
    """A free name in a folder that `remove_abandoned` recognises."""
    return folder / f".assay-{os.urandom(8).hex()}.tmp"


def try_lock(handle: int) -> bool:
    """Lock an open file until it is closed. True also if the system cannot lock files."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return True
    return True


def clean_once(folder: Path) -> None:
    """`remove_abandoned`, but once per process and folder, because a large folder takes time."""
    folder = folder.absolute()
    if folder not in _cleaned:
        _cleaned.add(folder)
        remove_abandoned(folder)


def remove_abandoned(folder: Path, names: re.Pattern[str] = TEMPORARY) -> None:
    """Remove what killed processes left in a folder: temporary files, and files with such names, if they are not locked."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if TEMPORARY.fullmatch(entry.name) or names.fullmatch(entry.name):
                _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(path: Path) -> None:
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | NO_FOLLOW)
        try:
            status = os.fstat(handle)
            if not _is_locked(handle) and os.path.samestat(status, path.stat()):  # otherwise its owner has just replaced it
                shutil.rmtree(path) if stat.S_ISDIR(status.st_mode) else path.unlink()
        finally:
            os.close(handle)


def _is_locked(handle: int) -> bool:
    """Whether a process has locked a file. True also if that is unknown, because then nothing may be removed."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return True
    return False
