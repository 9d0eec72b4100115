"""assay score: score one or more runs against judgments."""

from __future__ import annotations

import argparse
import gc
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli._command import Command
from assay.cli._numbers import digits
from assay.cli._policy import add_policy_arguments, profile_of
from assay.cli._terminal import may_colour, terminal_width
from assay.errors import DataError, UsageError

if TYPE_CHECKING:
    from assay.evaluation.result import Result
    from assay.metrics._metric import BoundMetric

WITH_JUDGED = ("table", "markdown", "latex")
FORMATS = ("table", "json", "csv", "markdown", "latex", "trec")

EXAMPLES = """\
  assay score qrels.txt bm25.run dense.run -m ndcg@10 map recall@100
  assay score qrels.txt run.txt --per-query --format csv
  assay score qrels.txt run.txt -m official --format trec
  zcat run.gz | assay score qrels.txt -"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Judgments, runs, metrics, policy and output."""
    parser.add_argument(
        "qrels", nargs="?", help="judgments: TREC qrels, BEIR TSV, JSON, JSONL, CSV or Parquet; .gz and .zst too"
    )
    parser.add_argument(
        "runs", nargs="*", metavar="run", help="runs: TREC run, JSON, JSONL, CSV, TSV or Parquet; - is standard input"
    )
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="metrics or groups, such as ndcg@10 map recall@5,10 (default: the group rag)",
    )
    add_policy_arguments(parser)
    trust = parser.add_argument_group("trust")
    trust.add_argument("--tie-band", action="store_true", help="lowest, mean and highest figure over all orders of ties")
    trust.add_argument("--residuals", action="store_true", help="figures if unjudged documents were not, or were, relevant")
    show = parser.add_argument_group("output")
    show.add_argument("-f", "--format", default="table", metavar="FORMAT", help=f"{', '.join(FORMATS)} (default: table)")
    show.add_argument("-q", "--per-query", action="store_true", help="the scores of every query, not only the summary")
    show.add_argument("--digits", type=digits, metavar="N", help="decimals (default: 4; csv and json: all)")
    show.add_argument("--sort", metavar="METRIC", help="runs, and queries with --per-query, best first by this metric")
    show.add_argument("-v", "--verbose", action="store_true", help="timings, on standard error")


def run_score(options: argparse.Namespace) -> int:
    """Names and files are checked before any data is read; nothing is printed unless everything worked."""
    _refuse_swallowed_files(options)
    from assay.metrics._parse import parse_metric, parse_metrics
    from assay.reports._report import find_renderer

    find_renderer(options.format)
    metrics = parse_metrics(options.metrics)
    beside = _judged_beside(metrics) if options.format in WITH_JUDGED and not options.judged_only else []
    order_by = parse_metric(options.sort) if options.sort else None
    if order_by and order_by.name not in {metric.name for metric in (*metrics, *beside)}:
        raise UsageError(f"--sort {options.sort}: add it to -m to sort by it")
    with _without_garbage_collection():
        results = _score_all(options, metrics, beside)
    if order_by:
        results = _sorted(results, order_by)
    sys.stdout.write(_rendered(options, results, frozenset(metric.name for metric in beside)))
    _say_aside(options, metrics, results)
    return 0


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Large data without cycles come in and the process ends: looking for cycles among them takes time and finds none."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _say_aside(options: argparse.Namespace, metrics: Sequence[BoundMetric], results: Sequence[Result]) -> None:
    """On standard error: the notes that csv and trec have no place for, and text that no summary shows."""
    from assay.reports._report import Report
    from assay.reports._table import notes

    hidden = [metric.name for metric in metrics if not metric.metric.aggregation.summarise and metric.name != "runid"]
    if hidden and not options.per_query and options.format != "json":
        sys.stderr.write(f"note: {', '.join(hidden)} is text for each query: add --per-query\n")
    for note in notes(Report(results)) if options.format in ("csv", "trec") else ():
        sys.stderr.write(f"note: {note}\n")


