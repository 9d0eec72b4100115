"""assay metrics: every metric, or one of them in full."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from assay.cli._command import Command
from assay.cli._terminal import terminal_width

EXAMPLES = """\
  assay metrics
  assay metrics ndcg
  assay metrics rag"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A metric or group to explain, or none for the list."""
    parser.add_argument("metric", nargs="?", help="any spelling of a metric, or a group; without it all are listed")
    parser.add_argument("-f", "--format", default="text", choices=("text", "json"), metavar="FORMAT", help="text or json")


def run_metrics(options: argparse.Namespace) -> int:
    """List or explain."""
    answer = _as_data(options.metric) if options.format == "json" else _as_text(options.metric)
    sys.stdout.write(f"{answer}\n")
    return 0


def _as_data(name: str | None) -> str:
    from assay.metrics._describe import describe
    from assay.metrics._groups import GROUPS
    from assay.metrics._parse import parse_name
    from assay.metrics._registry import all_metrics

    content: Any
    if name in GROUPS:
        content = list(GROUPS[name])
    else:
        content = describe(parse_name(name)) if name else [describe(metric) for metric in all_metrics().values()]
    return json.dumps(content, ensure_ascii=False, indent=2)


def _as_text(name: str | None) -> str:
    from assay.metrics._describe import explain, explain_group, list_all
    from assay.metrics._groups import GROUPS
    from assay.metrics._parse import parse_name

    width = terminal_width()
    if name in GROUPS:
        return explain_group(name, width)
    return explain(parse_name(name), width) if name else list_all(width)


COMMAND = Command("metrics", "list every metric, or explain one", add_arguments, run_metrics, EXAMPLES)
