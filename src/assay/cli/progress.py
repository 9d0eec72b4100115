"""Progress of an evaluation: a bar for each part on a terminal, otherwise lines; and a summary after an interruption."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.text import counted, display_width, printable, shorten_middle

if TYPE_CHECKING:
    from assay.execution import Progress


SECONDS_BETWEEN_LINES = 10.0
"""Seconds between two lines."""


class ProgressTally:
    """Remembers the progress of each part, and passes it on to the watchers."""

    def __init__(self, *watchers: Callable[[Progress], None]) -> None:
        self._watchers = watchers
        self._parts: dict[str, Progress] = {}

    def __call__(self, progress: Progress) -> None:
        """Record the progress of a part."""
        self._parts[progress.name] = progress
        for watch in self._watchers:
            watch(progress)

    @property
    def n_answered(self) -> int:
        """Queries that completed and do not have to be run again."""
        return sum(part.n_done - part.n_failed for part in self._parts.values())

    def sentence(self, n_parts: int) -> str:
        """The progress of an evaluation with so many parts."""
        if not self.n_answered:
            return "no query has completed yet"
        *done, last = self._parts.values()
        answered = f"{last.n_done - last.n_failed:,} of {last.n_asked:,} queries"
        if n_parts <= 1:
            return f"{answered} completed"
        n_complete = len(done) + (last.n_done >= last.n_asked)
        return f"{n_complete:,} of {n_parts:,} results complete, {answered} of {last.name} completed"


@contextmanager
def progress_watcher(*, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """A function that shows the progress of an evaluation on standard error, so that standard output has only results."""
    if quiet:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _progress_bars() as watch:
            yield watch
    else:
        with _progress_lines() as watch:
            yield watch


class ProgressLines:
    """Progress as lines: when a part starts, ends or has a long pause, and at regular intervals in between."""

    def __init__(self) -> None:
        self._paces: dict[str, Pace] = {}
        self._waits: dict[str, float] = {}
        self._running: Progress | None = None
        self._stream, self._lock = sys.stderr, threading.Lock()

    def watch(self, progress: Progress) -> None:
        """Show the progress of a part."""
        with self._lock:
            is_new = progress.name not in self._paces
            self._paces.setdefault(progress.name, Pace()).record(progress, time.perf_counter())
            is_done = progress.n_done >= progress.n_asked
            self._running = None if is_done else progress
            if is_done or is_new or self._begins_to_wait(progress):
                self._write_line(progress)

    def write_periodically(self, over: threading.Event) -> None:
        """Write the progress at regular intervals, until the evaluation is over."""
        while not over.wait(SECONDS_BETWEEN_LINES):
            with self._lock:
                if self._running is not None:
                    self._write_line(self._running)

    def _begins_to_wait(self, progress: Progress) -> bool:
        """Whether a long pause begins. A pause that begins during another one does not count."""
        wait = progress.wait
        if (
            wait is None
            or wait.seconds < SECONDS_BETWEEN_LINES
            or not self._waits.get(progress.name, 0.0) <= time.perf_counter() < wait.until
        ):
            return False
        self._waits[progress.name] = wait.until
        return True

    def _write_line(self, progress: Progress) -> None:
        self._stream.write(plain_line(progress, self._paces[progress.name], time.perf_counter()) + "\n")
        self._stream.flush()


@contextmanager
def _progress_lines() -> Iterator[Callable[[Progress], None]]:
    """Lines on standard error."""
    lines, over = ProgressLines(), threading.Event()
    thread = threading.Thread(target=lines.write_periodically, args=(over,), daemon=True)
    thread.start()
    try:
        yield lines.watch
    finally:
        over.set()
        thread.join()


@contextmanager
def _progress_bars() -> Iterator[Callable[[Progress], None]]:
    """One bar for the current part; the bars of finished parts stay above it. Before the first part, benchmarks are read."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    paces: dict[str, Pace] = {}
    running: list[Progress] = []
    began = time.perf_counter()

    def line(progress: Progress) -> Any:
        pieces = bar_line(progress, paces[progress.name], time.perf_counter(), console.width)
        if console.options.ascii_only:
            pieces = [(text.translate(ASCII), style) for text, style in pieces]
        return Text.assemble(*pieces, no_wrap=True, overflow="crop", end="")

    def watch(progress: Progress) -> None:
        paces.setdefault(progress.name, Pace()).record(progress, time.perf_counter())
        running[:] = [progress]
        if progress.n_done >= progress.n_asked:
            running.clear()
            live.refresh()
            console.print(line(progress))

    def current_bar() -> Any:
        return line(running[0]) if running else Text("" if paces else reading_line(time.perf_counter() - began), end="")

    with Live(get_renderable=current_bar, console=console, refresh_per_second=8, transient=True) as live:
        yield watch


