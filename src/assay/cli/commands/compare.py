"""assay compare: which system is better, by how much, and how certain that is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.inputs import InputRules, Inputs, add_input_arguments, parse_inputs
from assay.cli.judging.layers import add_layer_arguments, check_layer, with_layer
from assay.cli.loading import load_results
from assay.cli.output_options import (
    FORMATS,
    add_output_arguments,
    add_slice_arguments,
    check_output,
    check_slices,
    slice_analyses,
    write_output,
)
from assay.cli.program import Command, Group
from assay.cli.scoring_options import (
    INTERSECT_HELP,
    add_cluster_argument,
    integer_parser,
    parse_digits,
    parse_level,
    parse_number,
)
from assay.cli.terminal import terminal_width, use_colour, write_notes
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.comparison import Comparison, ComparisonOptions
    from assay.evaluation import Result

MAX_SYSTEMS = 50
"""Systems of which every pair is tested; of more systems, the best ones."""
EXAMPLES = """\
  assay compare qrels.txt base=bm25.run dense.run -m ndcg@10 map
  assay compare qrels.txt bm25.run dense.run hybrid.run --baseline bm25 --worst 10
  assay compare before.json "after.json#rag-template/dense" -f markdown -o report.md
  assay compare before.json after.json --by language difficulty --slices
  assay compare before.csv after.csv
  assay compare latest --judgments people --pool pool.jsonl
  assay compare --dataset rag-template bm25.run dense.run --test wilcoxon --correction bh"""
RULES = InputRules(
    metrics="metrics to compare; the verdict is about the first one",
    least=2,
    keep_rankings=lambda options: bool(options.worst or options.best or options.agreement),
    looks_up_unjudged=True,
    takes_records=True,
)
MAX_RESAMPLES = 1_000_000
MAX_SEED = 1_000_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The systems, the comparison, and the output."""
    add_input_arguments(parser, RULES)
    add_cluster_argument(add_comparison_arguments(parser))
    add_slice_arguments(parser)
    add_layer_arguments(parser)
    show = add_output_arguments(parser, FORMATS, choices=FORMATS)
    show.add_argument(
        "--worst",
        type=integer_parser(MAX_RESAMPLES),
        default=0,
        metavar="N",
        help="show the N queries with the largest losses, with both rankings",
    )
    show.add_argument(
        "--best",
        type=integer_parser(MAX_RESAMPLES),
        default=0,
        metavar="N",
        help="show the N queries with the largest gains, with both rankings",
    )
    show.add_argument(
        "--residuals",
        action="store_true",
        help="show the lowest and highest possible difference if the unjudged documents were judged",
    )
    show.add_argument("--digits", type=parse_digits, metavar="N", help="number of decimals (default: 3; csv and json: all)")


def add_comparison_arguments(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """The choices of a comparison, which a report has too. Returns their group."""
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--baseline", metavar="NAME", help="compare all other systems with this one (default: compare every pair)"
    )
    group.add_argument(
        "--test",
        metavar="TEST",
        help="significance test: randomization, paired_t, wilcoxon, sign, bootstrap, bayesian, "
        "non_inferiority(margin=0.01) or equivalence; for many systems: tukey_hsd, randomized_tukey_hsd, friedman or anova "
        "(default: randomization)",
    )
    group.add_argument(
        "--correction",
        metavar="NAME",
        help="correction of p for many comparisons: holm, bonferroni, sidak, holm_sidak, hochberg, hommel, "
        "benjamini_hochberg, benjamini_yekutieli or none; with tests for many systems, which correct for pairs themselves, "
        "only holm, bonferroni or none (default: holm)",
    )
    group.add_argument(
        "--correct-metrics",
        action="store_true",
        help="test every metric, and correct p over all of them (default: only the first metric decides)",
    )
    _add_thresholds(group)
    group.add_argument(
        "--seed", type=integer_parser(MAX_SEED), metavar="SEED", help="random seed for resampling (default: 0)"
    )
    group.add_argument("--intersect", action="store_true", help=INTERSECT_HELP)
    return group


def _add_thresholds(group: argparse._ArgumentGroup) -> None:
    """The options for what counts as significant or equal, and for intervals."""
    group.add_argument(
        "--alpha", type=parse_number, metavar="ALPHA", help="largest p that counts as significant (default: 0.05)"
    )
    group.add_argument(
        "--level",
        type=parse_level,
        metavar="LEVEL",
        help="confidence level of the intervals, such as 0.99 or 99; sets alpha to 1 - level (default: 0.95)",
    )
    group.add_argument(
        "--ci",
        metavar="METHOD",
        help="method of the confidence intervals of differences: auto, bootstrap, bca, t or studentised (default: auto)",
    )
    group.add_argument(
        "--tolerance",
        type=parse_number,
        metavar="D",
        help="largest difference between two scores that counts as equal (default: 0)",
    )
    group.add_argument(
        "--rope",
        type=parse_number,
        metavar="D",
        help="largest difference between two means that counts as practically equal (default: 0)",
    )


