"""assay help, version and completion: the list of commands, the version, and a script that completes commands in a shell."""

from __future__ import annotations

import argparse
import sys

from assay.cli.program import Command, Group, build_parser, run_program

HELP_EXAMPLES = """\
  assay help
  assay help score"""
COMPLETION_EXAMPLES = """\
  eval "$(assay completion bash)"                                   # in ~/.bashrc
  eval "$(assay completion zsh)"                                    # in ~/.zshrc, after compinit
  assay completion fish > ~/.config/fish/completions/assay.fish"""
SHELLS = ("bash", "zsh", "fish")


def add_help_arguments(parser: argparse.ArgumentParser) -> None:
    """The command to explain, if any."""
    parser.add_argument("command", nargs="?", metavar="COMMAND", help="command to explain (default: list all commands)")


def run_help(options: argparse.Namespace) -> int:
    """Print the help of one command, or the list of all commands."""
    return run_program([options.command, "--help"] if options.command else ["--help"])


def run_version(_: argparse.Namespace) -> int:
    """Print the version."""
    return run_program(["--version"])


def add_completion_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="shell that you use: bash, zsh or fish")


def run_completion(options: argparse.Namespace) -> int:
    """Print the script. It includes the names of installed plug-ins."""
    from assay.cli.completion import SCRIPTS, command_words

    sys.stdout.write(SCRIPTS[options.shell](command_words(build_parser())))
    return 0


HELP = Command(
    "help", "explain a command, or list all commands", add_help_arguments, run_help, HELP_EXAMPLES, group=Group.START
)
VERSION = Command("version", "print the version", lambda _: None, run_version, group=Group.START)
COMPLETION = Command(
    "completion",
    "print a script that completes commands in a shell",
    add_completion_arguments,
    run_completion,
    COMPLETION_EXAMPLES,
    group=Group.START,
)
