"""assay score: score one or more runs against judgments, or a table of a RAG tool against its own references."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli.engines.spark_scoring import add_engine_arguments, check_engine, score_in_spark, spark_inputs
from assay.cli.inputs import InputRules, Inputs, add_input_arguments, parse_inputs
from assay.cli.loading import load_results, make_scoring
from assay.cli.output_options import (
    ENDINGS,
    PARQUET,
    add_by_argument,
    add_output_arguments,
    check_by,
    check_output,
    formats_of_files,
    write_output,
)
from assay.cli.program import Command, Group
from assay.cli.score_output import FORMATS_WITH_JUDGED, ScoreOutput
from assay.cli.scoring_options import add_confidence_arguments, add_intervals, parse_digits
from assay.cli.terminal import log_intervals, log_verbose, write_notes
from assay.errors import UsageError
from assay.grammar import WrittenName

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.metrics import BoundMetric

FORMATS = ("table", "json", "csv", "html", "markdown", "latex", "trec")
SCORE_ENDINGS = f"{ENDINGS} {PARQUET}"
RULES = InputRules(
    metrics="metrics or groups, such as ndcg@10 map recall@5,10 (default: the group rag)",
    default_metrics="benchmark",
    can_repeat=True,
    takes_records=True,
)
EXAMPLES = """\
  assay score qrels.txt bm25.run dense.run -m ndcg@10 map recall@100
  assay score qrels.txt run.txt --per-query --format csv
  assay score --dataset golden.json run.txt -m ndcg@10 --by difficulty
  assay score qrels.txt run.txt -o result.json -o table.tex
  assay score qrels.txt runs/*.run -o scores.parquet
  assay score qrels.txt run.txt -m official --format trec
  assay score ragas.csv
  assay score --engine spark --master spark://host:7077 qrels.parquet s3a://bucket/runs --run-col system
  zcat run.gz | assay score qrels.txt -"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Judgments, runs, metrics, policy and output."""
    add_input_arguments(parser, RULES)
    trust = parser.add_argument_group("uncertainty")
    trust.add_argument(
        "--tie-band",
        action="store_true",
        help="show the lowest, mean and highest value over all orders of tied documents",
    )
    trust.add_argument(
        "--residuals",
        action="store_true",
        help="show the lowest and highest possible value if the unjudged documents were judged",
    )
    add_confidence_arguments(trust)
    add_by_argument(parser.add_argument_group("slices"))
    add_engine_arguments(parser)
    show = add_output_arguments(parser, FORMATS, endings=SCORE_ENDINGS, has_per_query=True)
    show.add_argument("--digits", type=parse_digits, metavar="N", help="number of decimals (default: 4; csv and json: all)")
    show.add_argument(
        "--sort",
        type=WrittenName,
        metavar="METRIC",
        help="sort runs by this metric, best first, and with --per-query also queries (default: tables are sorted by the "
        "first metric)",
    )


def run_score(options: argparse.Namespace) -> int:
    """Names and files are checked before any data is read; nothing is printed unless everything worked."""
    check_by(options)
    inputs = spark_inputs(options, RULES) if check_engine(options) else parse_inputs(options, RULES)
    from assay.reports import check_html_packages, find_renderer

    if find_renderer(options.format).name == "html":
        check_html_packages()
    check_output(options.output, SCORE_ENDINGS, options.file_format)
    forms = [options.format, *formats_of_files(options.output, options.file_format)]
    _check_slices(options, forms)
    results = _saved_results(options, inputs, forms) if inputs.is_scored else _score_runs(options, inputs, forms)
    if options.sort:
        results = _sort_results(results, options.sort)
    output = ScoreOutput(options, inputs, results, frozenset(results[0].beside))
    log_intervals(options, results)
    write_output(options, output.rendered, output.write_parquet)
    sys.stdout.write(output.rendered(options.format, is_here=True))
    write_notes(options, *_notes(options, results))
    log_verbose(options, f"wrote {', '.join(options.output) or 'no files'}")
    return 0


def _check_slices(options: argparse.Namespace, forms: Sequence[str]) -> None:
    """Refuse slices in formats that cannot hold them."""
    if options.by and "trec" in forms:
        raise UsageError("--by cannot be used with trec, which has no lines for slices. Use table, json, csv or markdown")
    if options.by and options.per_query and "csv" in forms:
        raise UsageError("--by and --per-query cannot be used together with csv, which is a single table. Use one of them")


def _score_runs(options: argparse.Namespace, inputs: Inputs, forms: Sequence[str]) -> list[Result]:
    """Runs with intervals and bands; with several thresholds, each metric has a column for each threshold."""
    if not isinstance(options.f1_threshold, tuple):
        results = _scored(options, inputs, forms)
    else:
        from assay.cli.threshold_sweep import merge_thresholds

        _check_sweep(options, inputs)
        by_threshold = {
            threshold: _scored(argparse.Namespace(**{**vars(options), "f1_threshold": threshold}), inputs, forms)
            for threshold in options.f1_threshold
        }
        systems = zip(*by_threshold.values(), strict=True)
        results = [merge_thresholds(dict(zip(by_threshold, system, strict=True))) for system in systems]
    return [add_intervals(options, result.with_fields(benchmark=""), forms) for result in results]


def _check_sweep(options: argparse.Namespace, inputs: Inputs) -> None:
    """Refuse options that need one column per metric, and standard input, which is read once."""
    flags = {"--sort": options.sort, "--tie-band": options.tie_band, "--residuals": options.residuals}
    if flag := next((flag for flag, value in flags.items() if value), None):
        raise UsageError(f"{flag} cannot be used with several values of --f1-threshold. Use one value")
    if inputs.n_standard_inputs:
        raise UsageError("standard input (-) cannot be used with several values of --f1-threshold. Use a file")


def _scored(options: argparse.Namespace, inputs: Inputs, forms: Sequence[str]) -> list[Result]:
    """Runs with bands. Every table also shows how many of the first ten documents are judged."""
    from assay.metrics import find_metric

    scoring = replace(make_scoring(options, inputs), tie_band=options.tie_band, residuals=options.residuals)
    judged = find_metric("judged@10")
    if not options.judged_only and set(forms) & set(FORMATS_WITH_JUDGED) and judged not in scoring.metrics:
        scoring = replace(scoring, beside=(judged,))
    _check_order(options, (*scoring.metrics, *scoring.beside))
    if options.engine == "spark":
        return score_in_spark(options, inputs, scoring)
    return load_results(options, inputs, scoring).results


def _saved_results(options: argparse.Namespace, inputs: Inputs, forms: Sequence[str]) -> list[Result]:
    """Results as they were scored, with the metrics that all share. With several benchmarks, names include the benchmark."""
    from assay.comparison import shared_metrics
    from assay.evaluation import with_bands, with_the_same_metrics

    groups = load_results(options, inputs).groups
    if options.by and len(groups) > 1:
        raise UsageError(
            "--by needs results on one benchmark. For several benchmarks: assay report RESULTS --by TAG -f markdown"
        )
    results = [result for group in groups for result in group]
    if len(groups) > 1:
        results = [result.with_fields(name=f"{result.benchmark}/{result.name}", benchmark="") for result in results]
    results = with_the_same_metrics(results)
    if options.metrics:
        asked = shared_metrics(results, options.metrics)
        results = [result.subset(metrics=asked) for result in results]
    _check_order(options, results[0].metrics)
    if options.tie_band or options.residuals:
        results = [with_bands(result, tie_band=options.tie_band, residuals=options.residuals) for result in results]
    return (
        results
        if options.ci is None and options.cluster is None
        else [add_intervals(options, result, forms) for result in results]
    )


def _check_order(options: argparse.Namespace, metrics: Sequence[BoundMetric]) -> None:
    from assay.metrics import parse_metric

    if options.sort and parse_metric(options.sort, options.profile or "").name not in {metric.name for metric in metrics}:
        raise UsageError(f"--sort {options.sort}: this metric is not scored. Add it to -m")


def _notes(options: argparse.Namespace, results: Sequence[Result]) -> Iterator[str]:
    """Notes that csv and trec cannot hold, and metrics whose text no summary shows."""
    from assay.reports import Report, notes

    metrics = [metric for metric in results[0].metrics if metric.name not in results[0].beside]
    hidden = [metric.name for metric in metrics if not metric.metric.aggregation.summarise and metric.name != "runid"]
    if hidden and not options.per_query and options.format != "json":
        yield f"note: the values of {', '.join(hidden)} are texts, one for each query. Add --per-query to show them"
    if options.format in ("csv", "trec"):
        yield from (f"note: {note}" for note in notes(Report(results)))


def _sort_results(results: Sequence[Result], name: WrittenName) -> list[Result]:
    from assay.metrics import parse_metric
    from assay.reports import best_first

    own_name = results[0].own_name(parse_metric(name, results[0].profile))
    metric = next(metric for metric in results[0].metrics if metric.name == own_name)
    return best_first([result.sorted_by(metric.name) for result in results], metric)


COMMAND = Command(
    "score", "score runs against judgments", add_arguments, run_score, EXAMPLES, computes=True, group=Group.SCORE
)