def _judged_beside(metrics: Sequence[BoundMetric]) -> list[BoundMetric]:
    """How much of the first ten documents was judged at all belongs beside every table."""
    from assay.metrics._parse import parse_metric

    judged = parse_metric("judged@10")
    return [] if judged.name in {metric.name for metric in metrics} else [judged]


def _score_all(options: argparse.Namespace, metrics: Sequence[BoundMetric], beside: Sequence[BoundMetric]) -> list[Result]:
    from assay.datasets import as_source
    from assay.evaluation.evaluate import evaluate_settings, with_bands
    from assay.evaluation.setting import Setting, settings_of
    from assay.model.qrels import Qrels

    profile = profile_of(options)
    settings = [
        *settings_of(metrics, profile),
        *(Setting(metric, metric, profile.policy, is_beside=True) for metric in beside),
    ]
    if (options.qrels == "-" and "-" in options.runs) or options.runs.count("-") > 1:
        raise UsageError("standard input (-) can be read once only")
    began = time.perf_counter()
    sources = [as_source(run) for run in options.runs]
    qrels = Qrels(options.qrels)
    _tell(options, f"{options.qrels}: {len(qrels.docs):,} judgments", began)
    results = []
    for source, name in zip(sources, _names(options.runs, [source.name for source in sources]), strict=True):
        began = time.perf_counter()
        try:
            result = evaluate_settings(qrels, source, settings, profile, name)
            results.append(with_bands(result, tie_band=options.tie_band, residuals=options.residuals))
        except DataError as error:
            named = error.message if error.message.startswith(source.label) else f"{source.label}: {error.message}"
            raise DataError(named, error.faults) from None
        _tell(options, f"{source.label}: scored", began)
    return results


def _names(paths: Sequence[str], stems: Sequence[str]) -> list[str]:
    """Short names where they tell the runs apart, paths where not."""
    if len(set(stems)) == len(stems):
        return list(stems)
    return list(paths) if len(set(paths)) == len(paths) else [f"{path} ({number})" for number, path in enumerate(paths, 1)]


def _rendered(options: argparse.Namespace, results: Sequence[Result], beside: frozenset[str]) -> str:
    from assay.reports._report import Report, find_renderer

    report = Report(
        results,
        per_query=options.per_query,
        digits=options.digits,
        width=terminal_width(),
        colour=may_colour(),
        beside=beside,
    )
    return find_renderer(options.format).render(report)


def _sorted(results: Sequence[Result], metric: BoundMetric) -> list[Result]:
    sign = -1 if metric.metric.higher_is_better else 1
    by_query = [result.sorted_by(metric.name) for result in results]
    return sorted(by_query, key=lambda result: (isnan(result[metric.name]), sign * result[metric.name]))


def _refuse_swallowed_files(options: argparse.Namespace) -> None:
    """`-m a b q.txt r.txt` makes metrics of the files; say how to write it."""
    taken = [word for word in options.metrics or () if _looks_like_a_file(word)]
    files = [file for file in (options.qrels, *options.runs) if file]
    if taken:
        names = [word for word in options.metrics if word not in taken]
        raise UsageError(
            f"what follows -m is taken as a metric: {' '.join(taken)}. Put files first:\n"
            f"  assay score {shlex.join((*files, *taken))} -m {shlex.join(names) or 'ndcg@10'}"
        )
    if len(files) < 2:
        raise UsageError("judgments and at least one run are needed: assay score qrels.txt run.txt -m ndcg@10")


def _looks_like_a_file(word: str) -> bool:
    return word == "-" or os.sep in word or word.lower().endswith(FILE_ENDINGS) or Path(word).is_file()


FILE_ENDINGS = (".txt", ".run", ".qrels", ".trec", ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".gz", ".zst")


def _tell(options: argparse.Namespace, what: str, began: float) -> None:
    if options.verbose:
        sys.stderr.write(f"{what} in {time.perf_counter() - began:.2f} s\n")


COMMAND = Command("score", "score runs against judgments", add_arguments, run_score, EXAMPLES, also_takes="runs")