def reading_line(seconds: float) -> str:
    """`reading the benchmarks 0:04`; empty if that takes no time worth showing."""
    return f"reading the benchmarks {_format_duration(seconds)}" if seconds >= SECONDS_UNTIL_STEADY else ""


NARROWEST_BAR, WIDEST_BAR = 8, 40
MIN_NAME, MIN_READABLE_NAME = 10, 24
SECONDS_UNTIL_STEADY = 1.0
"""Seconds after the first response from which the pace no longer includes the preparation."""
DONE, LEFT, FAULT, PLAIN = "green", "bright_black", "red", ""
ASCII = str.maketrans("━─·…", "#-|~")
"""Replacements for characters that a terminal cannot show."""
StyledText = list[tuple[str, str]]
"""Pieces of text with their styles."""


@dataclass
class Pace:
    """Queries per second, without cached queries."""

    first: float | None = None
    n_first: int = 0
    last: float = 0.0

    def record(self, progress: Progress, now: float) -> None:
        """Record when responses arrived."""
        fresh = progress.n_done - progress.n_cached
        self.last = now
        if fresh and self.first is None:
            self.first, self.n_first = now, fresh

    def rate(self, progress: Progress, now: float) -> float:
        """Queries per second since the first responses, if these are long enough ago; else since the start."""
        end = self.last if progress.n_done >= progress.n_asked else now
        fresh = progress.n_done - progress.n_cached
        if self.first is not None and end - self.first >= SECONDS_UNTIL_STEADY and fresh > self.n_first:
            return (fresh - self.n_first) / (end - self.first)
        return fresh / max(end - progress.began, 1e-9)

    def seconds_left(self, progress: Progress, now: float) -> float | None:
        """How long the rest takes at this pace; None if that is not known yet."""
        rate = self.rate(progress, now)
        return (progress.n_asked - progress.n_done) / rate if rate > 0 else None


def plain_line(progress: Progress, pace: Pace, now: float) -> str:
    """`rag-template/bm25: 12/48 queries, 0 failed, 3 cached, 31/s, 0:01 left`."""
    return f"{printable(progress.name)}: {', '.join(_details(progress, pace, now, is_short=False))}"


