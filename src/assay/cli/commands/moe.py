"""assay moe: how well queries are routed to experts, and what the retrieval gate saves."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.inputs import check_metrics_are_no_files
from assay.cli.output_options import (
    FORMATS,
    add_by_argument,
    add_format,
    add_output,
    check_output,
    system_names_of_files,
    write_output,
)
from assay.cli.program import Command
from assay.cli.scoring_options import INTERVAL_METHODS, MAX_SEED, integer_parser, parse_digits, parse_level
from assay.cli.terminal import terminal_width, use_colour
from assay.errors import UsageError
from assay.grammar import WrittenName

if TYPE_CHECKING:
    from assay.evaluation import Result

EXAMPLES = """\
  assay moe routes.jsonl
  assay moe routes.jsonl --by language optimal_expert
  assay moe old.csv new.csv -m routing_accuracy gate_efficiency
  assay moe routes.jsonl -o new.json && assay compare old.json new.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files of decisions, metrics, slices and output."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="routes",
        help="one record per query: query_id, route, optimal_expert, gated (skipped), needs_retrieval, cost, tags; "
        "JSON lines, JSON, CSV, TSV or Parquet; - is standard input",
    )
    parser.add_argument(
        "-m",
        "--metrics",
        type=WrittenName,
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="such as routing_accuracy@2 gate_efficiency (default: all that have something to say)",
    )
    add_by_argument(parser.add_argument_group("slices"))
    trust = parser.add_argument_group("trust")
    trust.add_argument(
        "--ci",
        nargs="?",
        const="auto",
        default="auto",
        choices=INTERVAL_METHODS,
        metavar="METHOD",
        help="intervals: auto, bootstrap, bca, t, wilson or none (default: auto)",
    )
    trust.add_argument("--level", type=parse_level, default=0.95, metavar="LEVEL", help="of the intervals (default: 0.95)")
    trust.add_argument(
        "--ci-seed", type=integer_parser(MAX_SEED), default=0, metavar="SEED", help="of the bootstrap (default: 0)"
    )
    _add_output_arguments(parser)


def _add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """What is shown, and where."""
    show = parser.add_argument_group("output")
    add_format(show, ", ".join(FORMATS), FORMATS)
    add_output(show)
    show.add_argument("-q", "--per-query", action="store_true", help="the scores of every query too")
    show.add_argument("--digits", type=parse_digits, metavar="N", help="decimals (default: 3; csv and json: all)")


def run_moe(options: argparse.Namespace) -> int:
    """Names are checked before any file is read; nothing is printed unless everything worked."""
    from assay.comparison import slice_results
    from assay.reports import Report, render_routing

    _check_options(options)
    results = _results(options)
    trust = {"interval": options.ci, "level": options.level, "seed": options.ci_seed}
    slices = slice_results(results, options.by, **trust) if options.by else ()
    report = Report(results, per_query=options.per_query, digits=options.digits, width=terminal_width(), colour=use_colour())
    write_output(options, lambda form: render_routing(replace(report, width=None, colour=False), form, slices))
    sys.stdout.write(render_routing(report, options.format, slices))
    return 0


def _check_options(options: argparse.Namespace) -> None:
    """Refuse what cannot be."""
    from assay.evaluation import parse_routing_metrics

    check_metrics_are_no_files(options, options.files)
    if not options.files:
        raise UsageError("say which routes to score: assay moe routes.jsonl")
    system_names_of_files(options.files)
    if files := [word for word in options.by or () if Path(word).is_file()]:
        raise UsageError(f"what follows --by is taken as a tag: {' '.join(files)}. Put files first")
    parse_routing_metrics(options.metrics)
    check_output(options.output, form=options.file_format)


def _results(options: argparse.Namespace) -> list[Result]:
    """One result per file, all with the same metrics, under names that tell them apart."""
    from assay.evaluation import evaluate_routing, with_intervals, with_the_same_metrics

    names = system_names_of_files(options.files)
    scored = [evaluate_routing(file, options.metrics, name=name) for file, name in zip(options.files, names, strict=True)]
    trust = (options.ci, options.level, options.ci_seed)
    return [with_intervals(result, *trust) for result in with_the_same_metrics(scored)]


COMMAND = Command(
    "moe",
    "score how queries are routed and when retrieval is skipped",
    add_arguments,
    run_moe,
    EXAMPLES,
    also_takes="files",
    computes=True,
)
