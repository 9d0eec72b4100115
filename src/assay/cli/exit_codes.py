"""How a command ends: its exit code, errors as the terminal shows them, and signals that interrupt it."""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import NoReturn

from assay.cli.streams import words_of
from assay.cli.terminal import may_colour, terminal_width
from assay.errors import AssayError, DataError
from assay.masking import mask
from assay.text import printable, wrapped

ERROR_LABEL = "error:"
RED, PLAIN = "\x1b[1;31m", "\x1b[0m"
PASTED = "  assay "
"""How a line begins that can be pasted: it is not broken."""
NO_MEMORY = "there is not enough memory; give fewer or smaller files at once, or allow the process more"
NO_MEMORY_LEFT: dict[type[Exception], tuple[str, ...]] = {
    RuntimeError: ("can't start new thread", "bad_alloc"),
    ImportError: ("failed to map segment", "annot allocate memory"),
}
"""What Python says of a thread, C++ of itself and the loader of a library: their types mean much else, too."""
BUG = 70


def exit_code_with_message(run: Callable[[], int]) -> int:
    """The exit code of what is run; where it fails, the error is written first. Everything printed has then been written."""
    try:
        code = run()
        sys.stdout.flush()
    except AssayError as error:
        write_error(str(error))
        return error.exit_code
    except MemoryError:
        write_error(NO_MEMORY)
        return DataError.exit_code
    except OSError as error:
        if isinstance(error, BrokenPipeError) and error.filename:  # whoever read that output has seen enough
            return 0
        write_error(words_of(error))
        return DataError.exit_code
    except Exception as error:  # noqa: BLE001 (told apart from user errors, traceback kept)
        if _lacks_memory(error):
            write_error(NO_MEMORY)
            return DataError.exit_code
        traceback.print_exc()
        write_error("this is a bug in assay; please report it with the lines above")
        return BUG
    return code


def _lacks_memory(error: Exception) -> bool:
    """Whether the error is DuckDB's own for no memory; only where no type says it are words looked at."""
    duckdb = sys.modules.get("duckdb")  # if nobody has loaded it, the error is not DuckDB's
    if duckdb is not None and isinstance(error, duckdb.OutOfMemoryException):
        return True
    return any(
        words in str(error) for kind, all_words in NO_MEMORY_LEFT.items() if isinstance(error, kind) for words in all_words
    )


def write_error(message: str) -> None:
    """On standard error; as it is, line by line, where nobody watches."""
    width = terminal_width(sys.stderr)
    lines = [printable(line) for line in f"{ERROR_LABEL} {mask(message)}".split("\n")]
    if width:
        lines = [line if line.startswith(PASTED) else wrapped(line, width) for line in lines]
    text = "\n".join(lines) + "\n"
    label = f"{RED}{ERROR_LABEL}{PLAIN}" if may_colour(sys.stderr) else ERROR_LABEL
    sys.stderr.write(label + text.removeprefix(ERROR_LABEL))


EXIT_CODES = {
    0: "fine",
    1: "gate failed",
    2: "usage",
    3: "data",
    4: "provider",
    5: "nothing selected",
    6: "store",
    70: "a bug in assay",
    129: "hung up",
    130: "interrupted",
    143: "terminated",
}
FIRST_LINE = 7
"""Codes in the first of two lines."""
EXIT_CODES_LABEL = "exit codes: "


def exit_codes_text() -> str:
    """All of them on two lines, for the end of the help page."""
    words = [f"{code} {means}" for code, means in EXIT_CODES.items()]
    lines = " · ".join(words[:FIRST_LINE]), " · ".join(words[FIRST_LINE:])
    return f"{EXIT_CODES_LABEL}{lines[0]}\n{' ' * len(EXIT_CODES_LABEL)}{lines[1]}"


FROM_SIGNAL = 128
"""An exit code after a signal is this and the number of the signal."""
HANGUP = tuple(getattr(signal, name) for name in ("SIGHUP",) if hasattr(signal, name))
"""What a process is sent when its terminal goes away; Windows has no such signal."""
ENDING = (signal.SIGTERM, *HANGUP)
"""Signals that ask a process to end; Ctrl-C, which does too, is Python's own."""


class Ended(KeyboardInterrupt):
    """The process was asked to end by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


def exit_code_of(interrupt: KeyboardInterrupt) -> int:
    """129 after SIGHUP, 130 after Ctrl-C, 143 after SIGTERM."""
    return FROM_SIGNAL + (interrupt.number if isinstance(interrupt, Ended) else signal.SIGINT)


def until_ended() -> AbstractContextManager[None]:
    """Signals that ask to end raise Ended meanwhile, so that what has begun is ended in good order."""
    return handled_by(_raise, ENDING)


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], object], numbers: Sequence[signal.Signals]) -> Iterator[None]:
    """These signals go to that handler meanwhile. One that is ignored from the start, as under nohup, stays ignored."""
    if threading.current_thread() is not threading.main_thread():  # only that one may say what signals do
        yield
        return
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, one in before.items():
            signal.signal(number, one)


def _raise(number: int, _: object) -> NoReturn:
    raise Ended(number)
