"""Files of results: what systems are called after the files they come from, and files that a command writes too."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._terminal import may_colour, terminal_width
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.reports import Style

FORMATS = ("table", "json", "csv", "markdown", "latex")
ENDINGS = ".json .csv .md .tex .txt"
OF_TEXT = ".json .txt"
"""Endings of commands that have a text and JSON, and no table."""
STANDARD_INPUT = "-"


class Format(argparse.Action):
    """`-f`: what is printed; and, where it was given, the format of files whose ending tells none (`file_format`)."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:  # noqa: ARG002 (as argparse calls it)
        """Keep it twice: the default of what is printed is no format of files."""
        namespace.format = namespace.file_format = values


def add_format(group: argparse._ActionsContainer, text: str, choices: Sequence[str] | None = None) -> None:
    """The flag for the format, `table` unless it is given."""
    group.add_argument("-f", "--format", action=Format, default="table", choices=choices, metavar="FORMAT", help=text)
    group.set_defaults(file_format="")


def add_output(group: argparse._ActionsContainer, endings: str = ENDINGS) -> None:
    """The flag for files; a command that has fewer formats names the endings it takes."""
    group.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help=f"a file too, its format by ending: {endings}; may be repeated",
    )


def check_output(paths: Sequence[str], endings: str = ENDINGS, form: str = "") -> None:
    """Refuse files that could not be written, before anything is read. Without any, nothing is imported for them."""
    if not paths:
        return
    from assay.reports import check_outputs, refuse_endings

    refuse_endings(paths, endings.split(), form)
    check_outputs(paths, form=form)


def forms_of(paths: Sequence[str], form: str = "") -> list[str]:
    """The format of each file, told by its ending; where it has none, the one that was given."""
    if not paths:
        return []
    from assay.reports import form_of

    return [form_of(Path(path), form) for path in paths]


def write_output(options: argparse.Namespace, render: Callable[[str], str]) -> None:
    """Write each file that was asked for in its format, as `render` has it for that."""
    from assay.atomic_write import atomic_write
    from assay.masking import mask

    for path, form in zip(options.output, forms_of(options.output, options.file_format), strict=True):
        with atomic_write(Path(path)) as file:
            file.write(mask(render(form)).encode("utf-8", "surrogatepass"))


def put_out(options: argparse.Namespace, render: Callable[[str, Style], str]) -> None:
    """Write the files that were asked for, then print; only what is printed is fitted to the terminal."""
    from assay.reports import Style

    write_output(options, lambda form: render(form, Style()))
    sys.stdout.write(render(options.format, Style(terminal_width(), may_colour())))


def names_of(files: Sequence[str]) -> list[str]:
    """What the system of each file is called: short names where they tell the files apart, paths where not.

    A file that is given twice is refused: it would stand beside itself.
    """
    if twice := [file for file in files if files.count(file) > 1]:
        many = "standard input (-) can be read once only" if twice[0] == STANDARD_INPUT else f"{twice[0]} is given twice"
        raise UsageError(many)
    stems = ["<stdin>" if file == STANDARD_INPUT else Path(file).name.partition(".")[0] or file for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)
