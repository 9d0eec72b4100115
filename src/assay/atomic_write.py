"""Atomic writes: a file is written completely or not at all, and survives a power failure.

Pipes, terminals and other devices are written directly. If a process is killed, the next process that writes into the same
folder removes its temporary file. Known secrets are masked in text files.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, cast

from assay.errors import DataError
from assay.masking import mask_bytes
from assay.temporary_files import TEMPORARY, clean_once, locked_file

NO_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EBADF}
"""Error numbers of systems that cannot sync a folder to disk."""
MAX_LINKS = 40


@contextmanager
def atomic_write(path: Path, *, durable: bool = True, is_text: bool = True) -> Iterator[IO[bytes]]:
    """A file to write. It gets its name only after all of its content is on the disk.

    A symbolic link stays, and its target is written. A pipe or a device gets the bytes directly. The new file gets the mode
    of the file that it replaces. A failure is a DataError and leaves the old file unchanged; only a reader that goes away
    stays a BrokenPipeError. Set `durable` to false for a file that is not needed after a power failure. In text, known
    secrets are masked in each write; set `is_text` to false for binary files and files with a checksum.
    """
    with _explained(path), encodable(path), _opened(path, durable=durable) as file:
        yield cast("IO[bytes]", MaskedFile(file)) if is_text else file


class MaskedFile:
    """A text file that masks secrets in each write, which must be whole lines. All else is passed to the underlying file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        """Write the data without secrets; return the length of the given data, as writers expect."""
        self._file.write(mask_bytes(data))
        return len(data)

    def writelines(self, lines: Iterable[bytes]) -> None:
        """Write each line without secrets."""
        self._file.writelines(map(mask_bytes, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


@contextmanager
def _opened(path: Path, *, durable: bool) -> Iterator[IO[bytes]]:
    with ExitStack() as stack:
        if (number := _descriptor(path)) is not None:
            yield stack.enter_context(os.fdopen(os.dup(number), "wb"))
        elif is_stream(path):
            yield stack.enter_context(path.open("wb"))
        else:
            yield stack.enter_context(_replaced(destination(path), durable=durable))


def destination(path: Path) -> Path:
    """The file that is written, after links are followed. It does not have to exist."""
    return Path(os.path.realpath(path))


def is_stream(path: Path) -> bool:
    """Whether the path is something that cannot be replaced: a pipe, a terminal, another device, an open descriptor."""
    with suppress(OSError):
        if _descriptor(path) is not None:
            return True
        mode = path.stat().st_mode
        return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))
    return False


def _descriptor(path: Path) -> int | None:
    """The descriptor of this process that a path means: 1 for /dev/stdout, even if that is redirected."""
    folders = {os.path.realpath("/dev/fd"), os.path.realpath("/proc/self/fd")}
    for _ in range(MAX_LINKS):
        if path.name.isdecimal() and os.path.realpath(path.parent) in folders:
            return int(path.name)
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
    return None


@contextmanager
def _replaced(path: Path, *, durable: bool) -> Iterator[IO[bytes]]:
    """A temporary file in the same folder, locked while this process runs. It is renamed at the end."""
    made = _make_folders(path.parent)
    clean_once(path.parent)
    before = _stat(path)
    file = locked_file(path.parent)
    try:
        with file:
            yield file
            file.flush()
            if before is not None:
                _take_over(file.fileno(), before)
            if durable:
                os.fsync(file.fileno())
            if sys.platform == "win32":  # which renames no open files, and has no lock that closing would end
                file.close()
            Path(file.name).replace(path)
    except BaseException:
        Path(file.name).unlink(missing_ok=True)
        raise
    if durable:
        for folder in (path.parent, *(new.parent for new in made)):
            sync_folder(folder)


def _stat(path: Path) -> os.stat_result | None:
    with suppress(FileNotFoundError):
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise DataError("cannot be written: a folder has this name", source=path)
        return status
    return None


def _make_folders(folder: Path) -> list[Path]:
    """Create a folder and its parents; return the new ones."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _take_over(handle: int, before: os.stat_result) -> None:
    """Copy owner and mode of the file that is replaced, if that is allowed. Windows has neither."""
    if sys.platform == "win32":
        return
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with suppress(OSError):
            os.fchown(handle, before.st_uid, before.st_gid)
    with suppress(OSError):
        os.fchmod(handle, stat.S_IMODE(before.st_mode))


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, if the system supports that."""
    handle = None
    try:
        handle = os.open(folder, os.O_RDONLY)
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NO_SYNC:
            raise
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn a failure of the system into a DataError that names the file."""
    try:
        yield
    except BrokenPipeError as error:
        error.filename = str(path)  # distinguishes it from a service that hangs up
        raise
    except OSError as error:
        if not _concerns(path, error):
            raise
        raise DataError(f"cannot be written: {error.strerror or error}", source=path) from None


def _concerns(path: Path, error: OSError) -> bool:
    """Whether the error is about this file: other files may be read while this one is written."""
    if not isinstance(error.filename, str | os.PathLike):
        return True
    named, target = Path(error.filename), destination(path)
    return TEMPORARY.fullmatch(named.name) is not None or named in (path, *path.parents, target, *target.parents)


@contextmanager
def encodable(path: Path) -> Iterator[None]:
    """Turn half of a surrogate pair, which UTF-8 cannot hold, into a DataError that shows where it is."""
    try:
        yield
    except UnicodeEncodeError as error:
        around = error.object[max(0, error.start - 20) : error.end + 20]
        fault = f"{around!a} contains half of a surrogate pair, which is not a character. Fix that text"
        raise DataError(f"cannot be written: {fault}", source=path) from None


def cache_folder() -> Path:
    """ASSAY_CACHE, else assay in XDG_CACHE_HOME, else ~/.cache/assay; `~` is home in all of them."""
    if own := os.environ.get("ASSAY_CACHE"):
        return Path(own).expanduser()
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared and Path(shared).is_absolute() else Path.home() / ".cache") / "assay"
