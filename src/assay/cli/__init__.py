"""The command line: one file in `commands` for each command. Only this package and `web` print and exit."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    from assay.cli.exit_codes import exit_code_of_interrupt, raise_on_termination, run_and_report_errors
    from assay.cli.streams import masked_output, standard_streams

    arguments = sys.argv[1:] if argv is None else argv
    with standard_streams(), masked_output():
        try:
            with raise_on_termination():  # by default SIGTERM and SIGHUP end a process at once, and temporary files stay
                return run_and_report_errors(lambda: _run(arguments))
        except KeyboardInterrupt as interrupt:
            sys.stderr.write("interrupted\n")
            return exit_code_of_interrupt(interrupt)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):  # before anything heavy is imported
        from assay._version import __version__

        sys.stdout.write(f"assay {__version__}\n")
        return 0
    from assay.cli.program import run_program

    return run_program(arguments)
