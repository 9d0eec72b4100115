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
    from assay.evaluation.runner import Progress

EVERY = 10.0
"""Seconds between two lines."""


class Tally:
    """Remembers how far each part is, and tells a watcher."""

    def __init__(self, watch: Callable[[Progress], None]) -> None:
        self._watch = watch
        self._parts: dict[str, Progress] = {}

    def __call__(self, progress: Progress) -> None:
        self._parts[progress.name] = progress
        self._watch(progress)

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


@contextmanager
def _lines() -> Iterator[Callable[[Progress], None]]:
    """A line when a part starts, one when it is done, and one now and then, even while nothing is answered."""
    paces: dict[str, Pace] = {}
    running: list[Progress] = []
    told, lock = sys.stderr, threading.Lock()

    def tell(progress: Progress) -> None:
        told.write(plain_line(progress, paces[progress.name], time.perf_counter()) + "\n")
        told.flush()

    def watch(progress: Progress) -> None:
        with lock:
            is_new = progress.name not in paces
            paces.setdefault(progress.name, Pace()).see(progress, time.perf_counter())
            is_done = progress.n_done >= progress.n_asked
            running[:] = [] if is_done else [progress]
            if is_done or (is_new and not progress.n_done):
                tell(progress)

    def now_and_then() -> None:
        while not over.wait(EVERY):
            with lock:
                for progress in running:
                    tell(progress)

    over = threading.Event()
    teller = threading.Thread(target=now_and_then, daemon=True)
    teller.start()
    try:
        yield watch
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
