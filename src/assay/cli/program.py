"""The program: what a command is, the parser with all commands, and running one of them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

from assay.cli.command_list import list_commands
from assay.cli.exit_codes import exit_codes_text
from assay.cli.plain_help import PlainHelpFormatter
from assay.cli.reading_options import as_options_say, check_lenient, check_reading
from assay.cli.terminal import add_verbose, log_duration, register_ascii_replacements, use_colour
from assay.errors import UnknownName, UsageError, near_matches
from assay.plug_ins import plug_in_points

MIN_FLAG_SIMILARITY = 0.75
"""How similar an unknown flag must be to a known one to be suggested. With less, --store would be a typo of --sort."""
ABOUT = "Measure how well a search or RAG system retrieves, and test whether a change made it better."
FIRST_STEPS = f"""\
{ABOUT}

First steps:
  assay init                                              write a plan, gate rules and a CI workflow for your data
  assay score qrels.txt run.txt -m ndcg@10                score a run file against judgments
  assay compare qrels.txt old.run new.run -m ndcg@10      test whether two runs differ
  assay eval --benchmarks rag-template --providers bm25   run a retriever on a benchmark and score it

assay help lists all commands. assay help score explains one of them.
"""
KINDS = {"COMMAND": "command", "FORMAT": "format", "SHELL": "shell"}
"""The metavar of an argument → what an unknown value of it is called in an error."""


class Group(StrEnum):
    """The headings under which help lists the commands, in this order."""

    START = "set up"
    SCORE = "score"
    COMPARE = "compare"
    SHOW = "show results"
    FOLLOW = "follow results over time"
    DATA = "data"
    LOOK_UP = "look up"


def run_program(arguments: list[str]) -> int:
    """Parse and run."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors=register_ascii_replacements())  # spell out characters that the terminal cannot show
    if not arguments:
        sys.stdout.write(FIRST_STEPS)
        return 0
    parser = build_parser(*arguments[:1])
    try:
        options, left_over = parser.parse_known_args(arguments)
    except SystemExit as stop:  # --help and --version have printed and are done
        return int(stop.code or 0)
    check_lenient(arguments)
    if left_over and (not options.also_takes or any(word.startswith("-") and word != "-" for word in left_over)):
        what = _describe_unrecognized(left_over, options.flags, options.other_flags)
        raise UsageError(f"{what}\n{usage_hint(options.prog)}")
    if left_over:
        getattr(options, options.also_takes).extend(left_over)
    options.typed = arguments
    with log_duration(options, "total"), as_options_say(options) as reading:
        code: int = options.run(options)
    if reading is not None and not code:
        check_reading(reading)
    return code


def _describe_unrecognized(words: list[str], flags: Sequence[str], other_flags: Mapping[str, str]) -> str:
    """What was not understood, without secrets, and which flags of the command may have been meant."""
    import difflib
    import shlex

    from assay.providers import command_line, mask_setting

    typed = [word.partition("=")[0] for word in words if word.startswith("--")]
    names = [flag.lstrip("-") for flag in flags]
    advice = dict.fromkeys(other_flags[word] for word in typed if word in other_flags)
    unknown = (word.lstrip("-").lower() for word in typed if word not in other_flags)
    alike = (difflib.get_close_matches(word, names, n=1, cutoff=MIN_FLAG_SIMILARITY) for word in unknown)
    near = dict.fromkeys(f"--{name}" for matches in alike for name in matches)
    question = f". Did you mean {' and '.join(near)}?" if near else ""
    what = f"unrecognized argument{'s' * (len(words) > 1)}: {command_line(shlex.join(words), mask_setting)}{question}"
    return (" " if near else ". ").join([what, *advice])


FOLDER = "assay.cli.commands"
PLUG_INS = "assay.cli"
HELP_FLAGS = ("-h", "--help")


@cache
def _all_commands() -> Mapping[str, Command]:
    from assay.catalog import load_entries

    return load_entries(FOLDER, Command, PLUG_INS)


def _commands(name: str) -> Iterable[Command]:
    """The named command, otherwise all commands. A command in a file of its name is loaded alone, which is faster."""
    if name.isidentifier() and find_spec(f"{FOLDER}.{name}") is not None:
        entries = vars(import_module(f"{FOLDER}.{name}")).values()
        if own := [entry for entry in entries if isinstance(entry, Command) and entry.name == name]:
            return own
    known = _all_commands()
    return [known[name]] if name in known else known.values()


