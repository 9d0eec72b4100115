"""assay power: how small a difference queries can detect, how many a difference needs, and how sensitive metrics are."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.inputs import InputRules, add_input_arguments, parse_inputs
from assay.cli.loading import load_results
from assay.cli.output_options import ENDINGS, FORMATS, add_output_arguments, check_output, write_and_print
from assay.cli.program import Command, Group
from assay.cli.scoring_options import INTERSECT_HELP, integer_parser, parse_number
from assay.cli.terminal import write_notes
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.comparison import Discriminations
    from assay.evaluation import Result
    from assay.reports import PowerStudy

EXAMPLES = """\
  assay power result_a.json result_b.json -m ndcg@10
  assay power qrels.txt bm25.run dense.run -m ndcg@10 --effect 0.01
  assay power --effect 0.05 --sd 0.28 --systems 5
  assay power --queries 48 --sd 0.28
  assay power qrels.txt bm25.run dense.run hybrid.run -m ndcg@10 map mrr -o asl.svg"""
RULES = InputRules(
    metrics="metrics to analyse (default: the first that both systems have; of three or more systems: all)", least=2
)
MAX_SEED = 1_000_000_000
MAX_QUERIES = 1_000_000_000
PICTURES = (".svg", ".png", ".pdf")
PLAN_FLAGS = {"sd": "--sd", "score_sd": "--score-sd", "systems": "--systems", "queries": "--queries"}
"""Options for a plan without runs."""
GUESS = (
    "These standard deviations are guesses, because --sd is not given: 0.15 is typical of similar systems, 0.35 of very "
    "different ones. To measure it: assay power qrels.txt a.run b.run"
)
NOTHING = (
    "expected judgments and at least two runs, or two results, or a plan without runs (--effect or --queries); found "
    "nothing. For example:\n"
    "  {prog} qrels.txt a.run b.run\n"
    "  {prog} --effect 0.05\n"
    "  {prog} --queries 48"
)
FROM_SCORES = (
    "sd is √2 times --score-sd, as if the scores of two systems were independent. Paired systems usually differ less."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The systems if there are any, the difference to detect, and the plan."""
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
        "--alpha", type=float, default=0.05, metavar="ALPHA", help="largest p that counts as significant (default: 0.05)"
    )
    seed_help = "random seed for the simulation (default: 0)"
    group.add_argument("--seed", type=integer_parser(MAX_SEED), default=0, metavar="SEED", help=seed_help)
    group.add_argument("--intersect", action="store_true", help=INTERSECT_HELP)
    group.add_argument(
        "--test",
        metavar="TEST",
        help="three or more systems: test that tells pairs apart (default: randomized_tukey_hsd)",
    )
    _add_plan_arguments(parser)
    add_output_arguments(
        parser,
        FORMATS,
        f"also write to this file, in the format of its extension: {ENDINGS}; of three or more systems, "
        f"{' '.join(PICTURES)} is a chart; may be repeated",
        choices=FORMATS,
    )


def _add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("plan without runs")
    group.add_argument(
        "--sd",
        type=parse_number,
        metavar="S",
        help="standard deviation of the difference of two systems on a query (default: 0.15, 0.25 and 0.35)",
    )
    group.add_argument(
        "--score-sd", type=parse_number, metavar="S", help="standard deviation of the scores of one system, instead of --sd"
    )
    group.add_argument(
        "--systems", type=integer_parser(1000, 2), metavar="M", help="number of systems to compare (default: 2)"
    )
    group.add_argument("--queries", type=integer_parser(MAX_QUERIES, 2), metavar="N", help="number of queries that you have")


def run_power(options: argparse.Namespace) -> int:
    """Print a plan without runs, the power of two systems, or the discriminative power of metrics on three or more."""
    texts = [path for path in options.output if not _is_picture(path)]
    check_output(texts, ENDINGS, options.file_format)
    flags = [flag for name, flag in PLAN_FLAGS.items() if getattr(options, name) is not None]
    if not options.files and not options.dataset and (flags or options.effect is not None):
        return _print_plan(options)
    if flags:
        raise UsageError(f"{' and '.join(flags)} is for a plan without runs. Leave it out, or leave out the files")
    if not options.files and not options.dataset:
        raise UsageError(NOTHING.format(prog=options.prog))
    groups = load_results(options, parse_inputs(options, RULES)).groups
    if any(len(group) > 2 for group in groups):
        return _print_discrimination(options, groups)
    return _print_studies(options, groups)


