"""assay chunkers: list chunkers, or explain one."""

from __future__ import annotations

import argparse
import inspect
import sys
from typing import TYPE_CHECKING, Any

from assay.cli.program import Command
from assay.cli.streams import write_json
from assay.cli.terminal import terminal_width, use_colour

if TYPE_CHECKING:
    from assay.chunkers import Chunker
    from assay.reports import Style

EXAMPLES = """\
  assay chunkers
  assay chunkers syntax_tree
  assay chunkers -f json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A chunker to explain, or none for the list."""
    parser.add_argument("chunker", nargs="?", help="one to explain; without it all are listed")
    parser.add_argument("-f", "--format", default="text", choices=("text", "json"), metavar="FORMAT", help="text or json")


def run_chunkers(options: argparse.Namespace) -> int:
    """List or explain."""
    from assay.chunkers import all_chunkers, find_chunker
    from assay.reports import Style

    chosen = find_chunker(options.chunker.partition("(")[0]) if options.chunker else None
    if options.format == "json":
        content: Any = _describe(chosen) if chosen else [_describe(chunker) for chunker in all_chunkers().values()]
        write_json(content)
        return 0
    style = Style(terminal_width(), use_colour())
    sys.stdout.write(_render_chunker(chosen, style) if chosen else _render_list(all_chunkers().values(), style))
    return 0


def _describe(chunker: Chunker) -> dict[str, Any]:
    """Plain JSON values."""
    return {
        "name": chunker.name,
        "meaning": chunker.meaning,
        "edge_cases": _edge_cases(chunker),
        "parameters": [{"name": param.name, "default": param.default, "meaning": param.meaning} for param in chunker.params],
    }


def _edge_cases(chunker: Chunker) -> str:
    """What happens where the meaning alone does not say: the docstring of its function."""
    return " ".join((inspect.getdoc(chunker.split) or "").split())


def _render_list(chunkers: Any, style: Style) -> str:
    from assay.reports import Cell, Table, with_prose

    rows = [[Cell(chunker.name), Cell(chunker.meaning)] for chunker in chunkers]
    return with_prose(Table(["chunker", "what it makes chunks of"], rows, frozenset({0, 1})), style) + "\n"


def _render_chunker(chunker: Chunker, style: Style) -> str:
    from assay.chunkers import written_value
    from assay.reports import Cell, Table, with_prose

    rows = [[Cell(param.name), Cell(written_value(param.default)), Cell(param.meaning)] for param in chunker.params]
    parts = [
        style.wrapped(f"{chunker.name}: {chunker.meaning}"),
        style.wrapped(_edge_cases(chunker)),
        with_prose(Table(["parameter", "default", "meaning"], rows, frozenset({0, 1, 2})), style),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


COMMAND = Command("chunkers", "list or explain chunkers", add_arguments, run_chunkers, EXAMPLES)
