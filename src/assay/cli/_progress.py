"""Progress of a run: a bar for each part on a terminal, lines elsewhere; and what to say when it is interrupted."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.cli._progress_line import ASCII, Pace, bar_line, plain_line

if TYPE_CHECKING:
    from assay.execution import Progress

EVERY = 10.0
"""Seconds between two lines."""


class Tally:
    """Remembers how far each part is, and tells the watchers."""

    def __init__(self, *watchers: Callable[[Progress], None]) -> None:
        self._watchers = watchers
        self._parts: dict[str, Progress] = {}

    def __call__(self, progress: Progress) -> None:
        self._parts[progress.name] = progress
        for watch in self._watchers:
            watch(progress)

    @property
    def n_answered(self) -> int:
        """Queries with an answer that need not be asked again."""
        return sum(part.n_done - part.n_failed for part in self._parts.values())

    def sentence(self, n_parts: int) -> str:
        """How far a run of so many parts got."""
        if not self.n_answered:
            return "no query was answered yet"
        *done, last = self._parts.values()
        answered = f"{last.n_done - last.n_failed:,} of {last.n_asked:,} queries"
        if n_parts <= 1:
            return f"{answered} answered"
        n_complete = len(done) + (last.n_done >= last.n_asked)
        return f"{n_complete:,} of {n_parts:,} results complete, {answered} of {last.name} answered"


@contextmanager
def progress_watcher(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Who is told how far a run is; on standard error, so that output stays clean."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bars() as watch:
            yield watch
    else:
        with _lines() as watch:
            yield watch


class Lines:
    """A line when a part starts, one when it is done or has to wait for long, and one now and then, even while nothing is
    answered.
    """

    def __init__(self) -> None:
        self._paces: dict[str, Pace] = {}
        self._waits: dict[str, float] = {}
        self._running: Progress | None = None
        self._told, self._lock = sys.stderr, threading.Lock()

    def watch(self, progress: Progress) -> None:
        """Look at a part."""
        with self._lock:
            is_new = progress.name not in self._paces
            self._paces.setdefault(progress.name, Pace()).see(progress, time.perf_counter())
            is_done = progress.n_done >= progress.n_asked
            self._running = None if is_done else progress
            if is_done or is_new or self._begins_to_wait(progress):
                self._tell(progress)

    def now_and_then(self, over: threading.Event) -> None:
        """Tell how far it is, until all is over."""
        while not over.wait(EVERY):
            with self._lock:
                if self._running is not None:
                    self._tell(self._running)

    def _begins_to_wait(self, progress: Progress) -> bool:
        """Whether a long pause begins; those that begin while it lasts are the same."""
        wait = progress.wait
        if (
            wait is None
            or wait.seconds < EVERY
            or not self._waits.get(progress.name, 0.0) <= time.perf_counter() < wait.until
        ):
            return False
        self._waits[progress.name] = wait.until
        return True

    def _tell(self, progress: Progress) -> None:
        self._told.write(plain_line(progress, self._paces[progress.name], time.perf_counter()) + "\n")
        self._told.flush()


@contextmanager
def _lines() -> Iterator[Callable[[Progress], None]]:
    """Lines on standard error."""
    lines, over = Lines(), threading.Event()
    teller = threading.Thread(target=lines.now_and_then, args=(over,), daemon=True)
    teller.start()
    try:
        yield lines.watch
    finally:
        over.set()
        teller.join()


@contextmanager
def _bars() -> Iterator[Callable[[Progress], None]]:
    """One bar that moves; those of parts that are done stay above it."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    paces: dict[str, Pace] = {}
    running: list[Progress] = []

    def line(progress: Progress) -> Any:
        pieces = bar_line(progress, paces[progress.name], time.perf_counter(), console.width)
        if console.options.ascii_only:
            pieces = [(text.translate(ASCII), style) for text, style in pieces]
        return Text.assemble(*pieces, no_wrap=True, overflow="crop", end="")

    def watch(progress: Progress) -> None:
        paces.setdefault(progress.name, Pace()).see(progress, time.perf_counter())
        running[:] = [progress]
        if progress.n_done >= progress.n_asked:
            running.clear()
            live.refresh()
            console.print(line(progress))

    def moving() -> Any:
        return line(running[0]) if running else Text("", end="")

    with Live(get_renderable=moving, console=console, refresh_per_second=8, transient=True) as live:
        yield watch
