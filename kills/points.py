"""Points: calls that change files, and statements and commits that reach the database; a process can be killed at each.

Python tells of the former itself, right before they are done (audit events), and SQLAlchemy of the latter.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, event

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate", "os.chmod", "sqlite3.connect"}


def counted(work: Callable[[], int]) -> Callable[[], dict[str, int]]:
    """The work, which tells how many points it has."""

    def count() -> dict[str, int]:
        n_points = 0

        def step() -> None:
            nonlocal n_points
            n_points += 1

        _listen(step)
        work()
        return {"points": n_points}

    return count


def killed_at(work: Callable[[], int], point: int) -> Callable[[], int]:
    """The work, which is killed right before that point."""

    def die() -> int:
        left = point

        def step() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        _listen(step)
        return work()

    return die


def _listen(step: Callable[[], None]) -> None:
    def audit(name: str, arguments: tuple[Any, ...]) -> None:
        if name in CHANGES or (name == "open" and _writes(arguments)):
            step()

    sys.addaudithook(audit)
    event.listen(Engine, "before_cursor_execute", lambda *_: step())
    event.listen(Engine, "after_cursor_execute", lambda *_: step())
    event.listen(Engine, "commit", lambda _: step())


def _writes(arguments: tuple[Any, ...]) -> bool:
    _, mode, flags = arguments
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) if isinstance(flags, int) else "r" not in (mode or "r")
