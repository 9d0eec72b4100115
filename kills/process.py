"""Processes: forks that work in a folder of their own, end by themselves or are killed, and tell what they found."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

LONGEST = 120.0
"""Seconds after which a process counts as hanging."""


class Ended(NamedTuple):
    """How a process ended: its exit code, or minus the signal; after how long; what it printed; what it told."""

    code: int
    seconds: float
    printed: str
    told: Any = None


def run(work: Callable[[], Any], folder: Path, seconds: float | None = None) -> Ended:
    """Do some work in a process whose working folder, cache, home and temporary folder are in `folder`.

    After `seconds` it is killed. What `work` returns is the exit code if it is a number, and told else.
    """
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as output:
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            os.close(reading)
            _do(work, folder, output.fileno(), writing)
        os.close(writing)
        if seconds is not None:
            _sleep_until(began + seconds)
            os.kill(child, signal.SIGKILL)
        told = _read(reading, child, began + LONGEST)
        _, status = os.waitpid(child, 0)
        ended = time.monotonic()
        output.seek(0)
        printed = output.read().decode("utf-8", "replace")
    return Ended(os.waitstatus_to_exitcode(status), ended - began, printed, json.loads(told) if told else None)


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))


def _read(handle: int, child: int, deadline: float) -> bytes:
    """Everything until the other end is closed; a process that hangs is killed."""
    import select

    content = b""
    with os.fdopen(handle, "rb", buffering=0) as pipe:
        while True:
            if not select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
                os.kill(child, signal.SIGKILL)
            block = pipe.read(1 << 16)
            if not block:
                return content
            content += block


def _do(work: Callable[[], Any], folder: Path, output: int, writing: int) -> None:
    """What happens in the child; it never returns."""
    code = 70
    try:
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
        _settle(folder)
        found = work()
        if isinstance(found, int):
            code = found
        else:
            code = 0
            content = json.dumps(found).encode()
            while content:
                content = content[os.write(writing, content) :]
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 (whatever it is, it is told)
        traceback.print_exc(file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(code)


def _settle(folder: Path) -> None:
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    for name in ("ASSAY_STORE", "GITHUB_STEP_SUMMARY"):
        os.environ.pop(name, None)
    for name, below in (("ASSAY_CACHE", "cache"), ("TMPDIR", "tmp"), ("HOME", "home")):
        os.environ[name] = str(folder / below)
        (folder / below).mkdir(exist_ok=True)
    tempfile.tempdir = None
