"""assay compare: which system is better, by how much, and how sure that is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.inputs import InputRules, Inputs, add_input_arguments, parse_inputs
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
from assay.cli.program import Command
from assay.cli.scoring_options import integer_parser, parse_digits, parse_level, parse_number
from assay.cli.terminal import terminal_width, use_colour, write_notes
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.comparison import Comparison, ComparisonOptions
    from assay.evaluation import Result

EXAMPLES = """\
  assay compare qrels.txt base=bm25.run dense.run -m ndcg@10 map
  assay compare qrels.txt bm25.run dense.run hybrid.run --baseline bm25 --worst 10
  assay compare before.json "after.json#rag-template/dense" -f markdown -o report.md
  assay compare before.json after.json --by language difficulty --slices
  assay compare --dataset rag-template bm25.run dense.run --test wilcoxon --correction bh"""
RULES = InputRules(
    metrics="metrics to compare, the one that decides first",
    least=2,
    keep_rankings=lambda options: bool(options.worst or options.best or options.agreement),
)
MAX_RESAMPLES = 1_000_000
MAX_SEED = 1_000_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Systems, what is tested and how, and output."""
    add_input_arguments(parser, RULES)
    add_comparison_arguments(parser)
    add_slice_arguments(parser)
    show = add_output_arguments(parser, "table, markdown, latex, csv or json (default: table)", choices=FORMATS)
    show.add_argument(
        "--worst",
        type=integer_parser(MAX_RESAMPLES),
        default=0,
        metavar="N",
        help="the N queries that lost most, with both rankings",
    )
    show.add_argument(
        "--best",
        type=integer_parser(MAX_RESAMPLES),
        default=0,
        metavar="N",
        help="the N queries that gained most, with both rankings",
    )
    show.add_argument("--digits", type=parse_digits, metavar="N", help="decimals (default: 3; csv and json: all)")


def add_comparison_arguments(parser: argparse.ArgumentParser) -> None:
    """The choices of a comparison."""
    group = parser.add_argument_group("comparison")
    group.add_argument("--baseline", metavar="NAME", help="compare all others with this one (default: every pair)")
    group.add_argument(
        "--test",
        metavar="TEST",
        help="randomization (default), paired_t, wilcoxon, sign, bootstrap, bayesian, non_inferiority(margin=0.01), "
        "equivalence; for many systems tukey_hsd, randomized_tukey_hsd, friedman, anova",
    )
    group.add_argument(
        "--correction",
        metavar="NAME",
        help="for many comparisons: holm (default), bonferroni, sidak, holm_sidak, hochberg, hommel, benjamini_hochberg, "
        "benjamini_yekutieli, none; "
        "tests for many systems correct for pairs themselves, and holm or bonferroni for metrics",
    )
    group.add_argument("--alpha", type=parse_number, metavar="ALPHA", help="a p up to this is significant (default: 0.05)")
    group.add_argument(
        "--level", type=parse_level, metavar="LEVEL", help="the same as 1 - alpha: of the intervals, such as 0.99 or 99"
    )
    group.add_argument("--ci", metavar="METHOD", help="intervals of differences: bootstrap (default), bca, t or studentised")
    group.add_argument(
        "--tolerance", type=parse_number, metavar="D", help="scores that differ by no more count as the same (default: 0)"
    )
    group.add_argument(
        "--rope", type=parse_number, metavar="D", help="means that differ by no more are practically equal (default: 0)"
    )
    group.add_argument("--seed", type=integer_parser(MAX_SEED), metavar="SEED", help="of all resampling (default: 0)")
    group.add_argument(
        "--intersect",
        action="store_true",
        help="compare what systems share where queries, data or policies differ; never across benchmarks",
    )


def run_compare(options: argparse.Namespace) -> int:
    """Names are checked before any data is read; nothing is printed unless everything worked."""
    from assay.reports import ComparisonReport, Style, form_of, render_comparisons

    how = make_comparison_options(options)
    check_output(options.output, form=options.file_format)
    forms = [form_of(Path(output), options.file_format) for output in options.output]
    check_slices(options, [options.format, *forms])
    inputs = parse_inputs(options, RULES)
    check_baseline(options, inputs)
    comparisons = compare_groups(options, load_results(options, inputs).groups, how)
    extras = slice_analyses(options, comparisons)
    report = ComparisonReport(comparisons, options.worst, options.best, options.digits, extras)
    sys.stdout.write(render_comparisons(report, options.format, Style(terminal_width(), use_colour())))
    write_output(options, lambda form: render_comparisons(report, form))
    if options.output:
        write_notes(options, f"wrote {', '.join(options.output)}")
    return 0


def check_baseline(options: argparse.Namespace, inputs: Inputs) -> None:
    """Check that the baseline is one of the systems, before runs are scored, which may take long."""
    from assay.comparison import place_of

    names = inputs.names
    if options.baseline is not None and not inputs.is_scored:
        place_of(options.baseline, names)


def make_comparison_options(options: argparse.Namespace) -> ComparisonOptions:
    """The choices that flags describe."""
    from assay.comparison import ComparisonOptions

    if options.alpha is not None and options.level is not None:
        raise UsageError("--alpha and --level say the same thing, alpha = 1 - level; give one")
    alpha = options.alpha if options.level is None else round(1 - options.level, 12)
    fields = {
        "baseline": options.baseline,
        "test": options.test,
        "correction": options.correction,
        "alpha": alpha,
        "interval": options.ci,
        "tolerance": options.tolerance,
        "rope": options.rope,
        "seed": options.seed,
    }
    return ComparisonOptions(**{name: value for name, value in fields.items() if value is not None})


def compare_groups(
    options: argparse.Namespace, groups: Sequence[Sequence[Result]], how: ComparisonOptions
) -> list[Comparison]:
    """A comparison for each benchmark; one that only one system was run on is told of and left out."""
    from assay.comparison import asked_metrics, compare_results, counts_chunks
    from assay.reports import CHUNK_METRIC_NOTE

    comparisons = []
    for group in groups:
        if len(group) == 1 and len(groups) > 1:
            write_notes(options, f"note: {group[0].benchmark}: {group[0].name} alone was run on it, so it is left out")
            continue
        comparisons.append(compare_results(group, how, metrics=options.metrics, intersect=options.intersect))
        first = asked_metrics(group, options.metrics)[0] if options.metrics else group[0].metrics[0]
        if counts_chunks(first, group):
            write_notes(options, f"note: {CHUNK_METRIC_NOTE.format(name=first.name)}")
    return comparisons


COMMAND = Command(
    "compare",
    "say which system is better, and how sure that is",
    add_arguments,
    run_compare,
    EXAMPLES,
    computes=True,
)