def build_parser(name: str = "") -> Parser:
    """The parser with every command; with one command alone if it is named, because that is faster.

    For a flag of help, the parser has the names of all commands and none of their options.
    """
    from assay._version import __version__

    parser = ProgramParser(
        prog="assay",
        description=ABOUT,
        epilog=exit_codes_text(),
        formatter_class=_help_formatter,
    )
    parser.add_argument("-V", "--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="assay", parser_class=Parser)
    listed = list_commands(FOLDER) if name in HELP_FLAGS and not plug_in_points(PLUG_INS) else []
    for line in listed:
        commands.add_parser(line.name, help=line.help, add_help=False)
        parser.groups[line.name] = Group[line.group]
    for command in () if listed else _commands(name):
        _add_command(commands, command)
        parser.groups[command.name] = command.group
    parser.set_defaults(prog=parser.prog, also_takes="", other_flags={}, flags=["--help", "--version"])
    return parser


def _add_command(commands: argparse._SubParsersAction[Parser], command: Command) -> None:
    sub = commands.add_parser(
        command.name,
        help=command.help,
        description=command.help[0].upper() + command.help[1:] + ".",
        epilog=command.examples and f"examples:\n{command.examples}",
        formatter_class=_help_formatter,
    )
    sub.set_defaults(run=command.run, prog=sub.prog, also_takes=command.also_takes, other_flags=command.other_flags)
    command.arguments(sub)
    if command.computes:
        add_verbose(sub)
    actions = sub._option_string_actions.items()
    flags = [flag for flag, action in actions if flag.startswith("--") and action.help != argparse.SUPPRESS]
    sub.set_defaults(flags=flags)


def _help_formatter(prog: str) -> argparse.HelpFormatter:
    """The layout of help: with colours on a terminal, where a package is imported for them; the same text elsewhere."""
    if not use_colour():
        return PlainHelpFormatter(prog)
    from rich_argparse import RawDescriptionRichHelpFormatter

    return RawDescriptionRichHelpFormatter(prog)


def usage_hint(program: str) -> str:
    """What to run after a mistake in the command line."""
    return f"Run {program} --help for usage."


@dataclass(frozen=True)
class Command:
    """One command: its name, what it does in one line, its arguments, the function that runs it, and its place in help."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: str = ""
    also_takes: str = ""
    """The option that gets the words left over: argparse loses files after a flag, as in `score q.txt --quiet r.txt`."""
    other_flags: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """Flag of other tools or commands → which flag of this command does the same."""
    computes: bool = False
    """Whether it has `-v`, which prints timings and choices."""
    group: Group = field(kw_only=True)


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of exiting, with a hint at --help. Flags cannot be abbreviated."""

    def __init__(self, *words: Any, **how: Any) -> None:
        super().__init__(*words, **{"allow_abbrev": False, **how})

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Report an unknown command, format or shell as any other unknown name."""
        known = tuple(map(str, action.choices or ()))
        kind = KINDS.get(str(action.metavar), "")
        hint = "assay help lists all commands" if kind == "command" else f"choose from {', '.join(known)}"
        if kind and known and value not in known:
            raise UnknownName(kind, value, near_matches(value, known), hint)
        if action.choices is not None and value not in action.choices:  # versions of argparse word it differently
            raise argparse.ArgumentError(action, f"invalid choice: {value!r} (choose from {', '.join(known)})")

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and how to get help."""
        raise UsageError(f"{message}\n{usage_hint(self.prog)}")


class ProgramParser(Parser):
    """The parser of the whole program. Its help lists the commands by group."""

    def __init__(self, *words: Any, **how: Any) -> None:
        super().__init__(*words, **how)
        self.groups: dict[str, Group] = {}
        """The group of each command."""

    def format_help(self) -> str:
        """Usage, commands by group, options, exit codes."""
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for group in Group:
            formatter.start_section(group)
            formatter.add_arguments(action for action in self._commands() if self.groups[action.dest] is group)
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments(action for action in self._actions if action.option_strings)
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def _commands(self) -> list[argparse.Action]:
        """One entry for each command, as argparse describes it."""
        parsers = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return [choice for action in parsers for choice in action._choices_actions]
