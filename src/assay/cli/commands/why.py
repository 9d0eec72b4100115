"""assay why: which conventions give a number, what makes tools disagree, and why two results differ."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.inputs import check_metrics_are_no_files
from assay.cli.output_options import TEXT_ENDINGS, add_format, add_output, check_output, write_and_print
from assay.cli.program import Command
from assay.cli.scoring_options import add_policy_arguments, integer_parser, make_profile, parse_digits, policy_flags
from assay.errors import DataError, UsageError
from assay.grammar import WrittenName
from assay.model import Policy

if TYPE_CHECKING:
    from assay.reports import ExplanationOptions, Style

EXAMPLES = """\
  assay why qrels.txt run.txt -m mrr@10 --expected 0.3333
  assay why qrels.txt run.txt -m ndcg@10
  assay why result_a.json result_b.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Judgments and a run, or two results."""
    parser.add_argument("files", nargs="*", metavar="file", help="judgments and a run; or two results of --format json")
    parser.add_argument(
        "-m", "--metrics", type=WrittenName, nargs="+", action="extend", metavar="METRIC", help="what to explain"
    )
    parser.add_argument("-e", "--expected", metavar="NUMBER", help="the number to explain, such as 0.3333 or 33.3%%")
    add_policy_arguments(parser)
    show = parser.add_argument_group("output")
    add_format(show, "table or json (default: table)", ("table", "json"))
    add_output(show, TEXT_ENDINGS)
    show.add_argument("--top", type=integer_parser(1_000_000), default=5, metavar="N", help="queries shown (default: 5)")
    show.add_argument(
        "--digits", type=parse_digits, metavar="N", help="decimals (default: 4, or those of the expected number)"
    )


def run_why(options: argparse.Namespace) -> int:
    """Two results are compared with each other, anything else is judgments and a run."""
    from assay.evaluation import check_not_empty, is_saved_result
    from assay.reports import ExplanationOptions

    check_metrics_are_no_files(options, options.files)
    check_output(options.output, TEXT_ENDINGS, options.file_format)
    if len(options.files) != 2:
        raise UsageError("two files are needed: judgments and a run, or two results")
    asked = ExplanationOptions(tuple(options.files), _digits(options), options.top)
    for file in options.files:
        check_not_empty(file)
    saved = [file for file in options.files if is_saved_result(file)]
    if len(saved) == 2:
        return _explain_results(options, asked)
    if saved:
        _raise_mixed_inputs(saved[0], next(file for file in options.files if file not in saved))
    if options.files == ["-", "-"]:
        raise UsageError("standard input (-) can be read once only")
    if not options.metrics:
        raise UsageError("say what to explain: assay why qrels.txt run.txt -m ndcg@10")
    return _explain_metrics(options, asked)


def _raise_mixed_inputs(result: str, other: str) -> None:
    if other != "-" and not Path(other).exists():
        raise DataError("no such file", source=other)
    raise UsageError(
        f"{result} is a result, {other} is not: give two results, or judgments and a run.\n"
        f"  assay score … --format json makes a result of a run"
    )


def _digits(options: argparse.Namespace) -> int:
    if options.digits is not None:
        return int(options.digits)
    return min(17, max(4, len((options.expected or "").rstrip("%").partition(".")[2])))


def _explain_metrics(options: argparse.Namespace, asked: ExplanationOptions) -> int:
    from assay.evaluation import Start, why
    from assay.reports import json_text, render_why, why_to_dict

    qrels, run = options.files
    explanations = why(qrels, run, options.metrics, options.expected, Start(make_profile(options), policy_flags(options)))

    def render(form: str, style: Style) -> str:
        if form == "json":
            return json_text(
                {"schema": "assay.why/1", "metrics": [why_to_dict(explanation, asked) for explanation in explanations]}
            )
        return render_why(explanations, asked, style)

    write_and_print(options, render)
    return 0


def _explain_results(options: argparse.Namespace, asked: ExplanationOptions) -> int:
    from assay.evaluation import differences_between, read_results
    from assay.reports import differences_to_dict, json_text, render_differences

    _check_no_scoring_flags(options)
    first, second = (read_results(file) for file in options.files)
    if len(first) != 1 or len(second) != 1:
        names = {result.name for result in first} & {result.name for result in second}
        pairs = [(a, b) for a in first for b in second if a.name == b.name and a.name in names]
        if not pairs:
            raise UsageError("several results in a file and no name in both; pick one with file.json#name")
    else:
        pairs = [(first[0], second[0])]
    differences = [differences_between(a, b) for a, b in pairs]

    def render(form: str, style: Style) -> str:
        if form == "json":
            return json_text(
                {"schema": "assay.why/1", "results": [differences_to_dict(difference, asked) for difference in differences]}
            )
        return "\n".join(render_differences(difference, asked, style) for difference in differences)

    write_and_print(options, render)
    return 0


def _check_no_scoring_flags(options: argparse.Namespace) -> None:
    """What was decided when the results were made cannot be asked for now."""
    decisions = ("metrics", "expected", "profile", *(setting.name for setting in fields(Policy)))
    flags = [f"--{name.replace('_', '-')}" for name in decisions if getattr(options, name) is not None]
    if flags:
        raise UsageError(f"two results are compared as they were scored: {', '.join(flags)} has no place here")


COMMAND = Command(
    "why", "explain a number, or why two differ", add_arguments, run_why, EXAMPLES, also_takes="files", computes=True
)