def run_compare(options: argparse.Namespace) -> int:
    """Names are checked before any data is read; nothing is printed unless everything worked."""
    from assay.reports import ComparisonReport, Style, form_of, render_comparisons

    how = make_comparison_options(options)
    check_layer(options)
    check_output(options.output, form=options.file_format)
    forms = [form_of(Path(output), options.file_format) for output in options.output]
    check_slices(options, [options.format, *forms])
    inputs = parse_inputs(options, RULES)
    check_baseline(options, inputs)
    if options.judgments and not inputs.is_scored:
        raise UsageError("--judgments uses the grades in the store, so it needs results, saved or stored, instead of runs")
    sources = load_results(options, inputs)
    groups = [with_layer(options, group) for group in sources.groups]
    comparisons = compare_groups(options, groups, how)
    extras = slice_analyses(options, comparisons)
    report = ComparisonReport(
        comparisons, options.worst, options.best, options.digits, residuals=options.residuals, extras=extras
    )
    sys.stdout.write(render_comparisons(report, options.format, Style(terminal_width(), use_colour())))
    write_output(options, lambda form: render_comparisons(report, form))
    if options.output:
        write_notes(options, f"wrote {', '.join(options.output)}")
    if not options.judgments:
        write_notes(options, *sources.newer_judgments)
    return 0


def check_baseline(options: argparse.Namespace, inputs: Inputs) -> None:
    """Check that the baseline is one of the systems before runs are scored, because scoring may take long."""
    from assay.comparison import place_of

    names = inputs.names
    if options.baseline is not None and not inputs.is_scored:
        place_of(options.baseline, names)


def make_comparison_options(options: argparse.Namespace) -> ComparisonOptions:
    """The options of the comparison, as the flags say."""
    from assay.comparison import ComparisonOptions

    if options.alpha is not None and options.level is not None:
        raise UsageError("--alpha and --level are two ways to set the same value (alpha = 1 - level). Use one of them")
    alpha = options.alpha if options.level is None else round(1 - options.level, 12)
    fields = {
        "baseline": options.baseline,
        "test": options.test,
        "correction": options.correction,
        "correct_metrics": options.correct_metrics or None,
        "alpha": alpha,
        "interval": options.ci,
        "tolerance": options.tolerance,
        "rope": options.rope,
        "seed": options.seed,
        "cluster": getattr(options, "cluster", None),
    }
    return ComparisonOptions(**{name: value for name, value in fields.items() if value is not None})


def compare_groups(
    options: argparse.Namespace, groups: Sequence[Sequence[Result]], how: ComparisonOptions
) -> list[Comparison]:
    """A comparison for each benchmark. A benchmark with only one system is left out with a note."""
    from assay.comparison import asked_metrics, counts_chunks

    comparisons = []
    for group in groups:
        if len(group) == 1 and len(groups) > 1:
            write_notes(options, f"note: {group[0].benchmark} is left out, because only {group[0].name} was run on it")
            continue
        comparisons.append(compare_best(options, group, how))
        first = asked_metrics(group, options.metrics)[0] if options.metrics else group[0].metrics[0]
        if counts_chunks(first, group):
            from assay.reports import CHUNK_METRIC_NOTE

            write_notes(options, f"note: {CHUNK_METRIC_NOTE.format(name=first.name)}")
        write_notes(options, *_verdict_of_experiment(group))
    return comparisons


def _verdict_of_experiment(group: Sequence[Result]) -> list[str]:
    """The verdict that interleaved rankings have already, by the test of their experiment, in a note."""
    from assay.experiments import shared_outcome

    outcome = shared_outcome(group[0], group[-1])
    return [] if outcome is None else [f"note: the verdict of the experiment {outcome.name} itself is: {outcome.verdict}"]


def compare_best(options: argparse.Namespace, group: Sequence[Result], how: ComparisonOptions) -> Comparison:
    """Compare the systems; only the best ones if there are very many, because every pair is tested. A note says so."""
    from assay.comparison import asked_metrics, compare_results
    from assay.reports import best_first

    working = [result for result in group if not result.is_total_failure]
    if len(working) <= MAX_SYSTEMS or options.baseline is not None:
        return compare_results(group, how, metrics=options.metrics, intersect=options.intersect)
    first = asked_metrics(working, options.metrics)[0] if options.metrics else working[0].metrics[0]
    left_out = {id(result) for result in best_first(working, first)[MAX_SYSTEMS:]}
    best = f"the best {MAX_SYSTEMS} of {len(working):,} systems by {first.name} are compared, the others are left out"
    write_notes(options, f"note: {best}. To compare all systems with one of them, add --baseline NAME")
    chosen = [result for result in group if id(result) not in left_out]
    comparison = compare_results(chosen, how, metrics=options.metrics, intersect=options.intersect)
    return replace(comparison, n_given=len(working))


COMMAND = Command(
    "compare",
    "test which system is better, and how certain that is",
    add_arguments,
    run_compare,
    EXAMPLES,
    computes=True,
    group=Group.COMPARE,
)
