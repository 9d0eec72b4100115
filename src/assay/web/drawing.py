"""Drawing in a separate process, because the library blocks all threads of its process while it draws.

The process is replaced after a few hundred charts, which frees the memory that the library holds.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).with_name("drawer.py")
MAX_DRAWINGS_PER_PROCESS = 300
"""Charts that one process draws."""
DRAWING_SECONDS = 60.0
"""Seconds that one chart may take."""


class Drawer:
    """`drawer.svg_of(spec)` draws one chart after the other. The process is started when it is needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._n_drawn = 0

    def svg_of(self, spec: Any) -> str:
        """A chart as SVG; if the process has died, it is started again once."""
        line = f"{json.dumps(spec)}\n"
        with self._lock:
            answer = self._asked(line) or self._asked(line)
        if "svg" not in answer:
            raise RuntimeError(f"a chart could not be drawn: {answer.get('error', 'the drawing process has ended')}")
        return str(answer["svg"])

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _asked(self, line: str) -> dict[str, str]:
        """The reply of the process; empty if it has ended, or took too long and was ended."""
        if self._n_drawn >= MAX_DRAWINGS_PER_PROCESS:
            self._end()
        process = self._process = self._process or self._started()
        timer = threading.Timer(DRAWING_SECONDS, process.kill)
        timer.start()
        try:
            reply = _answer_of(process, line)
        except (OSError, ValueError):
            reply = {}
        finally:
            timer.cancel()
        self._n_drawn += 1
        if not reply:
            self._end()
        return reply

    def _started(self) -> subprocess.Popen[str]:
        """Start the process in its own session, so that Ctrl-C does not end it before the server does."""
        self._n_drawn = 0
        return subprocess.Popen(  # noqa: S603 (a program of our own; what it draws comes on its input)
            [sys.executable, "-P", str(PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()


def _answer_of(process: subprocess.Popen[str], line: str) -> dict[str, str]:
    if process.stdin is None or process.stdout is None:
        return {}
    process.stdin.write(line)
    process.stdin.flush()
    reply: dict[str, str] = json.loads(process.stdout.readline() or "{}")
    return reply


drawer = Drawer()
"""The drawer of this process."""
atexit.register(drawer.close)
