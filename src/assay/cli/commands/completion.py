"""assay completion: a script that lets the shell complete commands, options and names."""

from __future__ import annotations

import argparse
import sys

from assay.cli.program import Command

EXAMPLES = """\
  eval "$(assay completion bash)"                                   # in ~/.bashrc
  eval "$(assay completion zsh)"                                    # in ~/.zshrc, after compinit
  assay completion fish > ~/.config/fish/completions/assay.fish"""
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The shell."""
    parser.add_argument("shell", choices=SHELLS, metavar="bash|zsh|fish", help="shell in which you use assay")


def run_completion(options: argparse.Namespace) -> int:
    """Print the script. It includes the names of installed plug-ins."""
    from assay.cli.completion import SCRIPTS, command_words
    from assay.cli.program import build_parser

    sys.stdout.write(SCRIPTS[options.shell](command_words(build_parser())))
    return 0


COMMAND = Command("completion", "print a script that completes commands in a shell", add_arguments, run_completion, EXAMPLES)
