"""assay score: score one or more runs against judgments."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from typing import TYPE_CHECKING, Any

from assay.cli._command import Command
from assay.cli._confidence import add_confidence_arguments, with_confidence
from assay.cli._inputs import Inputs
from assay.cli._numbers import digits
from assay.cli._policy import add_policy_arguments, profile_of
from assay.cli._relevance import add_relevance_arguments, ontology_of, relevance_of
from assay.cli._terminal import may_colour, terminal_width
from assay.cli._wrong_file import explained, refuse_saved_results
from assay.errors import DataError, UsageError

if TYPE_CHECKING:
    from assay.datasets import FileSource
    from assay.evaluation.result import Result
    from assay.evaluation.setting import Setting
    from assay.metrics._metric import BoundMetric
    from assay.model.profile import Profile

WITH_JUDGED = ("table", "markdown", "latex")
NOBODY_DECIDES = "none of the "
"""How an error begins that is about a benchmark without the ground truth that was asked for."""
FORMATS = ("table", "json", "csv", "html", "markdown", "latex", "trec")

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
    add_relevance_arguments(parser)
    add_policy_arguments(parser)
    trust = parser.add_argument_group("trust")
    trust.add_argument("--tie-band", action="store_true", help="lowest, mean and highest figure over all orders of ties")
    trust.add_argument("--residuals", action="store_true", help="figures if unjudged documents were not, or were, relevant")
    add_confidence_arguments(trust)
    show = parser.add_argument_group("output")
    show.add_argument("-f", "--format", default="table", metavar="FORMAT", help=f"{', '.join(FORMATS)} (default: table)")
    show.add_argument("-q", "--per-query", action="store_true", help="the scores of every query, not only the summary")
    show.add_argument("--digits", type=digits, metavar="N", help="decimals (default: 4; csv and json: all)")
    show.add_argument("--sort", metavar="METRIC", help="runs, and queries with --per-query, best first by this metric")
    show.add_argument("-v", "--verbose", action="store_true", help="timings, on standard error")


def run_score(options: argparse.Namespace) -> int:
    """Names and files are checked before any data is read; nothing is printed unless everything worked."""
    inputs = Inputs.of(options)
    from assay.metrics._parse import parse_metric, parse_metrics
    from assay.reports._report import find_renderer

    find_renderer(options.format)
    metrics = parse_metrics(options.metrics) if options.metrics or not inputs.is_dataset else _usual(options, inputs)
    beside = _judged_beside(metrics) if options.format in WITH_JUDGED and not options.judged_only else []
    order_by = parse_metric(options.sort) if options.sort else None
    if order_by and order_by.name not in {metric.name for metric in (*metrics, *beside)}:
        raise UsageError(f"--sort {options.sort}: add it to -m to sort by it")
    with _without_garbage_collection():
        results = _score_all(options, inputs, metrics, beside)
    if order_by:
        results = _sorted(results, order_by)
    sys.stdout.write(_rendered(options, results, frozenset(metric.name for metric in beside)))
    _say_aside(options, metrics, results)
    return 0


def _usual(options: argparse.Namespace, inputs: Inputs) -> list[BoundMetric]:
    """The metrics of a benchmark where nobody says which."""
    from assay.evaluation.usual_metrics import formats_of, usual_metrics

    return usual_metrics(formats_of(inputs.truth, options.dataset_format))


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


def _score_all(
    options: argparse.Namespace, inputs: Inputs, metrics: Sequence[BoundMetric], beside: Sequence[BoundMetric]
) -> list[Result]:
    from assay.datasets import as_source
    from assay.evaluation.evaluate import with_bands
    from assay.evaluation.setting import Setting, settings_of

    profile = profile_of(options)
    trusted = [Setting(metric, metric, profile.policy, is_beside=True) for metric in beside]
    settings = [*settings_of(metrics, profile), *trusted]
    refuse_saved_results((inputs.truth, *inputs.runs))
    sources = [as_source(run) for run in inputs.runs]
    score = _scorer(options, inputs, settings, profile)
    results = []
    for source, name in zip(sources, inputs.names([source.name for source in sources]), strict=True):
        began = time.perf_counter()
        try:
            result = with_bands(score(source, name), tie_band=options.tie_band, residuals=options.residuals)
            results.append(with_confidence(options, result))
        except DataError as error:
            raise _blamed(error, source, options, inputs) from None
        _tell(options, f"{source.label}: scored", began)
    return results


def _blamed(error: DataError, source: FileSource, options: argparse.Namespace, inputs: Inputs) -> DataError:
    """The error under the name of what is at fault: the run, unless it is the benchmark or the map of ids."""
    if inputs.is_dataset and error.message.startswith(NOBODY_DECIDES):
        return DataError(f"{inputs.truth}: {error.message}", error.faults)
    others = [str(path) for path in (inputs.truth, options.id_map) if inputs.is_dataset and path]
    is_other = any(error.message.startswith(path) for path in others) and not error.message.startswith(source.label)
    return error if is_other else explained(error, source, "a run")


def _scorer(
    options: argparse.Namespace, inputs: Inputs, settings: list[Setting], profile: Profile
) -> Callable[[Any, str], Result]:
    """Reads the ground truth once; scores a run and its name with it."""
    from assay.datasets import as_source
    from assay.evaluation.evaluate import evaluate_dataset, evaluate_judgments
    from assay.model.qrels import Qrels

    began = time.perf_counter()
    if inputs.is_dataset:
        from assay.datasets._format import load_dataset
        from assay.evaluation.terms import refuse_strange_ontology

        relevance = relevance_of(options)
        dataset = load_dataset(inputs.truth, options.dataset_format)
        refuse_strange_ontology(relevance, dataset)
        _tell(options, f"{inputs.truth}: {dataset!r}", began)
        return lambda source, name: evaluate_dataset(dataset, source, settings, profile, name, relevance)
    source = as_source(inputs.truth)
    try:
        qrels = Qrels(source)
    except DataError as error:
        raise explained(error, source, "judgments") from None
    _tell(options, f"{inputs.truth}: {len(qrels.docs):,} judgments", began)
    ontology = ontology_of(options)
    return lambda source, name: evaluate_judgments(qrels, source, settings, profile, name, ontology)


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


def _tell(options: argparse.Namespace, what: str, began: float) -> None:
    if options.verbose:
        sys.stderr.write(f"{what} in {time.perf_counter() - began:.2f} s\n")


COMMAND = Command("score", "score runs against judgments", add_arguments, run_score, EXAMPLES, also_takes="runs")
