"""Files of results: what systems are called after the files they come from, and files that a command writes too."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.errors import UsageError

FORMATS = ("table", "json", "csv", "markdown", "latex")
ENDINGS = ".json .csv .md .tex .txt"
STANDARD_INPUT = "-"


def add_output(group: argparse._ArgumentGroup) -> None:
    """The flag for files."""
    group.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help=f"a file too, its format by ending: {ENDINGS}; may be repeated",
    )


def check_output(paths: Sequence[str]) -> None:
    """Refuse files that could not be written, before anything is read."""
    from assay.reports._outputs import check_outputs

    if others := [path for path in paths if Path(path).suffix.lower() not in ENDINGS.split()]:
        raise UsageError(f"-o {others[0]}: the ending tells the format; there are {', '.join(ENDINGS.split())}")
    check_outputs(paths)


def write_output(paths: Sequence[str], render: Callable[[str], str]) -> None:
    """Write each file in the format of its ending, as `render` has it for that format."""
    from assay.datasets._write import new_file
    from assay.reports._outputs import ENDINGS as FORMS

    for path in map(Path, paths):
        with new_file(path) as file:
            file.write(render(FORMS[path.suffix.lower()]).encode("utf-8", "surrogatepass"))


def names_of(files: Sequence[str]) -> list[str]:
    """What the system of each file is called: short names where they tell the files apart, paths where not.

    A file that is given twice is refused: it would stand beside itself.
    """
    if twice := [file for file in files if files.count(file) > 1]:
        many = "standard input (-) can be read once only" if twice[0] == STANDARD_INPUT else f"{twice[0]} is given twice"
        raise UsageError(many)
    stems = ["<stdin>" if file == STANDARD_INPUT else Path(file).name.partition(".")[0] or file for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)
