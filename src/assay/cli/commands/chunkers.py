"""assay chunkers: list chunkers, or explain one."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from assay.cli.program import Command
from assay.cli.streams import write_json
from assay.cli.terminal import text_here

if TYPE_CHECKING:
    from assay.chunkers import Chunker
    from assay.reports import Section

EXAMPLES = """\
  assay chunkers
  assay chunkers syntax_tree
  assay chunkers -f json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A chunker to explain, or none for the list."""
    parser.add_argument("chunker", nargs="?", help="chunker to explain; without it, list all chunkers")
    parser.add_argument(
        "-f",
        "--format",
        default="text",
        choices=("text", "json"),
        metavar="FORMAT",
        help="output format: text or json (default: text)",
    )


def run_chunkers(options: argparse.Namespace) -> int:
    """List or explain."""
    from assay.chunkers import all_chunkers, find_chunker

    chosen = find_chunker(options.chunker.partition("(")[0]) if options.chunker else None
    if options.format == "json":
        content: Any = _describe(chosen) if chosen else [_describe(chunker) for chunker in all_chunkers().values()]
        write_json(content)
        return 0
    sys.stdout.write(text_here([_chunker_section(chosen) if chosen else _list_section(all_chunkers().values())]))
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
    """What happens in cases that the meaning does not cover: the docstring of its function."""
    return " ".join((inspect.getdoc(chunker.split) or "").split())


def _list_section(chunkers: Iterable[Chunker]) -> Section:
    from assay.reports import Table, cells, table_section, text_columns

    rows = tuple(cells(chunker.name, chunker.meaning) for chunker in chunkers)
    return table_section(Table(text_columns("chunker", "what a chunk is", prose=True), rows))


def _chunker_section(chunker: Chunker) -> Section:
    from assay.chunkers import written_value
    from assay.reports import Paragraph, Section, Table, cells, text_columns

    rows = tuple(cells(param.name, written_value(param.default), param.meaning) for param in chunker.params)
    params = Table(text_columns("parameter", "default", "meaning", prose=True), rows)
    return Section(parts=(Paragraph(f"{chunker.name}: {chunker.meaning}"), Paragraph(_edge_cases(chunker)), params))


COMMAND = Command("chunkers", "list or explain chunkers", add_arguments, run_chunkers, EXAMPLES)