def bar_line(progress: Progress, pace: Pace, now: float, width: int) -> StyledText:
    """Name, bar and numbers. On a narrow terminal, the middle of the name is cut first, then zeros, then the bar."""
    room = width - 1
    name = printable(progress.name)
    details = _details(progress, pace, now, is_short=True)
    if _details_width(details) + min(display_width(name), MIN_READABLE_NAME) + NARROWEST_BAR + 1 > room:
        details = [detail for detail in details if not detail.startswith("0 ")]
    while _details_width(details) + MIN_NAME > room and len(details) > 2:
        details.pop(-2)
    least = min(display_width(name), MIN_NAME) + NARROWEST_BAR + 1
    bar_room = NARROWEST_BAR + 1 if _details_width(details) + least <= room else 0
    name = shorten_middle(name, max(1, room - _details_width(details) - bar_room))
    bar = min(room - _details_width(details) - display_width(name) - 1, WIDEST_BAR)
    pieces = [(name, PLAIN), (" ", PLAIN)]
    if bar >= NARROWEST_BAR:
        n_full = min(bar, bar * progress.n_done // max(progress.n_asked, 1))
        pieces += [("━" * n_full, DONE), ("─" * (bar - n_full), LEFT), (" ", PLAIN)]
    failed = _failed_count(progress) if progress.n_failed else None
    for number, detail in enumerate(details):
        pieces += [(" · " if number else "", LEFT), (detail, FAULT if detail == failed else PLAIN)]
    return pieces


def _details_width(details: list[str]) -> int:
    """Columns for the numbers, and a blank before them."""
    return display_width(" · ".join(details)) + 1


def _details(progress: Progress, pace: Pace, now: float, *, is_short: bool) -> list[str]:
    """The numbers: done, failed, done before, cached, queries per second, and the time that is left or was needed."""
    n_fresh, is_done = progress.n_done - progress.n_cached, progress.n_done >= progress.n_asked
    asked = f"{progress.n_done:,}/{progress.n_asked:,}" + ("" if is_short else " queries")
    known = _known_counts(progress)
    if not n_fresh and not is_done:
        wait = _describe_wait(progress, now)
        return [asked, *(known if progress.n_cached else ()), *([wait] if wait else _preparation(progress, now, is_short))]
    details = [asked, _failed_count(progress), *known]
    if n_fresh:
        details.append(f"{_format_rate(pace.rate(progress, now))}/s")
    if is_done:
        return [*details, f"took {_format_duration(pace.last - progress.began)}"]
    left = pace.seconds_left(progress, now)
    last = _describe_wait(progress, now) or (f"{_format_duration(left)} left" if left is not None else "")
    return [*details, last] if last else details


def _failed_count(progress: Progress) -> str:
    return f"{progress.n_failed:,} failed"


def _known_counts(progress: Progress) -> list[str]:
    """How many queries do not have to be run: those of an interrupted evaluation that is resumed, and cached ones."""
    n_cached = progress.n_cached - progress.n_known
    known = [f"{progress.n_known:,} done before"] if progress.n_known else []
    return [*known, *([f"{n_cached:,} cached"] if n_cached > 0 or not known else [])]


def _describe_wait(progress: Progress, now: float) -> str:
    """The pause that a service requested, while it lasts."""
    wait = progress.wait
    if wait is None or now >= wait.until:
        return ""
    return f"waiting {wait.seconds:.0f} s, as the service requested" + (f" ({wait.why})" if wait.why else "")


def _preparation(progress: Progress, now: float, is_short: bool) -> list[str]:
    """What happens before the first response: how many documents are read or indexed, and the time left, if it is known.

    After the last document, a provider may still build its index. It is not known how long that takes.
    """
    count, preparing = progress.documents, f"preparing {_format_duration(now - progress.began)}"
    if count is None or not count.n_done or now - count.began < SECONDS_UNTIL_STEADY:
        return [preparing]
    documents = counted(count.n_all, "document")
    if count.n_done >= count.n_all:
        return [f"{documents} read", preparing]
    left = (now - count.began) * (count.n_all - count.n_done) / count.n_done
    share = f"{count.n_done:,}{'/' if is_short else ' of '}{documents}"
    return [f"{count.work} {share}", f"{_format_duration(left)} left"]


def _format_rate(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _format_duration(seconds: float) -> str:
    """`0:09`, `12:34`, `1:02:03`; days as hours."""
    whole = int(seconds + 0.5)
    minutes = f"{whole // 60 % 60:02d}" if whole >= 3600 else f"{whole // 60}"
    return f"{whole // 3600}:{minutes}:{whole % 60:02d}" if whole >= 3600 else f"{minutes}:{whole % 60:02d}"
