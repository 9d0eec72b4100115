"""The command line: one command per file. Only this package prints and exits."""

from __future__ import annotations

import os
import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments in (["--version"], ["-V"]):  # answered before anything heavy is imported
        return _print_version()
    try:
        from assay.cli._interrupts import until_terminated
        from assay.cli._program import run_program

        with until_terminated():  # by default SIGTERM ends a process at once, and temporary files stay
            return run_program(arguments)
    except KeyboardInterrupt as interrupt:
        sys.stderr.write("interrupted\n")
        return int(getattr(interrupt, "exit_code", 130))


def _print_version() -> int:
    from assay._version import __version__

    try:
        sys.stdout.write(f"assay {__version__}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        silence_output()
    return 0


def silence_output() -> None:
    """Nobody reads on: whatever is still to be written goes nowhere, without a complaint at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