def _print_plan(options: argparse.Namespace) -> int:
    from assay.reports import QueryPlan, render_plan
    from assay.stats import USUAL_SPREADS, plan_queries

    _refuse_pictures(options)
    if options.sd is not None and options.score_sd is not None:
        raise UsageError("--sd and --score-sd are two ways to set the same value (sd = √2 · score-sd). Use one of them")
    if options.effect is None and options.queries is None:
        raise UsageError(f"a plan needs --effect D or --queries N: {options.prog} --effect 0.05 --sd 0.28")
    sd = math.sqrt(2) * options.score_sd if options.score_sd is not None else options.sd
    spreads = USUAL_SPREADS if sd is None else (sd,)
    more = {"queries": options.queries, "systems": options.systems or 2, "power": options.power, "alpha": options.alpha}
    designs = tuple(design for spread in spreads for design in plan_queries(options.effect, spread, **more))
    guess = GUESS if sd is None else FROM_SCORES if options.score_sd is not None else ""
    plan = QueryPlan(designs, options.power, options.alpha, guess)
    write_and_print(options, lambda form, style: render_plan(plan, form, style))
    _report_files(options)
    return 0


def _print_studies(options: argparse.Namespace, groups: Sequence[Sequence[Result]]) -> int:
    from assay.reports import render_power

    _refuse_pictures(options)
    if options.test:
        raise UsageError("--test is for three or more systems. The power of two systems is that of the paired t-test")
    studies = [study for group in groups for study in _studies(options, group)]
    write_and_print(options, lambda form, style: render_power(studies, form, style))
    _report_files(options)
    return 0


def _studies(options: argparse.Namespace, group: Sequence[Result]) -> list[PowerStudy]:
    """One study for each metric."""
    from assay.comparison import ComparisonOptions, align, compare_results
    from assay.reports import PowerOptions, study_power

    if len(group) != 2:
        names = ", ".join(result.name for result in group)
        raise UsageError(f"expected two or more systems, found {len(group)}: {names}")
    how = ComparisonOptions(alpha=options.alpha, seed=options.seed)
    chosen = PowerOptions(options.effect, options.power, options.alpha, options.seed)
    shared = align(group, options.metrics, intersect=options.intersect).metrics
    metrics = shared if options.metrics else shared[:1]
    comparisons = [compare_results(group, how, metrics=[metric], intersect=options.intersect) for metric in metrics]
    return [study_power(comparison, comparison.metrics[0].name, chosen) for comparison in comparisons]


def _print_discrimination(options: argparse.Namespace, groups: Sequence[Sequence[Result]]) -> int:
    """The metrics, the most sensitive first; and the curves of significance levels as a chart."""
    from assay.comparison import DISCRIMINATION_TEST, discriminative_power
    from assay.reports import render_discrimination

    if options.effect is not None:
        raise UsageError("--effect is for two systems. Leave it out, or choose two systems")
    pictures = [path for path in options.output if _is_picture(path)]
    if pictures and len(groups) > 1:
        raise UsageError(f"-o {pictures[0]}: the chart shows one benchmark, but the results are on {len(groups)}")
    measured = [
        discriminative_power(
            group,
            options.metrics or None,
            test=options.test or DISCRIMINATION_TEST,
            alpha=options.alpha,
            seed=options.seed,
            intersect=options.intersect,
        )
        for group in groups
    ]
    if pictures:
        _draw(measured[0], pictures)
    options.output, written = [path for path in options.output if path not in pictures], options.output
    write_and_print(options, lambda form, style: render_discrimination(measured, form, style))
    _report_files(options, written)
    return 0


def _report_files(options: argparse.Namespace, files: Sequence[str] | None = None) -> None:
    """Say which files were written: those of the options, or the given ones."""
    if written := options.output if files is None else files:
        write_notes(options, f"wrote {', '.join(written)}")


def _draw(measured: Discriminations, paths: Sequence[str]) -> None:
    from assay.atomic_write import atomic_write
    from assay.charts import draw_discriminations, render

    drawing = draw_discriminations(measured).finished()
    contents = [render(drawing, Path(path).suffix.lower().removeprefix(".")) for path in paths]
    for path, content in zip(paths, contents, strict=True):
        with atomic_write(Path(path), is_text=False) as file:
            file.write(content)


def _is_picture(path: str) -> bool:
    return Path(path).suffix.lower() in PICTURES


def _refuse_pictures(options: argparse.Namespace) -> None:
    if pictures := [path for path in options.output if _is_picture(path)]:
        raise UsageError(f"-o {pictures[0]}: a chart needs three or more systems. Other files can be {ENDINGS}")


COMMAND = Command(
    "power",
    "show how small a difference the queries can detect, or plan how many queries you need",
    add_arguments,
    run_power,
    EXAMPLES,
    computes=True,
    group=Group.COMPARE,
)
