"""Outcome: what became of one input, under limits of time and memory; and a smaller input that ends the same way."""

from __future__ import annotations

import contextlib
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.errors import AssayError
from assay.masking import forget_secrets
from fuzz.component import Component, SilentDifference

SECONDS = 5.0
"""Of processor time for one input; what needs more hangs."""
MEMORY = 400 << 10
"""Kilobytes by which one input may raise the memory of the process."""
ADDRESSES = 8 << 30
"""Bytes of address space for a worker: what asks for more gets a MemoryError."""
CANARY = "canary"
"""A module that inputs name and that nothing else imports."""
ATTEMPTS = 150
"""To make an input smaller."""
ATTEMPT_SECONDS = 3.0


class Hang(BaseException):
    """An input took too long. No `except Exception` may hide it."""


class Outcome(NamedTuple):
    """How one input ended; a fault has a signature, which tells it from other faults, and details."""

    kind: str
    """`accepted`, `refused`, or the kind of a fault: `exception`, `difference`, `hang`, `memory`, `ran code`."""
    signature: str = ""
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether the component must be mended."""
        return self.kind not in ("accepted", "refused")


def set_limits() -> None:
    """Limits of this process: address space, and what an alarm of processor time does."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _stop)


def _stop(number: int, frame: object) -> None:
    raise Hang


@contextlib.contextmanager
def _time_limit() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def outcome_of(component: Component, data: bytes) -> Outcome:
    """Give a component one input."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        with _time_limit():
            found = _checked(component, data)
    except Hang as error:
        found = Outcome("hang", f"Hang at {_place(error)}", _told(error))
    forget_secrets()  # what one input names as its key would be masked in the files of the next
    if sys.modules.pop(CANARY, None) is not None and not component.may_run:
        return Outcome("ran code", f"ran code, {found.kind}", "the input made assay import a module that it names")
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before > MEMORY:
        return Outcome("memory", f"memory, {found.kind}", f"one input took more than {MEMORY >> 10} MB; {found.detail}")
    return found


def _checked(component: Component, data: bytes) -> Outcome:
    try:
        component.check(data)
    except AssayError:
        return Outcome("refused")
    except SilentDifference as error:
        return Outcome("difference", f"difference: {str(error).partition(':')[0]}", str(error))
    except component.refusals:
        return Outcome("refused")
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return Outcome("exception", f"{type(error).__name__} at {_place(error)}", _told(error))
    return Outcome("accepted")


def _place(error: BaseException) -> str:
    """The innermost line of assay that an error went through."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/assay/" in frame.filename] or frames
    if not own:
        return "nowhere"
    return f"{'/'.join(Path(own[-1].filename).parts[-2:])}:{own[-1].lineno}"


def _told(error: BaseException) -> str:
    lines = traceback.format_exception(error, limit=-8)
    return "".join(lines)[-3000:]


def minimise(component: Component, data: bytes, signature: str) -> bytes:
    """The input with as much left out as ends the same way; what hangs stays as it is."""
    end, attempts, size = time.monotonic() + ATTEMPT_SECONDS, 0, max(1, len(data) // 2)
    while size and attempts < ATTEMPTS and time.monotonic() < end:
        place = 0
        while place < len(data) and attempts < ATTEMPTS and time.monotonic() < end:
            smaller = data[:place] + data[place + size :]
            attempts += 1
            if outcome_of(component, smaller).signature == signature:
                data = smaller
            else:
                place += size
        size //= 2
    return data
