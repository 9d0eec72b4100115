"""The program: what a command is, the parser with all commands, and running one of them."""

from __future__ import annotations

import argparse
import difflib
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

from assay.catalog import load_entries
from assay.cli.exit_codes import exit_codes_text
from assay.cli.terminal import add_verbose, log_duration, register_ascii_replacements
from assay.errors import UnknownName, UsageError, near_matches

MIN_FLAG_SIMILARITY = 0.75
"""How much of a flag must be there for it to have been meant: with fewer letters than that, --store would be --sort."""


def run_program(arguments: list[str]) -> int:
    """Parse and run."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors=register_ascii_replacements())  # a letter the terminal lacks is written out, not a crash
    parser = build_parser(*arguments[:1])
    if not arguments:
        parser.print_help()
        return 0
    try:
        options, left_over = parser.parse_known_args(arguments)
    except SystemExit as stop:  # --help and --version have printed and are done
        return int(stop.code or 0)
    if left_over and (not options.also_takes or any(word.startswith("-") and word != "-" for word in left_over)):
        raise UsageError(
            f"{_describe_unrecognized(left_over, options.flags)}\n  {options.prog} --help shows how it is written"
        )
    if left_over:
        getattr(options, options.also_takes).extend(left_over)
    options.typed = arguments
    with log_duration(options, "all of it"):
        code: int = options.run(options)
    return code


def _describe_unrecognized(words: list[str], flags: Sequence[str]) -> str:
    """What was not understood, without secrets, and which flags of the command may have been meant."""
    from assay.providers import command_line, mask_setting

    typed = [word.partition("=")[0] for word in words if word.startswith("--")]
    names = [flag.lstrip("-") for flag in flags]
    alike = (difflib.get_close_matches(word.lstrip("-").lower(), names, n=1, cutoff=MIN_FLAG_SIMILARITY) for word in typed)
    near = dict.fromkeys(f"--{name}" for matches in alike for name in matches)
    question = f". Did you mean {' and '.join(near)}?" if near else ""
    return f"unrecognized: {command_line(shlex.join(words), mask_setting)}{question}"


@cache
def _all_commands() -> Mapping[str, Command]:
    return load_entries("assay.cli.commands", Command, "assay.cli")


def build_parser(name: str = "") -> Parser:
    """The parser with every command of the catalog; with one alone, which is soon built, where that is named."""
    from assay._version import __version__

    parser = Parser(
        prog="assay",
        description="How good is this retrieval, and did the last change make it better?",
        epilog=exit_codes_text(),
        formatter_class=_help_formatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="assay", parser_class=Parser)
    known = _all_commands()
    for command in [known[name]] if name in known else known.values():
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help[0].upper() + command.help[1:] + ".",
            epilog=command.examples and f"examples:\n{command.examples}",
            formatter_class=_help_formatter,
        )
        sub.set_defaults(run=command.run, prog=sub.prog, also_takes=command.also_takes)
        command.arguments(sub)
        if command.computes:
            add_verbose(sub)
        actions = sub._option_string_actions.items()
        flags = [flag for flag, action in actions if flag.startswith("--") and action.help != argparse.SUPPRESS]
        sub.set_defaults(flags=flags)
    parser.set_defaults(run=lambda _: _print_help(parser), prog=parser.prog, also_takes="", flags=["--help", "--version"])
    return parser


def _help_formatter(prog: str) -> argparse.HelpFormatter:
    """Colour and layout of help; imported only when somebody asks for help."""
    from rich_argparse import RawDescriptionRichHelpFormatter

    return RawDescriptionRichHelpFormatter(prog)


def _print_help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 0


@dataclass(frozen=True)
class Command:
    """One command: its name, what it does in one line, its arguments, and the function that runs it."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: str = ""
    also_takes: str = ""
    """The option that words left over go to: argparse loses files that follow a flag, as in `score q.txt --quiet r.txt`."""
    computes: bool = False
    """Whether it does something that takes time and choices, and so has `-v`, which tells of both."""


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of exiting, with the command to ask for help. Flags are written out in full."""

    def __init__(self, *words: Any, **how: Any) -> None:
        super().__init__(*words, **{"allow_abbrev": False, **how})

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """A command or a format that is not there is told as any other name that is not known."""
        known = tuple(map(str, action.choices or ()))
        kind, more = {"COMMAND": ("command", "; assay --help"), "FORMAT": ("format", "")}.get(str(action.metavar), ("", ""))
        if kind and known and value not in known:
            raise UnknownName(kind, value, near_matches(value, known), f"there are {', '.join(known)}{more}")
        super()._check_value(action, value)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to read on."""
        raise UsageError(f"{message}\n  {self.prog} --help shows how it is written")
