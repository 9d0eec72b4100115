"""How a command ends: exit codes, errors on the terminal, and signals that interrupt the command."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import NoReturn

from assay.cli.streams import describe_os_error
from assay.cli.terminal import terminal_width, use_colour
from assay.errors import AssayError, DataError
from assay.masking import mask
from assay.text import printable, wrapped

ERROR_PREFIX = "error:"
RED, PLAIN = "\x1b[1;31m", "\x1b[0m"
COMMAND_PREFIX = "  assay "
"""The beginning of a line with a command, which is not wrapped, so that it can be pasted."""
OUT_OF_MEMORY_MESSAGE = "not enough memory. Use fewer or smaller files at once, or give the process more memory"
OUT_OF_MEMORY_PHRASES: dict[type[Exception], tuple[str, ...]] = {
    RuntimeError: ("can't start new thread", "bad_alloc"),
    ImportError: ("failed to map segment", "annot allocate memory"),
}
"""Error type → phrases that mean that no memory is left: from Python for threads, from C++, and from the library loader."""
BUG_EXIT_CODE = 70


def run_and_report_errors(run: Callable[[], int]) -> int:
    """Run and return the exit code. An error is written to standard error first. All output is flushed."""
    try:
        code = run()
        sys.stdout.flush()
    except AssayError as error:
        write_error(str(error))
        return error.exit_code
    except MemoryError:
        write_error(OUT_OF_MEMORY_MESSAGE)
        return DataError.exit_code
    except OSError as error:
        if isinstance(error, BrokenPipeError) and error.filename:  # the reader of that output has closed it
            return 0
        write_error(describe_os_error(error))
        return DataError.exit_code
    except Exception as error:  # noqa: BLE001 (a bug, not an error of the user: print the traceback)
        if _lacks_memory(error):
            write_error(OUT_OF_MEMORY_MESSAGE)
            return DataError.exit_code
        from traceback import print_exc

        print_exc()
        write_error("this is a bug in assay. Please report it with the lines above")
        return BUG_EXIT_CODE
    return code


def _lacks_memory(error: Exception) -> bool:
    """Whether the error means that no memory is left: by its type if it is from DuckDB, else by its text."""
    duckdb = sys.modules.get("duckdb")  # if it is not loaded, the error is not from DuckDB
    if duckdb is not None and isinstance(error, duckdb.OutOfMemoryException):
        return True
    return any(
        words in str(error)
        for kind, all_words in OUT_OF_MEMORY_PHRASES.items()
        if isinstance(error, kind)
        for words in all_words
    )


def write_error(message: str) -> None:
    """Write it to standard error. Lines are wrapped only on a terminal."""
    width = terminal_width(sys.stderr)
    lines = [printable(line) for line in f"{ERROR_PREFIX} {mask(message)}".split("\n")]
    if width:
        lines = [line if line.startswith(COMMAND_PREFIX) else wrapped(line, width) for line in lines]
    text = "\n".join(lines) + "\n"
    label = f"{RED}{ERROR_PREFIX}{PLAIN}" if use_colour(sys.stderr) else ERROR_PREFIX
    sys.stderr.write(label + text.removeprefix(ERROR_PREFIX))


EXIT_CODES = {
    0: "fine",
    1: "gate or check failed",
    2: "usage",
    3: "data",
    4: "provider",
    5: "nothing selected",
    6: "store",
    70: "a bug in assay",
    129: "terminal closed",
    130: "interrupted",
    143: "terminated",
}
N_CODES_IN_FIRST_LINE = 6
"""The number of exit codes in the first of two lines."""
EXIT_CODES_LABEL = "exit codes: "


def exit_codes_text() -> str:
    """All exit codes on two lines, for the end of the help page."""
    words = [f"{code} {means}" for code, means in EXIT_CODES.items()]
    lines = " · ".join(words[:N_CODES_IN_FIRST_LINE]), " · ".join(words[N_CODES_IN_FIRST_LINE:])
    return f"{EXIT_CODES_LABEL}{lines[0]}\n{' ' * len(EXIT_CODES_LABEL)}{lines[1]}"


SIGNAL_EXIT_CODE_OFFSET = 128
"""The exit code after a signal is this number plus the number of the signal."""
HANGUP_SIGNALS = (signal.SIGHUP,) if sys.platform != "win32" else ()
"""The signal that a process gets when its terminal is closed; Windows has none."""
TERMINATION_SIGNALS = (signal.SIGTERM, *HANGUP_SIGNALS)
"""Signals that ask a process to end. Python itself handles Ctrl-C."""


class TerminationSignal(KeyboardInterrupt):
    """A signal asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code_of_interrupt(interrupt: KeyboardInterrupt) -> int:
    """129 after SIGHUP, 130 after Ctrl-C, 143 after SIGTERM."""
    return SIGNAL_EXIT_CODE_OFFSET + (interrupt.number if isinstance(interrupt, TerminationSignal) else signal.SIGINT)


def raise_on_termination() -> AbstractContextManager[None]:
    """Raise TerminationSignal if a signal asks the process to end, so that temporary files are removed."""
    return signal_handler(_raise_termination, TERMINATION_SIGNALS)


@contextmanager
def signal_handler(handler: Callable[[int, FrameType | None], object], numbers: Sequence[signal.Signals]) -> Iterator[None]:
    """Handle these signals with that function. A signal that is ignored from the start, as with nohup, stays ignored."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may set handlers
        yield
        return
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def _raise_termination(number: int, _: object) -> NoReturn:
    raise TerminationSignal(number)
