"""assay answers: score what systems answered in words."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
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
from assay.cli.scoring_options import (
    add_confidence_arguments,
    add_intervals,
    add_policy_arguments,
    add_relevance_arguments,
    make_profile,
    make_relevance,
    parse_digits,
)
from assay.cli.terminal import terminal_width, use_colour
from assay.errors import UsageError
from assay.grammar import WrittenName

if TYPE_CHECKING:
    from assay.comparison import Sliced
    from assay.datasets import BenchmarkDataset
    from assay.evaluation import Result
    from assay.metrics import BoundMetric

EXAMPLES = """\
  assay answers answers.jsonl --dataset golden.json
  assay answers answers.jsonl --dataset golden.json -m answer_f1 'rouge(n=l)' 'bleu(n=1)' --by difficulty
  assay answers answers.jsonl --dataset golden.json --run bm25.run -m answer_success@5 ndcg@10
  assay answers old.jsonl new.jsonl --dataset golden.json --format json > answers.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Answers, the benchmark, metrics and output."""
    parser.add_argument(
        "answers", nargs="*", help="answers with query_id and answer: JSONL, JSON, CSV, TSV or Parquet; null is none"
    )
    parser.add_argument(
        "-m",
        "--metrics",
        type=WrittenName,
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="such as answer_f1 'rouge(n=l)' answer_success@5 (default: what the answers allow)",
    )
    parser.add_argument(
        "--abstention",
        nargs="+",
        action="extend",
        default=[],
        metavar="SENTENCE",
        help="an answer that says no more than this is none, such as 'no answer'",
    )
    add_relevance_arguments(parser, run_help="what was retrieved for the answers: one run for all files, or one for each")
    add_policy_arguments(parser)
    add_confidence_arguments(parser.add_argument_group("trust"))
    add_by_argument(parser.add_argument_group("slices"))
    show = parser.add_argument_group("output")
    add_format(show, f"{', '.join(FORMATS)} (default: table)")
    add_output(show)
    show.add_argument("-q", "--per-query", action="store_true", help="the scores of every query, not only the summary")
    show.add_argument("--digits", type=parse_digits, metavar="N", help="decimals (default: 4; csv and json: all)")


def run_answers(options: argparse.Namespace) -> int:
    """Names are checked before any data is read; nothing is printed unless everything worked."""
    from assay.datasets import load_dataset
    from assay.metrics import parse_metrics
    from assay.reports import Report, notes_side_by_side, render_answers

    _check_options(options)
    metrics = parse_metrics(options.metrics, options.profile or "") if options.metrics else None
    dataset = load_dataset(options.dataset, options.dataset_format) if options.dataset else None
    results = [
        add_intervals(options, _score(options, metrics, dataset, (file, run, name)))
        for file, run, name in zip(options.answers, _runs(options), system_names_of_files(options.answers), strict=True)
    ]
    results = _with_shared_metrics(results)
    report = Report(
        results,
        per_query=options.per_query,
        digits=options.digits,
        width=terminal_width(),
        colour=use_colour(),
        points_on=False,
        beside=frozenset(setting.metric.name for setting in results[0].settings if setting.is_beside),
        remarks=tuple(notes_side_by_side(results)),
    )
    slices = _slice(options, results)
    write_output(options, lambda form: render_answers(replace(report, width=None, colour=False), form, slices))
    sys.stdout.write(render_answers(report, options.format, slices))
    for note in (note for result in results for note in result.notes) if options.format == "csv" else ():
        sys.stderr.write(f"note: {note}\n")
    return 0


def _check_options(options: argparse.Namespace) -> None:
    """Refuse what cannot be, before anything is read."""
    from assay.reports import find_renderer

    find_renderer(options.format)
    if options.format not in FORMATS:
        raise UsageError(f"--format {options.format}: answers are shown as {', '.join(FORMATS)}")
    check_metrics_are_no_files(options, options.answers)
    if not options.answers:
        raise UsageError(f"which answers? {options.prog} answers.jsonl --dataset golden.json")
    system_names_of_files(options.answers)
    check_output(options.output, form=options.file_format)
    if options.by and "csv" in (options.format, *(path.lower()[-3:] for path in options.output)):
        raise UsageError("--by has tables of its own, which csv has no place for; take json")
    if options.more_runs and not options.dataset:
        raise UsageError("--run needs --dataset, which says what is relevant")


def _runs(options: argparse.Namespace) -> list[str | None]:
    """One run for all answers, or one for each."""
    runs = options.more_runs or [None]
    if len(runs) not in (1, len(options.answers)):
        raise UsageError(f"{len(runs)} runs for {len(options.answers)} files of answers; give one run, or one for each file")
    return list(runs) * (len(options.answers) if len(runs) == 1 else 1)


def _score(
    options: argparse.Namespace,
    metrics: Sequence[BoundMetric] | None,
    dataset: BenchmarkDataset | None,
    system: tuple[str, str | None, str],
) -> Result:
    """The result of one system: its answers, its run, and its name."""
    from assay.evaluation import evaluate_answers

    file, run, name = system
    return evaluate_answers(
        file,
        dataset,
        metrics,
        run=run,
        profile=make_profile(options),
        name=name,
        relevance=make_relevance(options),
        abstentions=options.abstention,
    )


def _with_shared_metrics(results: Sequence[Result]) -> list[Result]:
    """The results with the metrics that all of them have: what is measured by default depends on the answers."""
    shared = [metric for metric in results[0].metrics if all(metric.name in result.table.columns for result in results)]
    return [result.subset(metrics=shared) for result in results]


def _slice(options: argparse.Namespace, results: Sequence[Result]) -> Sequence[Sliced]:
    if not options.by:
        return ()
    from assay.comparison import slice_results

    return slice_results(results, options.by, interval=options.ci or "auto", level=options.level or 0.95)


COMMAND = Command(
    "answers", "score answers in words", add_arguments, run_answers, EXAMPLES, also_takes="answers", computes=True
)
