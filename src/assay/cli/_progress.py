"""Progress of a run: a bar for each part on a terminal, a line when it is done elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.evaluation.runner import Progress


@contextmanager
def progress_watcher(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Who is told how far a run is; on standard error, so that output stays clean."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bars() as watch:
            yield watch
    else:
        yield _line_when_done


def _line_when_done(progress: Progress) -> None:
    if progress.n_done >= progress.n_asked:
        sys.stderr.write(f"{progress.name}: {_counts(progress)}\n")


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
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]} failed"),
        TextColumn("{task.fields[rate]} q/s"),
        TimeRemainingColumn(),
    )
    tasks: dict[str, Any] = {}
    with Bars(*columns, console=Console(stderr=True)) as bars:

        def watch(progress: Progress) -> None:
            if progress.name not in tasks:
                tasks[progress.name] = bars.add_task(progress.name, total=progress.n_asked, failed=0, rate="–")
            rate = (progress.n_done - progress.n_cached) / max(time.perf_counter() - progress.began, 1e-9)
            bars.update(tasks[progress.name], completed=progress.n_done, failed=progress.n_failed, rate=f"{rate:,.0f}")

        yield watch
