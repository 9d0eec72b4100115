"""assay metrics: every metric, or one of them in full."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from typing import Any

from assay.cli._command import Command

EXAMPLES = """\
  assay metrics
  assay metrics ndcg"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A metric to explain, or none for the list."""
    parser.add_argument("metric", nargs="?", help="any spelling of a metric; without it all are listed")
    parser.add_argument(
        "-f", "--format", default="text", choices=("text", "json"), metavar="FORMAT", help="text or json (default: text)"
    )


def run_metrics(options: argparse.Namespace) -> int:
    """List or explain."""
    from assay.metrics._describe import describe, describe_all, explain, explain_group
    from assay.metrics._groups import GROUPS
    from assay.metrics._parse import parse_name
    from assay.metrics._registry import all_metrics

    if options.metric in GROUPS:
        text = json.dumps(list(GROUPS[options.metric])) if options.format == "json" else explain_group(options.metric)
    elif options.metric:
        metric = parse_name(options.metric)
        text = json.dumps(describe(metric), ensure_ascii=False, indent=2) if options.format == "json" else explain(metric)
    elif options.format == "json":
        text = json.dumps([describe(metric) for metric in all_metrics().values()], ensure_ascii=False, indent=2)
    else:
        text = _listing(describe_all())
    sys.stdout.write(f"{text}\n")
    return 0


def _listing(rows: list[dict[str, Any]]) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from assay.metrics._groups import GROUPS

    watched = sys.stdout.isatty()
    width = os.get_terminal_size().columns if watched else 100_000
    console = Console(file=io.StringIO(), width=width, force_terminal=watched, no_color=not watched, highlight=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("metric", "parameters", "range", "meaning"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(Text(row[key]) for key in ("name", "parameters", "range", "meaning")))
    console.print(table)
    console.print(f"\nGroups: {', '.join(GROUPS)}. One in full: assay metrics ndcg", style="dim")
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in lines)


COMMAND = Command("metrics", "list every metric, or explain one", add_arguments, run_metrics, EXAMPLES)
