"""assay why: which conventions give a value, why tools disagree, and why two results differ."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli.inputs import InputRules, Inputs, add_input_arguments, parse_inputs
from assay.cli.loading import load_judged, load_results
from assay.cli.output_options import TEXT_ENDINGS, TEXT_FORMATS, add_output_arguments, check_output, write_and_print
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser, make_profile, parse_digits, policy_flags
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.reports import ExplanationOptions, Style

EXAMPLES = """\
  assay why qrels.txt run.txt -m mrr@10 --expected 0.3333
  assay why qrels.txt run.txt -m ndcg@10
  assay why result_a.json result_b.json
  assay why main latest"""
RULES = InputRules(metrics="metrics to explain", most=1, least_results=2, most_results=2, decided=("expected",))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Judgments and a run, or two results."""
    add_input_arguments(parser, RULES)
    parser.add_argument("-e", "--expected", metavar="NUMBER", help="value to explain, such as 0.3333 or 33.3%%")
    show = add_output_arguments(parser, TEXT_FORMATS, endings=TEXT_ENDINGS, choices=TEXT_FORMATS)
    show.add_argument(
        "--top", type=integer_parser(1_000_000), default=5, metavar="N", help="number of queries to show (default: 5)"
    )
    show.add_argument(
        "--digits",
        type=parse_digits,
        metavar="N",
        help="number of decimals (default: 4, or as many as --expected has if that is more)",
    )


def run_why(options: argparse.Namespace) -> int:
    """Explain the difference of two results, or the metrics of a run."""
    from assay.reports import ExplanationOptions

    check_output(options.output, TEXT_ENDINGS, options.file_format)
    inputs = parse_inputs(options, RULES)
    truth = ("--dataset", inputs.truth) if inputs.is_dataset else (inputs.truth,) if inputs.truth else ()
    as_of = ("--as-of", options.as_of) if options.as_of else ()
    asked = ExplanationOptions((*truth, *(word.path for word in inputs.systems), *as_of), _digits(options), options.top)
    if inputs.is_scored:
        return _explain_results(options, inputs, asked)
    if not options.metrics:
        raise UsageError(f"say which metric to explain: {options.prog} qrels.txt run.txt -m ndcg@10")
    return _explain_metrics(options, inputs, asked)


def _digits(options: argparse.Namespace) -> int:
    if options.digits is not None:
        return int(options.digits)
    return min(17, max(4, len((options.expected or "").rstrip("%").partition(".")[2])))


def _explain_metrics(options: argparse.Namespace, inputs: Inputs, asked: ExplanationOptions) -> int:
    from assay.evaluation import Start, why
    from assay.reports import json_text, render_why, why_to_dict

    start = Start(make_profile(options), policy_flags(options))
    judged = load_judged(options, inputs)
    explanations = why(judged.qrels, judged.run, options.metrics, options.expected, start, judged.ages)

    def render(form: str, style: Style) -> str:
        if form == "json":
            return json_text(
                {"schema": "assay.why/1", "metrics": [why_to_dict(explanation, asked) for explanation in explanations]}
            )
        return render_why(explanations, asked, style)

    write_and_print(options, render)
    return 0


def _explain_results(options: argparse.Namespace, inputs: Inputs, asked: ExplanationOptions) -> int:
    from assay.evaluation import differences_between
    from assay.reports import differences_to_dict, json_text, render_differences

    differences = [differences_between(a, b) for a, b in _pairs(options, inputs)]

    def render(form: str, style: Style) -> str:
        if form == "json":
            return json_text(
                {"schema": "assay.why/1", "results": [differences_to_dict(difference, asked) for difference in differences]}
            )
        return "\n".join(render_differences(difference, asked, style) for difference in differences)

    write_and_print(options, render)
    return 0


def _pairs(options: argparse.Namespace, inputs: Inputs) -> list[tuple[Result, Result]]:
    """Pairs of results: the only result of each word, else results with the same name. With the requested metrics."""
    from assay.comparison import shared_metrics

    first, second = (lookup.results for lookup in load_results(options, inputs).lookups)
    if len(first) == len(second) == 1:
        pairs = [(first[0], second[0])]
    else:
        names = [word.name and f"{word.name}/" for word in inputs.systems]
        pairs = [(a, b) for a in first for b in second if a.name.removeprefix(names[0]) == b.name.removeprefix(names[1])]
    if not pairs:
        raise UsageError(
            "the two inputs have several results, but no name in common. Choose one result of each, as in file.json#name"
        )
    if not options.metrics:
        return pairs
    shared = [shared_metrics(pair, options.metrics) for pair in pairs]
    return [(a.subset(metrics=metrics), b.subset(metrics=metrics)) for (a, b), metrics in zip(pairs, shared, strict=True)]


COMMAND = Command(
    "why", "explain a value, or why two results differ", add_arguments, run_why, EXAMPLES, computes=True, group=Group.COMPARE
)
