"""Progress of a run: a bar for each part on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.text import printable

if TYPE_CHECKING:
    from assay.evaluation.runner import Progress

EVERY = 10.0
"""Seconds between two lines."""


@contextmanager
def progress_watcher(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Who is told how far a run is; on standard error, so that output stays clean."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bars() as watch:
            yield watch
    else:
        yield _Lines()


class _Lines:
    """A line when a part is done, and now and then before."""

    def __init__(self) -> None:
        self._told = time.perf_counter()

    def __call__(self, progress: Progress) -> None:
        if progress.n_done >= progress.n_asked or time.perf_counter() - self._told >= EVERY:
            self._told = time.perf_counter()
            sys.stderr.write(f"{printable(progress.name)}: {_counts(progress)}\n")


def _counts(progress: Progress) -> str:
    seconds = max(time.perf_counter() - progress.began, 1e-9)
    fresh = progress.n_done - progress.n_cached
    cached = f", {progress.n_cached:,} known already" if progress.n_cached else ""
    return (
        f"{progress.n_done:,}/{progress.n_asked:,}, {progress.n_failed:,} failed{cached}, {fresh / seconds:,.0f} queries/s"
    )


@contextmanager
def _bars() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"),
        TextColumn("{task.fields[cached]} known already"),
        TextColumn("{task.fields[rate]} q/s"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, Any] = {}
    with Bars(*columns, console=Console(stderr=True)) as bars:

        def watch(progress: Progress) -> None:
            if progress.name not in tasks:
                tasks[progress.name] = bars.add_task(
                    printable(progress.name), total=progress.n_asked, failed=0, cached=0, rate="–"
                )
            rate = (progress.n_done - progress.n_cached) / max(time.perf_counter() - progress.began, 1e-9)
            counts: dict[str, Any] = {"failed": progress.n_failed, "cached": progress.n_cached, "rate": f"{rate:,.0f}"}
            bars.update(tasks[progress.name], completed=progress.n_done, **counts)

        yield watch
