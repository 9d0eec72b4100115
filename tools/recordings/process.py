"""Work in a forked process: a folder, an environment and a clock of its own, and files for what it writes.

The parent has imported heavy packages but nothing of assay, so that a process imports assay as a fresh one does; where that
takes too long, processes are forked by one that has imported assay whole.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime as dt
import importlib
import os
import pickle
import pkgutil
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
SECONDS = 300
"""After which a process is ended by a signal, and its exit code is negative."""
CRASHED = 99
"""Exit code of work that raised."""
PACKAGES = """
    numpy scipy.stats scipy.special scipy.sparse sqlalchemy.dialects.sqlite msgspec yaml zstandard bm25s Stemmer rich.console
    rich.table rich.text rich_argparse jinja2 asyncio sqlite3 duckdb starlette.testclient starlette.applications
""".split()
"""Heavy packages that assay imports when they are needed."""


@dataclass(frozen=True)
class Output:
    """What a process wrote, and how it ended."""

    code: int
    stdout: str
    stderr: str


@contextlib.contextmanager
def temporary_folder(prefix: str = "recording-", parent: Path | None = None) -> Iterator[Path]:
    """A folder that is removed at the end, but not by a forked process that exits before."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def import_packages() -> None:
    """Import them once, before anything is forked."""
    for name in PACKAGES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


class FixedDatetime(dt.datetime):
    """A calendar that stands still, so that two evaluations begin in the same minute always or never."""

    minutes = 1000

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> FixedDatetime:
        """The same moment for a whole process."""
        return cls(2026, 3, 1, tzinfo=tz) + dt.timedelta(minutes=cls.minutes)


def stop_clock(minutes: int = FixedDatetime.minutes) -> None:
    """Durations are nought: they would change words, and the widths of columns. Deadlines go on."""
    time.perf_counter = lambda: 1000.0
    time.perf_counter_ns = lambda: 1_000_000_000_000
    FixedDatetime.minutes = minutes
    dt.datetime = FixedDatetime  # type: ignore[misc]


def run_process(
    work: Callable[[], int], folder: Path, environment: Mapping[str, str], stdin: Path | None = None, minutes: int = 1000
) -> Output:
    """Run in a forked process within `folder`, so many minutes later; the exit code is what `work` returns."""
    with temporary_folder() as streams:
        out, err = streams / "out", streams / "err"
        pid = os.fork()
        if not pid:
            _be_process(work, folder, environment, (stdin or Path(os.devnull), out, err), minutes)
        _, status = os.waitpid(pid, 0)
        out.touch()
        err.touch()
        return Output(os.waitstatus_to_exitcode(status), *(read_text(file) for file in (out, err)))


def read_text(file: Path) -> str:
    """The text of a file; bytes that are no UTF-8 are shown as such."""
    return file.read_bytes().decode("utf-8", "backslashreplace")


def _be_process(
    work: Callable[[], int], folder: Path, environment: Mapping[str, str], streams: Sequence[Path], minutes: int
) -> None:
    code = CRASHED
    try:
        signal.alarm(SECONDS)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None
        time.tzset()
        for number, (path, mode) in enumerate(zip(streams, ("rb", "wb", "wb"), strict=True)):
            with path.open(mode) as file:
                os.dup2(file.fileno(), number)
        stop_clock(minutes)
        code = work()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(code)


def value_of(work: Callable[[], T], folder: Path, environment: Mapping[str, str]) -> T:
    """What a function returns in a process of its own."""
    with temporary_folder() as place:
        file = place / "value"

        def keep() -> int:
            file.write_bytes(pickle.dumps(work()))
            return 0

        output = run_process(keep, folder, environment)
        if output.code:
            raise RuntimeError(f"exit code {output.code}: {output.stdout[-2000:]}{output.stderr[-4000:]}")
        value: T = pickle.loads(file.read_bytes())
        return value


def in_parallel(works: Iterable[Callable[[], T]], jobs: int) -> Iterator[T]:
    """What each function returns, in their order; each in a process, so many at a time."""
    with temporary_folder() as place:
        running: dict[int, Path] = {}
        files = []
        for number, work in enumerate(works):
            while len(running) >= jobs:
                _await_one(running)
            files.append(place / str(number))
            pid = os.fork()
            if not pid:
                _write_value(work, files[-1])
            running[pid] = files[-1]
        while running:
            _await_one(running)
        for file in files:
            value: T = pickle.loads(file.read_bytes())
            yield value


def with_assay(work: Callable[[], T]) -> T:
    """What a function returns in a process that has imported all of assay, for processes forked from it to start quickly."""

    def import_and_work() -> T:
        stop_clock()  # before anything takes the clock's function for its own
        for name in _modules_of_assay():
            with contextlib.suppress(Exception):  # what needs a package that is missing
                importlib.import_module(name)
        return work()

    return next(in_parallel([import_and_work], 1))


def _modules_of_assay() -> Iterator[str]:
    import assay

    for module in pkgutil.walk_packages(assay.__path__, "assay.", onerror=lambda _: None):
        if not re.search(r"__main__|drawer|pytest_plugin", module.name):  # programs, and what imports pytest
            yield module.name


def _await_one(running: dict[int, Path]) -> None:
    pid, status = os.wait()
    if running.pop(pid, None) and status:
        raise RuntimeError(f"a process that recorded ended with {os.waitstatus_to_exitcode(status)}")


def _write_value(work: Callable[[], Any], file: Path) -> None:
    code = 1
    try:
        file.write_bytes(pickle.dumps(work()))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)
