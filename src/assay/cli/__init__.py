"""The command line: one command per file. Only this package prints and exits."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments in (["--version"], ["-V"]):  # answered before anything heavy is imported
        from assay._version import __version__

        sys.stdout.write(f"assay {__version__}\n")
        return 0
    from assay.cli._program import run_program

    return run_program(arguments)
