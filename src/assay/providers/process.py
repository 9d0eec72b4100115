"""Program: a process that exchanges lines with assay. It cannot block assay and ends with it."""

from __future__ import annotations

import contextlib
import math
import queue
import subprocess
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Sequence
from time import monotonic
from typing import IO

from assay.errors import ProviderError

CHUNK = 1 << 16
MAX_LINE = 64 * 1024 * 1024
"""The longest line in bytes that is read."""
WAITING = 64
"""The most chunks in each queue before the faster side has to wait."""
SECONDS_TO_END = 0.2
"""Seconds that a program has to exit by itself after its input is closed."""
GRACE = 2.0
"""Seconds that it then has to exit after SIGTERM before it is killed."""
TAIL = 20
"""The last lines of its error output that are kept."""

Chunks = queue.Queue[bytes | None]


class Ended(Exception):
    """The program has closed its output."""


class Program:
    """A running program. Threads read and write, so that neither side can block the other."""

    def __init__(self, arguments: Sequence[str]) -> None:
        try:
            self.process = subprocess.Popen(  # noqa: S603 (the user's own command, without a shell)
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except (OSError, ValueError) as error:
            raise ProviderError(f"cannot start {arguments[0]}: {getattr(error, 'strerror', None) or error}") from error
        self._inbox: Chunks = queue.Queue(WAITING)
        self._outbox: Chunks = queue.Queue(WAITING)
        self._errors: deque[str] = deque(maxlen=TAIL)
        self._rest: list[bytes] = []
        self._lines: deque[bytes] = deque()
        pipes = self.process.stdin, self.process.stdout, self.process.stderr
        work = ((_write, pipes[0], self._outbox), (_read, pipes[1], self._inbox), (_keep_tail, pipes[2], self._errors))
        self._threads = [threading.Thread(target=target, args=more, daemon=True) for target, *more in work]
        for thread in self._threads:
            thread.start()
        self.stop = weakref.finalize(self, _stop, self.process, self._threads, self._inbox, self._outbox)
        """End the program. This also happens when this object is deleted or the interpreter exits."""

    def send(self, lines: Iterable[bytes], deadline: float) -> None:
        """Send lines in large chunks; TimeoutError if the program does not read them by the deadline."""
        waiting: list[bytes] = []
        size = 0
        for line in lines:
            waiting.append(line + b"\n")
            size += len(line)
            if size >= CHUNK:
                self._put(b"".join(waiting), deadline)
                waiting, size = [], 0
        self._put(b"".join(waiting), deadline)

    def _put(self, chunk: bytes, deadline: float) -> None:
        try:
            self._outbox.put(chunk, timeout=_left(deadline))
        except queue.Full:
            raise TimeoutError from None

    @property
    def has_its_input(self) -> bool:
        """Whether everything that was sent is in its pipe, so that it does not wait for input."""
        return not self._outbox.unfinished_tasks

    def next_line(self, deadline: float) -> bytes:
        """The next line of its output; TimeoutError if none comes by the deadline, Ended if it has closed its output."""
        while not self._lines:
            try:
                chunk = self._inbox.get(timeout=_left(deadline))
            except queue.Empty:
                raise TimeoutError from None
            if chunk is None:
                self._inbox.put(None)
                if not self._rest:
                    raise Ended
                chunk = b"\n"  # the last line may have no line break
            self._split(chunk)
        return self._lines.popleft()

    def _split(self, chunk: bytes) -> None:
        """Add the lines that a chunk completes."""
        first, *more = chunk.split(b"\n")
        self._rest.append(first)
        if more:
            self._lines.append(b"".join(self._rest))
            self._lines.extend(more[:-1])
            self._rest = [more[-1]] if more[-1] else []
        elif sum(map(len, self._rest)) > MAX_LINE:
            raise ProviderError(
                f"the program wrote more than {MAX_LINE // 1024**2} MB without a line break. Write one response per line"
            )

    def last_words(self) -> tuple[str, str]:
        """How it exited, if that is known, and the last line of its error output."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=GRACE)
        self._threads[-1].join(timeout=0.2)
        code = self.process.poll()
        how = "" if code is None else f" with code {code}" if code >= 0 else f" on signal {-code}"
        error_lines = [line for line in self._errors if line.strip()]
        return how, error_lines[-1].strip() if error_lines else ""


def _left(deadline: float) -> float | None:
    """Seconds until the deadline, at least 1 ms; None if there is no limit."""
    return None if math.isinf(deadline) else max(deadline - monotonic(), 0.001)


def _write(pipe: IO[bytes], outbox: Chunks) -> None:
    """Write all chunks; after the program closes its input, discard them."""
    is_open = True
    while (chunk := outbox.get()) is not None:
        if is_open:
            try:
                pipe.write(chunk)
                pipe.flush()
            except (OSError, ValueError):
                is_open = False
        outbox.task_done()
    with contextlib.suppress(OSError, ValueError):
        pipe.close()


def _read(pipe: IO[bytes], inbox: Chunks) -> None:
    with contextlib.suppress(OSError, ValueError):
        while chunk := pipe.read1(CHUNK):  # type: ignore[attr-defined]
            inbox.put(chunk)
    inbox.put(None)


def _keep_tail(pipe: IO[bytes], tail: deque[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        while line := pipe.readline(CHUNK):
            tail.append(line.decode("utf-8", "replace"))


def _stop(process: subprocess.Popen[bytes], threads: Sequence[threading.Thread], inbox: Chunks, outbox: Chunks) -> None:
    """Close the input of the process, then terminate it, then kill it."""
    with contextlib.suppress(queue.Full):
        outbox.put_nowait(None)
    for seconds, then in ((SECONDS_TO_END, process.terminate), (GRACE, process.kill)):
        try:
            process.wait(seconds)
            break
        except subprocess.TimeoutExpired:
            then()
    process.wait()
    for thread in threads:
        _finish(thread, inbox, outbox)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError, ValueError):
                pipe.close()


def _finish(thread: threading.Thread, inbox: Chunks, outbox: Chunks) -> None:
    """Unblock a thread until it ends. If a grandchild process still holds its pipe, give up after GRACE seconds."""
    until = monotonic() + GRACE
    while thread.is_alive() and monotonic() < until:
        with contextlib.suppress(queue.Empty):
            inbox.get_nowait()
        with contextlib.suppress(queue.Full):
            outbox.put_nowait(None)
        thread.join(timeout=0.005)
