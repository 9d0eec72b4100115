"""assay metrics: list all metrics, explain one, or list those that answer a question."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from assay.cli.output_options import add_text_or_json
from assay.cli.program import Command, Group
from assay.cli.terminal import terminal_width
from assay.errors import UsageError
from assay.serialize import dumps
from assay.text import printable

EXAMPLES = """\
  assay metrics
  assay metrics ndcg
  assay metrics rag
  assay metrics --for 'single answer'"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A metric or group to explain, or none for the list."""
    parser.add_argument(
        "metric", nargs="?", help="metric or group to explain, in any spelling; without it, list all metrics"
    )
    parser.add_argument(
        "--for",
        dest="question",
        metavar="QUESTION",
        help="list the metrics for a question, given in words: single answer, everything, order, judgments, reranker …",
    )
    add_text_or_json(parser)


def run_metrics(options: argparse.Namespace) -> int:
    """List or explain."""
    is_data = options.format == "json"
    if options.question is not None:
        if options.metric is not None:
            raise UsageError(f"give either a metric to explain ({options.metric}) or a question (--for), not both")
        answer = _for_question(options.question, is_data)
    else:
        answer = _as_data(options.metric) if is_data else _as_text(options.metric)
    sys.stdout.write(f"{answer}\n")
    return 0


def _for_question(text: str, is_data: bool) -> str:
    """Typos are corrected, and a note says so, because the user may have meant something else."""
    from assay.metrics import describe_question, explain_question, find_questions, read_as

    questions, read = find_questions(text), read_as(text)
    if read != text:
        sys.stderr.write(f'note: "{printable(text)}" is read as "{printable(read)}"\n')
    if is_data:
        return dumps([describe_question(question) for question in questions], indent=2)
    return "\n\n".join(explain_question(question, terminal_width()) for question in questions)


def _as_data(name: str | None) -> str:
    from assay.metrics import GROUPS, all_metrics, describe, parse_name

    content: Any
    if name in GROUPS:
        content = list(GROUPS[name])
    else:
        content = describe(parse_name(name)) if name else [describe(metric) for metric in all_metrics().values()]
    return dumps(content, indent=2)


def _as_text(name: str | None) -> str:
    from assay.metrics import GROUPS, explain, explain_group, list_all, parse_name

    width = terminal_width()
    if name in GROUPS:
        return explain_group(name, width)
    return explain(parse_name(name), width) if name else list_all(width)


COMMAND = Command(
    "metrics",
    "list all metrics, explain one, or find the metrics for a question",
    add_arguments,
    run_metrics,
    EXAMPLES,
    group=Group.LOOK_UP,
)
