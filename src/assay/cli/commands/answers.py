"""assay answers: score the text answers of systems."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.inputs import InputRules, Inputs, add_input_arguments, parse_inputs
from assay.cli.judged_answers import add_judging_arguments, judged_results, uses_judging
from assay.cli.loading import load_replies
from assay.cli.output_options import (
    FORMATS,
    add_by_argument,
    add_output_arguments,
    check_by,
    check_output,
    sliced,
    write_output,
)
from assay.cli.program import Command, Group
from assay.cli.scoring_options import add_confidence_arguments, add_intervals, make_profile, make_relevance, parse_digits
from assay.cli.terminal import terminal_width, use_colour, write_notes
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.metrics import BoundMetric

RULES = InputRules(
    metrics="metrics, such as answer_f1 'rouge(n=l)' answer_success@5 (default: all for which the answers have data)",
    file="file of answers",
    truth="dataset",
    reads="replies",
    example="--dataset golden.json",
)
EXAMPLES = """\
  assay answers answers.jsonl --dataset golden.json
  assay answers answers.jsonl --dataset golden.json -m answer_f1 'rouge(n=l)' 'bleu(n=1)' --by difficulty
  assay answers answers.jsonl --dataset golden.json --run bm25.run -m answer_success@5 ndcg@10
  assay answers answers.jsonl -m faithfulness correctness --with "openai(model=llama3.1, url=http://127.0.0.1:11434/v1)"
  assay answers answers.jsonl -m faithfulness --form form.csv -n 50 --seed 1 --with python:my_module:judge --send
  assay answers answers.jsonl -m faithfulness --verdicts form.csv --claims claims.jsonl --judgments people
  assay answers old.jsonl new.jsonl --dataset golden.json --format json > answers.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Answers, the benchmark, metrics and output."""
    add_input_arguments(parser, RULES)
    parser.add_argument(
        "--abstention",
        nargs="+",
        action="extend",
        default=[],
        metavar="SENTENCE",
        help="sentences that mean that a system gives no answer, such as 'I do not know'",
    )
    add_judging_arguments(parser)
    add_confidence_arguments(parser.add_argument_group("uncertainty"))
    add_by_argument(parser.add_argument_group("slices"))
    show = add_output_arguments(parser, FORMATS, choices=FORMATS, has_per_query=True)
    show.add_argument("--digits", type=parse_digits, metavar="N", help="number of decimals (default: 4; csv and json: all)")


def run_answers(options: argparse.Namespace) -> int:
    """Names are checked before any data is read; nothing is printed unless everything worked."""
    from assay.metrics import parse_metrics
    from assay.reports import Report, notes_side_by_side, render_answers

    inputs = _checked_inputs(options)
    metrics = parse_metrics(options.metrics, options.profile or "") if options.metrics else None
    scored = _score(options, inputs, metrics)
    if scored is None:
        return 0
    results = [add_intervals(options, result) for result in scored]
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
    slices = sliced(options, results)
    write_output(options, lambda form: render_answers(replace(report, width=None, colour=False), form, slices))
    sys.stdout.write(render_answers(report, options.format, slices))
    if options.format == "csv":
        write_notes(options, *(f"note: {note}" for result in results for note in result.notes))
    return 0


def _checked_inputs(options: argparse.Namespace) -> Inputs:
    """Refuse impossible inputs before anything is read."""
    from assay.reports import find_renderer

    find_renderer(options.format)
    if options.format not in FORMATS:
        raise UsageError(f"--format must be one of {', '.join(FORMATS)}, not {options.format!r}")
    inputs = parse_inputs(options, RULES)
    check_output(options.output, form=options.file_format)
    check_by(options)
    if options.by and "csv" in (options.format, *(path.lower()[-3:] for path in options.output)):
        raise UsageError("--by cannot be used with csv, which is a single table. Use json, markdown or table")
    if options.more_runs and not options.dataset:
        raise UsageError("--run needs --dataset: the benchmark says which documents are relevant")
    return inputs


def _score(options: argparse.Namespace, inputs: Inputs, metrics: Sequence[BoundMetric] | None) -> list[Result] | None:
    """The result of each system: of its answers, and of its run or the retrieved documents in the answers.

    None if nothing is scored, but only a dry run or a form was requested.
    """
    from assay.datasets import load_dataset
    from assay.evaluation import evaluate_answers

    is_judged = uses_judging(options, metrics)
    dataset = load_dataset(options.dataset, options.dataset_format) if options.dataset else None
    how = {"profile": make_profile(options), "relevance": make_relevance(options), "abstentions": options.abstention}
    systems = load_replies(inputs, "answers")
    if is_judged:
        return judged_results(options, metrics, systems, dataset, _runs(options, len(systems)))
    return [
        evaluate_answers(answers, dataset, metrics, run=run, name=name, **how)
        for (answers, name), run in zip(systems, _runs(options, len(systems)), strict=True)
    ]


def _runs(options: argparse.Namespace, n: int) -> list[str | None]:
    """One run for all answers, or one for each."""
    runs = options.more_runs or [None]
    if len(runs) not in (1, n):
        expected = "one run" if n == 1 else f"one run for all files of answers, or {n} runs, one for each file"
        raise UsageError(f"--run: expected {expected}; found {len(runs)} runs")
    return list(runs) * (n if len(runs) == 1 else 1)


def _with_shared_metrics(results: Sequence[Result]) -> list[Result]:
    """The results with the metrics that all of them have, because the default metrics depend on the answers."""
    shared = [metric for metric in results[0].metrics if all(metric.name in result.table.columns for result in results)]
    return [result.subset(metrics=shared) for result in results]


COMMAND = Command(
    "answers",
    "score the text answers of question-answering systems",
    add_arguments,
    run_answers,
    EXAMPLES,
    computes=True,
    group=Group.SCORE,
)
