"""assay help and assay version: the same as --help and --version, written as words."""

from __future__ import annotations

import argparse

from assay.cli.program import Command, run_program

EXAMPLES = """\
  assay help
  assay help score"""


def add_help_arguments(parser: argparse.ArgumentParser) -> None:
    """The command to explain, if any."""
    parser.add_argument("command", nargs="?", metavar="COMMAND", help="command to explain (default: list all commands)")


def run_help(options: argparse.Namespace) -> int:
    """Print the help of one command, or the list of all commands."""
    return run_program([options.command, "--help"] if options.command else ["--help"])


def run_version(_: argparse.Namespace) -> int:
    """Print the version."""
    return run_program(["--version"])


HELP = Command("help", "explain a command, or list all commands", add_help_arguments, run_help, EXAMPLES)
VERSION = Command("version", "print the version", lambda _: None, run_version)
