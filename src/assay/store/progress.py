"""Progress: the progress of running evaluations, in small files next to the store.

Each evaluation has its own file, which is replaced as a whole, written every few seconds, and removed at the end. An old
file belongs to a process that was killed; it is ignored, and the next evaluation removes it. A process keeps its file open
and locked to show that it is alive.
"""

from __future__ import annotations

import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from assay.errors import DataError
from assay.execution import Progress
from assay.schema import Count, decode_json
from assay.store.location import DEFAULT_PATH, StoreLocation
from assay.store.timestamps import now
from assay.temporary_files import locked_file, remove_abandoned
from assay.text import printable

FOLDER = "running"
FILE_NAME = re.compile(r"\d+-[0-9a-f]{8}\.json")
"""Names of progress files."""
WRITE_INTERVAL = 0.5
"""The minimum number of seconds between two writes."""
HEARTBEAT_INTERVAL = 5.0
"""Seconds between two heartbeats."""
STALE_AFTER = 30.0
"""Seconds without a heartbeat after which a file is ignored."""
MAX_FILE_BYTES = 1_000_000
"""Larger files are ignored."""


class PartProgress(NamedTuple):
    """The progress of one benchmark and provider."""

    name: str
    n_asked: Count
    n_done: Count
    n_failed: Count
    n_cached: Count
    seconds: float
    """Seconds since it began."""
    waiting: str = ""
    """The reason for waiting; empty if it does not wait."""


class Running(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A running evaluation: when it started, how many parts it has, and the parts that have started."""

    id: str
    started: str
    n_parts: Count
    parts: tuple[PartProgress, ...] = ()

    @property
    def n_done(self) -> int:
        """The number of finished parts."""
        return sum(part.n_done >= part.n_asked for part in self.parts)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        about = {"id": self.id, "started": self.started, "n_parts": self.n_parts, "n_done": self.n_done}
        return {**about, "parts": [part._asdict() for part in self.parts]}


def folder_of(place: StoreLocation) -> Path:
    """The folder of the files: next to the store, or in the working folder if the store is a server."""
    return (place.path.parent if place.path is not None else DEFAULT_PATH.parent) / FOLDER


def list_running(place: StoreLocation) -> list[Running]:
    """Running evaluations, oldest first. Files that cannot be read are skipped."""
    evaluations = []
    for file in sorted(folder_of(place).glob("*.json")):
        with suppress(OSError, DataError):
            if time.time() - file.stat().st_mtime <= STALE_AFTER and file.stat().st_size <= MAX_FILE_BYTES:
                evaluations.append(decode_json(file.read_bytes(), Running, str(file)))
    return sorted(evaluations, key=lambda evaluation: (evaluation.started, evaluation.id))


class ProgressWriter:
    """Writes the progress of an evaluation. File system errors are ignored, so that they do not stop the evaluation."""

    def __init__(self, folder: Path, n_parts: int) -> None:
        self._id = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._file = folder / f"{self._id}.json"
        self._started, self._n_parts = now(), n_parts
        self._parts: dict[str, PartProgress] = {}
        self._written = 0.0
        self._open: IO[bytes] | None = None
        self._lock = threading.Lock()

    def __call__(self, progress: Progress) -> None:
        """Record the progress of a part; it is written at intervals, and whenever a part starts or finishes."""
        with self._lock:
            is_new = progress.name not in self._parts
            self._parts[progress.name] = _part_progress(progress)
            is_due = time.monotonic() - self._written >= WRITE_INTERVAL
            if is_new or is_due or progress.n_done >= progress.n_asked:
                self._write()

    def begin(self) -> None:
        """Write the first file, and remove files of killed processes."""
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(self._file.parent, FILE_NAME)
        with self._lock:
            self._write()

    def write_regularly(self, over: threading.Event) -> None:
        """Write the newest state at intervals until the evaluation is over."""
        while not over.wait(HEARTBEAT_INTERVAL):
            with self._lock:
                self._write()

    def end(self) -> None:
        """Remove the file, and the folder if it is empty."""
        with self._lock, suppress(OSError):
            self._file.unlink(missing_ok=True)
            self._close()
            self._file.parent.rmdir()  # only if it is empty

    def _write(self) -> None:
        self._written = time.monotonic()
        running = Running(self._id, self._started, self._n_parts, tuple(self._parts.values()))
        with suppress(OSError):
            file = locked_file(self._file.parent)
            try:
                file.write(msgspec.json.encode(running))
                file.flush()
                Path(file.name).replace(self._file)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                file.close()
                raise
            self._close()
            self._open = file

    def _close(self) -> None:
        """Close the last file; its lock showed that this process is alive."""
        if self._open is not None:
            self._open.close()
        self._open = None


def _part_progress(progress: Progress) -> PartProgress:
    clock = time.perf_counter()
    wait = progress.wait
    why = f"{wait.why or 'the service asked for a pause'}" if wait is not None and clock < wait.until else ""
    counts = (progress.n_asked, progress.n_done, progress.n_failed, progress.n_cached)
    return PartProgress(printable(progress.name), *counts, round(clock - progress.began, 1), printable(why))


@contextmanager
def publish_progress(place: StoreLocation, n_parts: int) -> Iterator[Callable[[Progress], None]]:
    """A callback that publishes the progress of an evaluation, so that readers of the store can see it."""
    writer, over = ProgressWriter(folder_of(place), n_parts), threading.Event()
    writer.begin()
    heartbeat = threading.Thread(target=writer.write_regularly, args=(over,), daemon=True)
    heartbeat.start()
    try:
        yield writer
    finally:
        over.set()
        heartbeat.join()
        writer.end()
