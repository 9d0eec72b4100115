"""assay show: print a stored evaluation, or one of its queries."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output_options import (
    ENDINGS,
    TEXT_ENDINGS,
    add_by_argument,
    add_format,
    add_output,
    add_store_argument,
    check_output,
    open_store,
    write_and_print,
)
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser
from assay.cli.terminal import write_notes
from assay.errors import UsageError
from assay.serialize import dumps

if TYPE_CHECKING:
    from assay.execution import Statistics
    from assay.reports import Style
    from assay.store import StoredEvaluation

EXAMPLES = """\
  assay show latest
  assay show main --query q17
  assay show 2026-11-15-rag-template-7f3a#bm25 -f json"""
FORMATS = ("table", "csv", "json", "latex", "markdown", "trec")
DEFAULT_TOP = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The evaluation, and which part of it."""
    parser.add_argument(
        "reference",
        nargs="?",
        default="latest",
        metavar="REFERENCE",
        help="evaluation to show: latest (default), latest~1, an id, the beginning or end of an id, or a baseline; add "
        "#benchmark/provider for one result",
    )
    parser.add_argument("more", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--query", metavar="ID", help="show one query: its text, its rankings with grades, and its scores")
    parser.add_argument(
        "--top",
        type=integer_parser(10**9),
        default=DEFAULT_TOP,
        metavar="N",
        help="with --query, number of ranks to show; 0 shows all (default: 10)",
    )
    add_by_argument(parser.add_argument_group("slices"))
    add_format(parser, "output format: table, json, csv, markdown, latex or trec (default: table)", FORMATS)
    add_output(parser)
    add_store_argument(parser)


def run_show(options: argparse.Namespace) -> int:
    """Read the evaluation and print it."""
    _check_one_reference(options)
    _check_is_no_file(options.reference)
    if options.query is not None and options.format not in ("table", "json"):
        raise UsageError(f"--query needs the format table or json, not {options.format}")
    check_output(options.output, ENDINGS if options.query is None else TEXT_ENDINGS, options.file_format)
    with open_store(options) as store:
        evaluation = store.find(options.reference)
        newer = store.judgments.newer_notes(result.benchmark for result in evaluation.results)
    render = _evaluation if options.query is None else _query
    write_and_print(options, lambda form, style: render(evaluation, options, form, style))
    write_notes(options, *(f"note: {note}" for note in newer))
    return 0


def _check_one_reference(options: argparse.Namespace) -> None:
    """Refuse a second word: it may be a query, which needs --query."""
    if options.more:
        command = shlex.join(["assay", "show", options.reference, "--query", options.more[0]])
        raise UsageError(f"expected one evaluation, but {options.more[0]!r} is given as well. To show one query: {command}")


def _check_is_no_file(reference: str) -> None:
    """Refuse a saved result, because it is not in the store."""
    from assay.store import looks_like_file

    name = reference.partition("#")[0]
    if looks_like_file(name) and Path(name).is_file():
        command = shlex.join(["assay", "report", name, "-o", "report.html"])
        raise UsageError(f"{name} is a file, but show needs a stored evaluation such as latest. For a file: {command}")


def _query(evaluation: StoredEvaluation, options: argparse.Namespace, form: str, style: Style) -> str:
    from assay.reports import query_sections, query_to_dict, render_sections

    plain = query_to_dict(evaluation, options.query)
    if form == "json":
        return dumps(plain, indent=2) + "\n"
    return render_sections(query_sections(plain, options.top), style=style)


def _evaluation(evaluation: StoredEvaluation, options: argparse.Namespace, form: str, style: Style) -> str:
    from assay.reports import EvaluationDisplay, about_section, provenance_section, render_evaluation, render_sections

    by = options.by or evaluation.plan.get("by") or ()
    layout = EvaluationDisplay(width=style.width, colour=style.colour, statistics=_statistics(evaluation), by=by)
    table = render_evaluation(evaluation.results, form, layout)
    if form != "table":
        return table
    about, origin = (render_sections([make(evaluation)], style=style) for make in (about_section, provenance_section))
    return "\n".join([about, table, *([origin] if origin.strip() else [])])


def _statistics(evaluation: StoredEvaluation) -> Statistics:
    """The intervals and tests of the plan, else the defaults."""
    from assay.execution import Statistics

    statistics = evaluation.plan.get("statistics")
    return (
        Statistics(**statistics)
        if isinstance(statistics, dict) and statistics.keys() == Statistics().__dict__.keys()
        else Statistics()
    )


COMMAND = Command(
    "show", "show a stored evaluation, or one query of it", add_arguments, run_show, EXAMPLES, group=Group.SHOW
)
