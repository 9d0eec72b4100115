"""The command line: one file in `commands` for each command. Only this package and `web` print and exit."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS_BETWEEN_COLLECTIONS = 50_000
WAITING_TIME = "OPENBLAS_THREAD_TIMEOUT"
"""The variable that says how long threads of NumPy's matrix library wait for work before they sleep."""
SHORTEST_WAITING_TIME = "4"
"""2⁴ clock cycles."""


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments in (["--version"], ["-V"]) and _has_written_version():  # before anything else is imported
        return 0

    from assay.cli.exit_codes import exit_code_of_interrupt, raise_on_termination, run_and_report_errors
    from assay.cli.streams import masked_output, standard_streams

    with _rare_garbage_collection(), _sleeping_threads(), standard_streams(), masked_output():
        try:
            with raise_on_termination():  # by default SIGTERM and SIGHUP end a process at once, and temporary files stay
                return run_and_report_errors(lambda: _run(arguments))
        except KeyboardInterrupt as interrupt:
            sys.stderr.write("interrupted\n")
            return exit_code_of_interrupt(interrupt)


@contextmanager
def _rare_garbage_collection() -> Iterator[None]:
    """Look for reference cycles less often: by default, Python searches all objects several times while it imports."""
    objects, *others = gc.get_threshold()
    gc.set_threshold(max(objects, OBJECTS_BETWEEN_COLLECTIONS) if objects else 0, *others)  # 0: the user turned it off
    try:
        yield
    finally:
        gc.set_threshold(objects, *others)


@contextmanager
def _sleeping_threads() -> Iterator[None]:
    """Let idle threads of NumPy's matrix library sleep at once, unless the user has chosen a time.

    By default they wait in a loop, which costs a short command a fifth of its CPU time. NumPy reads the variable when it is
    imported, so it must not be imported before.
    """
    if WAITING_TIME in os.environ:
        yield
        return
    os.environ[WAITING_TIME] = SHORTEST_WAITING_TIME
    try:
        yield
    finally:
        os.environ.pop(WAITING_TIME, None)


def _has_written_version() -> bool:
    """Write the version. False if that fails, so that the error is reported as for any command."""
    from assay._version import __version__

    try:
        usual = sys.__stdout__
        if usual is not None and sys.stdout is usual:  # past its buffer, which would keep what cannot be written
            usual.flush()
            os.write(usual.fileno(), f"assay {__version__}{os.linesep}".encode())
        else:
            sys.stdout.write(f"assay {__version__}\n")
    except (AttributeError, OSError, ValueError):  # there is no output, its reader is gone, or it is closed
        return False
    return True


def _run(arguments: list[str]) -> int:
    from assay.cli.program import run_program

    return run_program(arguments)
