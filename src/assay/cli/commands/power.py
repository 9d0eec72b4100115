"""assay power: how small a difference these queries can find, and how many queries a difference needs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.cli.inputs import InputRules, add_input_arguments, parse_inputs
from assay.cli.loading import load_results
from assay.cli.output_options import TEXT_ENDINGS, TEXT_FORMATS, add_output_arguments, check_output, write_and_print
from assay.cli.program import Command
from assay.cli.scoring_options import integer_parser
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.reports import PowerStudy

EXAMPLES = """\
  assay power result_a.json result_b.json -m ndcg@10
  assay power qrels.txt bm25.run dense.run -m ndcg@10 --effect 0.01
  assay power qrels.txt bm25.run dense.run -m map --power 0.9 -f json"""
RULES = InputRules(metrics="what the difference is in (default: the first they share)", least=2, most=2)
MAX_SEED = 1_000_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two systems, and what shall be found."""
    add_input_arguments(parser, RULES)
    group = parser.add_argument_group("power")
    group.add_argument(
        "--effect", type=float, metavar="D", help="the difference to be found (default: the one seen, and 0.01)"
    )
    group.add_argument("--power", type=float, default=0.8, metavar="CHANCE", help="the chance to find it (default: 0.8)")
    group.add_argument("--alpha", type=float, default=0.05, metavar="ALPHA", help="a p up to this counts (default: 0.05)")
    group.add_argument(
        "--seed", type=integer_parser(MAX_SEED), default=0, metavar="SEED", help="of the simulation (default: 0)"
    )
    group.add_argument(
        "--intersect", action="store_true", help="take what both share where queries, data or policies differ"
    )
    add_output_arguments(parser, TEXT_FORMATS, endings=TEXT_ENDINGS, choices=TEXT_FORMATS)


def run_power(options: argparse.Namespace) -> int:
    """Two systems; the metrics asked for, else the first they share."""
    from assay.reports import power_to_json, render_power

    check_output(options.output, TEXT_ENDINGS, options.file_format)
    inputs = parse_inputs(options, RULES)
    studies = [study for group in load_results(options, inputs).groups for study in _studies(options, group)]
    write_and_print(options, lambda form, style: power_to_json(studies) if form == "json" else render_power(studies, style))
    return 0


def _studies(options: argparse.Namespace, group: Sequence[Result]) -> list[PowerStudy]:
    """One for each metric asked for."""
    from assay.comparison import Comparison, ComparisonOptions, align
    from assay.reports import PowerOptions, study_power

    if len(group) != 2:
        names = ", ".join(result.name for result in group)
        raise UsageError(f"power is about two systems, and here are {len(group)}: {names}")
    comparison = Comparison(align(group, options.metrics, intersect=options.intersect), ComparisonOptions(), ())
    metrics = comparison.metrics if options.metrics else comparison.metrics[:1]
    asked = PowerOptions(options.effect, options.power, options.alpha, options.seed)
    return [study_power(comparison, metric.name, asked) for metric in metrics]


COMMAND = Command(
    "power",
    "say what difference these queries can find",
    add_arguments,
    run_power,
    EXAMPLES,
    computes=True,
)
