"""assay moe: how well queries are routed to experts, how much retrieval the gate saves, and what a reranker improves."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import InputRules, Inputs, Word, add_input_arguments, parse_inputs
from assay.cli.loading import load_replies
from assay.cli.output_options import FORMATS, add_by_argument, add_output_arguments, check_by, check_output, write_output
from assay.cli.program import Command, Group
from assay.cli.scoring_options import INTERVAL_METHODS, LEVEL_HELP, MAX_SEED, integer_parser, parse_digits, parse_level
from assay.cli.terminal import terminal_width, use_colour
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evaluation import Result

RULES = InputRules(
    metrics="metrics, such as routing_accuracy@2 gate_efficiency (default: all for which the routes have data)",
    file="file of routes",
    truth="",
    reads="replies",
    example="",
)
EXAMPLES = """\
  assay moe routes.jsonl
  assay moe routes.jsonl --by language optimal_expert
  assay moe old.csv new.csv -m routing_accuracy gate_efficiency
  assay moe routes.jsonl -o new.json && assay compare old.json new.json
  assay moe --qrels qrels.txt --before first.run --after reranked.run
  assay moe --relevant "doc1;doc3" --before "doc4;doc1" --after "doc1;doc4" -m reranking_improvement@5"""
IDS_ARE_SEPARATED_BY = ";"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Files of routes, metrics, slices and output."""
    add_input_arguments(parser, RULES)
    rerank = parser.add_argument_group("reranking, instead of files of routes")
    rerank.add_argument("--before", metavar="RUN", help="the run before reranking, or with --relevant its ids: 'doc4;doc1'")
    rerank.add_argument("--after", metavar="RUN", help="the run after reranking, or with --relevant its ids: 'doc1;doc4'")
    truth = rerank.add_mutually_exclusive_group()
    truth.add_argument("--qrels", metavar="FILE", help="judgments for --before and --after")
    truth.add_argument("--relevant", metavar="IDS", help="the relevant ids of a single query, separated by ';'")
    add_by_argument(parser.add_argument_group("slices"))
    trust = parser.add_argument_group("uncertainty")
    trust.add_argument(
        "--ci",
        nargs="?",
        const="auto",
        default="auto",
        choices=INTERVAL_METHODS,
        metavar="METHOD",
        help="method of the confidence intervals: auto, bootstrap, bca, t, wilson or none (default: auto)",
    )
    trust.add_argument(
        "--level",
        type=parse_level,
        default=0.95,
        metavar="LEVEL",
        help=LEVEL_HELP,
    )
    trust.add_argument(
        "--ci-seed",
        type=integer_parser(MAX_SEED),
        default=0,
        metavar="SEED",
        help="random seed for bootstrap intervals (default: 0)",
    )
    show = add_output_arguments(parser, FORMATS, choices=FORMATS, has_per_query=True)
    show.add_argument("--digits", type=parse_digits, metavar="N", help="number of decimals (default: 3; csv and json: all)")


def run_moe(options: argparse.Namespace) -> int:
    """Names are checked before any file is read; nothing is printed unless everything worked."""
    from assay.comparison import slice_results
    from assay.reports import Report, render_routing

    results = _reranked(options) if _is_about_reranking(options) else _results(options, _checked_inputs(options))
    trust = {"interval": options.ci, "level": options.level, "seed": options.ci_seed}
    slices = slice_results(results, options.by, **trust) if options.by else ()
    report = Report(results, per_query=options.per_query, digits=options.digits, width=terminal_width(), colour=use_colour())
    write_output(options, lambda form: render_routing(replace(report, width=None, colour=False), form, slices))
    sys.stdout.write(render_routing(report, options.format, slices))
    return 0


def _is_about_reranking(options: argparse.Namespace) -> bool:
    """Whether two rankings are given instead of routes. Something between is an error."""
    parts = [bool(part) for part in (options.before, options.after, options.qrels or options.relevant)]
    if any(parts) and options.files:
        raise UsageError(f"give either files of routes ({options.files[0]}) or --before and --after, not both")
    if any(parts) and not all(parts):
        raise UsageError(
            "reranking needs the judgments and two rankings:\n"
            "  assay moe --qrels qrels.txt --before first.run --after reranked.run\n"
            "  assay moe --relevant 'doc1;doc3' --before 'doc4;doc1' --after 'doc1;doc4'"
        )
    return all(parts)


def _reranked(options: argparse.Namespace) -> list[Result]:
    """The results before and after reranking."""
    from assay.evaluation import Stage, reranking_stages, with_intervals
    from assay.metrics import parse_metrics

    metrics = parse_metrics(options.metrics) if options.metrics else None
    check_output(options.output, form=options.file_format)
    if options.relevant:
        qrels: Any = {"query": dict.fromkeys(_ids(options, "relevant"), 1)}
        stages = [Stage({"query": _ids(options, name)}, name) for name in ("before", "after")]
    else:
        qrels = Path(options.qrels)
        words = [Word.of(word) for word in (options.before, options.after)]
        for word in (Word(options.qrels), *words):
            word.check_exists()
        names = [word.name or Path(word.path).stem for word in words]
        names = names if names[0] != names[1] else ["before", "after"]
        stages = [Stage(Path(word.path), name) for word, name in zip(words, names, strict=True)]
    results = reranking_stages(qrels, stages[0], stages[1], metrics)
    return [with_intervals(result, options.ci, options.level, options.ci_seed) for result in results]


def _ids(options: argparse.Namespace, name: str) -> list[str]:
    """The ids in an option, which must have at least one."""
    text = getattr(options, name)
    ids = [id_.strip() for id_ in text.split(IDS_ARE_SEPARATED_BY) if id_.strip()]
    if not ids:
        raise UsageError(f"--{name} must have at least one id, such as 'doc1;doc3', not {text!r}")
    return ids


def _checked_inputs(options: argparse.Namespace) -> Inputs:
    """Refuse impossible inputs."""
    from assay.evaluation import parse_routing_metrics

    inputs = parse_inputs(options, RULES)
    check_by(options)
    parse_routing_metrics(options.metrics)
    check_output(options.output, form=options.file_format)
    return inputs


def _results(options: argparse.Namespace, inputs: Inputs) -> list[Result]:
    """One result per system, all with the same metrics and different names."""
    from assay.evaluation import evaluate_routing, with_intervals, with_the_same_metrics

    systems = load_replies(inputs, "routes")
    scored = [evaluate_routing(routes, options.metrics, name=name) for routes, name in systems]
    trust = (options.ci, options.level, options.ci_seed)
    return [with_intervals(result, *trust) for result in with_the_same_metrics(scored)]


COMMAND = Command(
    "moe",
    "score how queries are routed to experts, when retrieval is skipped, and what reranking improves",
    add_arguments,
    run_moe,
    EXAMPLES,
    computes=True,
    group=Group.SCORE,
)
