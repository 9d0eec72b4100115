"""Progress of a long read: how much of the runs is read, how fast, and how long it will take, on one line of a terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from assay.cli.terminal import terminal_width
from assay.files import FileSource, long_read
from assay.text import printable

LEAST_BYTES = 100_000_000
"""Smaller runs are read before anyone could read the line."""
SECONDS_BETWEEN = 0.2
CLEAR = "\r\x1b[K"


class ReadingLine:
    """The line, written again and again. Blocks may come from several threads."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        """Bytes to read; None if they are unknown, because files are compressed."""
        self._n_bytes = self._n_rows = 0
        self._began = self._shown = time.monotonic()
        self._lock = threading.Lock()

    def show(self, label: str, n_bytes: int, n_rows: int) -> None:
        """Count a block, and write the line if enough time has passed."""
        with self._lock:
            self._n_bytes += n_bytes
            self._n_rows += n_rows
            now = time.monotonic()
            if now - self._shown >= SECONDS_BETWEEN:
                self._shown = now
                width = (terminal_width(sys.stderr) or 80) - 1
                sys.stderr.write(f"{CLEAR}{printable(self.text(label, now - self._began))[:width]}")
                sys.stderr.flush()

    def text(self, label: str, seconds: float) -> str:
        """`23 % · 12 s left · 3.1 M rows/s · 11,500,000 rows · run.txt`."""
        parts = [f"{self._n_rows / seconds / 1e6:.1f} M rows/s", f"{self._n_rows:,} rows", label]
        if self._total:
            share = min(self._n_bytes / self._total, 1.0)
            left = seconds / share - seconds if share else 0.0
            parts = [f"{100 * share:.0f} %", f"{_duration(left)} left", *parts]
        return " · ".join(parts)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@contextmanager
def show_reading(sources: Sequence[object], *, quiet: bool) -> Iterator[None]:
    """Show the progress of reading these runs on a terminal, if they are large. Readers in threads stop after an error."""
    files = [source for source in sources if isinstance(source, FileSource)]
    total = sum(source.path.stat().st_size for source in files)
    if quiet or total < LEAST_BYTES or not sys.stderr.isatty():
        with long_read():
            yield
        return
    line = ReadingLine(None if any(source.compression for source in files) else total)
    try:
        with long_read(line.show):
            yield
    finally:
        sys.stderr.write(CLEAR)
