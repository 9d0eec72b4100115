"""assay log: metrics of what users did with search results, a check of the log, and judgments from clicks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from assay.cli.output_options import FORMATS, add_by_argument, add_output_arguments, check_by, check_output, write_output
from assay.cli.program import Command, Group
from assay.cli.scoring_options import INTERVAL_METHODS, LEVEL_HELP, MAX_SEED, integer_parser, parse_digits, parse_level
from assay.cli.terminal import terminal_width, use_colour
from assay.errors import UnknownName, UsageError, near_matches
from assay.grammar import WrittenName

EXAMPLES = """\
  assay log score logs.parquet
  assay log score logs.jsonl -m ctr@10 abandonment --by variant day
  assay log score ubi_queries.jsonl ubi_events.jsonl
  assay log score logs.csv --columns rank=slot,clicked=hit -o log.json && assay gate log.json --rules rules.yaml"""
ACTIONS = ("score", "check", "judgments")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, the files, and the options of each action."""
    parser.add_argument("action", metavar="|".join(ACTIONS), help="score: metrics with intervals")
    parser.add_argument(
        "files",
        nargs="*",
        metavar="file",
        help="Parquet, JSON lines or CSV, with a row for each shown document or for each search; several files are parts of "
        "one log, or the two tables of OpenSearch's UBI",
    )
    read = parser.add_argument_group("reading")
    read.add_argument(
        "--columns",
        metavar="ROLE=NAME,…",
        help="names of columns that are not recognised, such as rank=slot,clicked=hit; assay datasets formats lists the roles",
    )
    read.add_argument(
        "--first-rank",
        type=int,
        choices=(0, 1),
        default=1,
        metavar="RANK",
        help="the first rank of the log, 0 or 1 (default: 1)",
    )
    score = parser.add_argument_group("score")
    score.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        type=WrittenName,
        metavar="METRIC",
        help="metrics, such as ctr@10 satisfied_click@5 (default: all for which the log has data)",
    )
    add_by_argument(score)
    score.add_argument(
        "--ci",
        nargs="?",
        const="auto",
        default="auto",
        choices=INTERVAL_METHODS,
        metavar="METHOD",
        help="method of the confidence intervals, which are about users: auto, bootstrap, bca, t or none (default: auto)",
    )
    score.add_argument("--level", type=parse_level, default=0.95, metavar="LEVEL", help=LEVEL_HELP)
    score.add_argument(
        "--ci-seed",
        type=integer_parser(MAX_SEED),
        default=0,
        metavar="SEED",
        help="random seed for bootstrap intervals (default: 0)",
    )
    score.add_argument("--name", metavar="NAME", help="name of the result (default: the name of the file)")
    show = add_output_arguments(parser, FORMATS, choices=FORMATS)
    show.add_argument("--digits", type=parse_digits, metavar="N", help="number of decimals (default: 3; csv and json: all)")


def run_log(options: argparse.Namespace) -> int:
    """Run the action."""
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UnknownName("action", options.action, near, f"choose from {', '.join(ACTIONS)}")
    if not options.files:
        raise UsageError(f"assay log {options.action} needs a file, such as: assay log {options.action} logs.parquet")
    return {"score": _score}[options.action](options)


def _source(options: argparse.Namespace) -> str | Sequence[str]:
    """The log: one file, or a list of its parts."""
    return options.files[0] if len(options.files) == 1 else list(options.files)


def _score(options: argparse.Namespace) -> int:
    """Names are checked before any file is read; nothing is printed unless everything worked."""
    from assay.comparison import slice_results
    from assay.evaluation import with_intervals
    from assay.logs import parse_log_metrics, score_log
    from assay.reports import Report, render_log

    check_by(options)
    metrics = parse_log_metrics(options.metrics)
    check_output(options.output, form=options.file_format)
    scored = score_log(_source(options), metrics, options.by or (), options.name or "", options.first_rank)
    result = with_intervals(scored, options.ci, options.level, options.ci_seed)
    trust = {"interval": options.ci, "level": options.level, "seed": options.ci_seed}
    slices = slice_results([result], options.by, **trust) if options.by else ()
    report = Report([result], digits=options.digits, width=terminal_width(), colour=use_colour())
    write_output(options, lambda form: render_log(replace(report, width=None, colour=False), form, slices))
    sys.stdout.write(render_log(report, options.format, slices))
    return 0


COMMAND = Command(
    "log",
    "score what users did with search results, check a log, or make judgments from clicks",
    add_arguments,
    run_log,
    EXAMPLES,
    computes=True,
    group=Group.SCORE,
)
