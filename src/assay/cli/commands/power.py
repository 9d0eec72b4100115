"""assay power: how small a difference the queries can detect, and how many queries a difference needs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.cli.inputs import InputRules, add_input_arguments, parse_inputs
from assay.cli.loading import load_results
from assay.cli.output_options import TEXT_ENDINGS, TEXT_FORMATS, add_output_arguments, check_output, write_and_print
from assay.cli.program import Command, Group
from assay.cli.scoring_options import INTERSECT_HELP, integer_parser
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.reports import PowerStudy

EXAMPLES = """\
  assay power result_a.json result_b.json -m ndcg@10
  assay power qrels.txt bm25.run dense.run -m ndcg@10 --effect 0.01
  assay power qrels.txt bm25.run dense.run -m map --power 0.9 -f json"""
RULES = InputRules(metrics="metrics to analyse (default: the first that both systems have)", least=2, most=2)
MAX_SEED = 1_000_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two systems, and the difference to detect."""
    add_input_arguments(parser, RULES)
    group = parser.add_argument_group("power")
    group.add_argument(
        "--effect", type=float, metavar="D", help="difference to detect (default: the observed difference, and 0.01)"
    )
    group.add_argument(
        "--power",
        type=float,
        default=0.8,
        metavar="CHANCE",
        help="probability of detecting the difference (default: 0.8)",
    )
    group.add_argument(
        "--alpha",
        type=float,
        default=0.05,
        metavar="ALPHA",
        help="largest p that counts as significant (default: 0.05)",
    )
    group.add_argument(
        "--seed",
        type=integer_parser(MAX_SEED),
        default=0,
        metavar="SEED",
        help="random seed for the simulation (default: 0)",
    )
    group.add_argument("--intersect", action="store_true", help=INTERSECT_HELP)
    add_output_arguments(parser, TEXT_FORMATS, endings=TEXT_ENDINGS, choices=TEXT_FORMATS)


def run_power(options: argparse.Namespace) -> int:
    """Print the power for the requested metrics, else for the first metric that both systems share."""
    from assay.reports import power_to_json, render_power

    check_output(options.output, TEXT_ENDINGS, options.file_format)
    inputs = parse_inputs(options, RULES)
    studies = [study for group in load_results(options, inputs).groups for study in _studies(options, group)]
    write_and_print(options, lambda form, style: power_to_json(studies) if form == "json" else render_power(studies, style))
    return 0


def _studies(options: argparse.Namespace, group: Sequence[Result]) -> list[PowerStudy]:
    """One study for each metric."""
    from assay.comparison import Comparison, ComparisonOptions, align
    from assay.reports import PowerOptions, study_power

    if len(group) != 2:
        names = ", ".join(result.name for result in group)
        raise UsageError(f"expected two systems, found {len(group)}: {names}. Choose two, as in file.json#provider")
    comparison = Comparison(align(group, options.metrics, intersect=options.intersect), ComparisonOptions(), ())
    metrics = comparison.metrics if options.metrics else comparison.metrics[:1]
    asked = PowerOptions(options.effect, options.power, options.alpha, options.seed)
    return [study_power(comparison, metric.name, asked) for metric in metrics]


COMMAND = Command(
    "power",
    "show how small a difference the queries can detect",
    add_arguments,
    run_power,
    EXAMPLES,
    computes=True,
    group=Group.COMPARE,
)
