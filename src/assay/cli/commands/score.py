"""assay score: score one or more runs against judgments."""

from __future__ import annotations

import argparse
import gc
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import Inputs, check_no_saved_results, describe_file_error
from assay.cli.output_options import add_format, add_output, check_output, formats_of_files, write_output
from assay.cli.program import Command
from assay.cli.scoring_options import (
    add_confidence_arguments,
    add_intervals,
    add_policy_arguments,
    add_relevance_arguments,
    intervals_for_format,
    make_profile,
    make_relevance,
    parse_digits,
    read_domain_options,
)
from assay.cli.terminal import (
    describe_source_format,
    log_duration,
    log_intervals,
    log_policy,
    log_verbose,
    terminal_width,
    use_colour,
)
from assay.errors import DataError, NoGroundTruth, UsageError
from assay.grammar import WrittenName
from assay.model import Policy
from assay.text import counted

if TYPE_CHECKING:
    from assay.evaluation import Profile, Result, Setting
    from assay.files import FileSource
    from assay.metrics import BoundMetric


QUESTION = "Is the difference real?  "
SHARED_FLAGS = ("dataset_format", "relevance", "f1_threshold", "unit", "id_map", "ontology", "annotations", "profile")
"""Flags about scoring that `assay compare` has too."""


FORMATS_WITH_JUDGED = ("table", "markdown", "latex")
"""The beginning of the error about a benchmark without the ground truth that was asked for."""
FORMATS = ("table", "json", "csv", "html", "markdown", "latex", "trec")

EXAMPLES = """\
  assay score qrels.txt bm25.run dense.run -m ndcg@10 map recall@100
  assay score qrels.txt run.txt --per-query --format csv
  assay score qrels.txt run.txt -o result.json -o table.tex
  assay score qrels.txt run.txt -m official --format trec
  zcat run.gz | assay score qrels.txt -"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Judgments, runs, metrics, policy and output."""
    parser.add_argument(
        "qrels", nargs="?", help="judgments: TREC qrels, BEIR TSV, JSON, JSONL, CSV or Parquet; .gz, .zst, .xz, .bz2 too"
    )
    parser.add_argument(
        "runs", nargs="*", metavar="run", help="runs: TREC run, JSON, JSONL, CSV, TSV or Parquet; - is standard input"
    )
    parser.add_argument(
        "-m",
        "--metrics",
        type=WrittenName,
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="metrics or groups, such as ndcg@10 map recall@5,10 (default: the group rag)",
    )
    add_relevance_arguments(parser)
    add_policy_arguments(parser)
    trust = parser.add_argument_group("trust")
    trust.add_argument("--tie-band", action="store_true", help="lowest, mean and highest figure over all orders of ties")
    trust.add_argument("--residuals", action="store_true", help="lowest and highest figure over grades of the unjudged")
    add_confidence_arguments(trust)
    show = parser.add_argument_group("output")
    add_format(show, f"{', '.join(FORMATS)} (default: table)")
    add_output(show)
    show.add_argument("-q", "--per-query", action="store_true", help="the scores of every query, not only the summary")
    show.add_argument("--digits", type=parse_digits, metavar="N", help="decimals (default: 4; csv and json: all)")
    show.add_argument(
        "--sort",
        type=WrittenName,
        metavar="METRIC",
        help="runs, and queries with --per-query, best first by this metric (default: runs in a table, by the first)",
    )


def run_score(options: argparse.Namespace) -> int:
    """Names and files are checked before any data is read; nothing is printed unless everything worked."""
    inputs = Inputs.of(options)
    from assay.metrics import parse_metric, parse_metrics
    from assay.reports import find_renderer

    find_renderer(options.format)
    check_output(options.output, form=options.file_format)
    forms = [options.format, *formats_of_files(options.output, options.file_format)]
    tool = options.profile or ""
    metrics = (
        parse_metrics(options.metrics, tool)
        if options.metrics or not inputs.is_dataset
        else _default_metrics(options, inputs)
    )
    beside = [] if options.judged_only or not set(forms) & set(FORMATS_WITH_JUDGED) else _judged_metric(metrics)
    order_by = parse_metric(options.sort, tool) if options.sort else None
    if order_by and order_by.name not in {metric.name for metric in (*metrics, *beside)}:
        raise UsageError(f"--sort {options.sort}: add it to -m to sort by it")
    with _without_garbage_collection():
        results = _score_all(options, inputs, metrics, beside, forms)
    if order_by:
        results = _sort_results(results, order_by)
    output = ScoreOutput(options, inputs, results, frozenset(metric.name for metric in beside))
    log_intervals(options, results)
    write_output(options, output.rendered)
    sys.stdout.write(output.rendered(options.format, is_here=True))
    _write_notes(options, metrics, results)
    log_verbose(options, f"wrote {', '.join(options.output) or 'no file'}")
    return 0


def _default_metrics(options: argparse.Namespace, inputs: Inputs) -> list[BoundMetric]:
    """The metrics of a benchmark where nobody says which."""
    from assay.evaluation import default_metrics, formats_of

    return default_metrics(formats_of(inputs.truth, options.dataset_format))


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


def _write_notes(options: argparse.Namespace, metrics: Sequence[BoundMetric], results: Sequence[Result]) -> None:
    """On standard error: the notes that csv and trec have no place for, and text that no summary shows."""
    from assay.reports import Report, notes

    hidden = [metric.name for metric in metrics if not metric.metric.aggregation.summarise and metric.name != "runid"]
    if hidden and not options.per_query and options.format != "json":
        sys.stderr.write(f"note: {', '.join(hidden)} is text for each query: add --per-query\n")
    for note in notes(Report(results)) if options.format in ("csv", "trec") else ():
        sys.stderr.write(f"note: {note}\n")


def _judged_metric(metrics: Sequence[BoundMetric]) -> list[BoundMetric]:
    """How much of the first ten documents was judged at all belongs beside every table."""
    from assay.metrics import find_metric

    judged = find_metric("judged@10")
    return [] if judged.name in {metric.name for metric in metrics} else [judged]


def _score_all(
    options: argparse.Namespace,
    inputs: Inputs,
    metrics: Sequence[BoundMetric],
    beside: Sequence[BoundMetric],
    forms: Sequence[str],
) -> list[Result]:
    from assay.evaluation import Setting, settings_of, with_bands
    from assay.files import as_source

    profile = make_profile(options)
    log_policy(options, profile)
    trusted = [Setting(metric, metric, profile.policy, is_beside=True) for metric in beside]
    settings = [*settings_of(metrics, profile), *trusted]
    check_no_saved_results((inputs.truth, *inputs.runs))
    sources = [as_source(run) for run in inputs.runs]
    score = _make_scorer(options, inputs, settings, profile)
    results = []
    for source, name in zip(sources, inputs.names([source.name for source in sources]), strict=True):
        try:
            with log_duration(options, f"{source.label}: {describe_source_format(source)}, scored"):
                result = with_bands(score(source, name), tie_band=options.tie_band, residuals=options.residuals)
                results.append(add_intervals(options, result, forms))
        except DataError as error:
            raise _attribute_to_source(error, source, options, inputs) from None
    return results


def _attribute_to_source(error: DataError, source: FileSource, options: argparse.Namespace, inputs: Inputs) -> DataError:
    """The error with the name of the file at fault: the run, unless it is the benchmark or the map of ids."""
    if inputs.is_dataset and isinstance(error, NoGroundTruth):
        return error.at(inputs.truth)
    others = [str(path) for path in (inputs.truth, options.id_map) if inputs.is_dataset and path]
    is_other = any(error.source.startswith(path) for path in others) and error.source != source.label
    return error if is_other else describe_file_error(error, source, "a run")


def _make_scorer(
    options: argparse.Namespace, inputs: Inputs, settings: list[Setting], profile: Profile
) -> Callable[[Any, str], Result]:
    """Reads the ground truth once; scores a run and its name with it."""
    from assay.evaluation import evaluate_dataset, evaluate_judgments
    from assay.files import as_source
    from assay.model import Qrels

    if inputs.is_dataset:
        from assay.datasets import load_dataset
        from assay.evaluation import check_options

        relevance = make_relevance(options)
        with log_duration(options, f"{inputs.truth}: read") as more:
            dataset = load_dataset(inputs.truth, options.dataset_format)
            more.append(f"format {dataset.format}, {dataset!r}")
        check_options(dataset.name, dataset.qrels, relevance.domain_options)
        log_verbose(options, f"relevance: {relevance.by}, unit {relevance.unit}")
        return lambda source, name: evaluate_dataset(dataset, source, settings, profile, name, relevance)
    source = as_source(inputs.truth)
    try:
        with log_duration(options, f"{inputs.truth}: {describe_source_format(source)}") as more:
            qrels = Qrels(source)
            more.append(f"{len(qrels.docs):,} judgments of {counted(len(qrels), 'query')}")
    except DataError as error:
        raise describe_file_error(error, source, "judgments") from None
    domain_options = read_domain_options(options)
    return lambda source, name: evaluate_judgments(qrels, source, settings, profile, name, domain_options)


@dataclass(frozen=True)
class ScoreOutput:
    """Results, ready to be shown in any format: each has the metrics, the intervals and the order that belong to it."""

    options: argparse.Namespace
    inputs: Inputs
    results: Sequence[Result]
    beside: frozenset[str]

    def rendered(self, form: str, *, is_here: bool = False) -> str:
        """In that format; fitted to the terminal where it is printed here. A table has the best run first."""
        from assay.reports import Report, best_first, deciding_metric, render_scores

        results = [intervals_for_format(form, self.options, self._with_metrics(form, result)) for result in self.results]
        is_table, deciding = form == "table", deciding_metric(results, self.beside)
        report = Report(
            best_first(results, deciding) if is_table and not self.options.sort else results,
            per_query=self.options.per_query,
            digits=self.options.digits,
            width=terminal_width() if is_here else None,
            colour=is_here and use_colour(),
            beside=self.beside,
            next_step=self._next_step(deciding) if is_table and deciding else "",
        )
        return render_scores(report, form)

    def _next_step(self, metric: BoundMetric) -> str:
        """How to find out more; nothing where figures do not differ, or a single query would have to tell.

        Runs that were scored on other queries are compared on those they share.
        """
        figures = {result.summary[metric.name] for result in self.results}
        is_open = len(figures) > 1 and max(len(result.query_ids) for result in self.results) > 1
        command = compare_command(self.options, self.inputs, metric.name) if is_open else ""
        has_others = len({frozenset(result.query_ids) for result in self.results}) > 1
        return f"{command} --intersect" if command and has_others else command

    def _with_metrics(self, form: str, result: Result) -> Result:
        """Without what stands beside the figures, where the format is one for programs and nobody asked for it."""
        if form in FORMATS_WITH_JUDGED or not self.beside:
            return result
        return result.subset(metrics=[metric for metric in result.metrics if metric.name not in self.beside])


def _sort_results(results: Sequence[Result], metric: BoundMetric) -> list[Result]:
    from assay.reports import best_first

    return best_first([result.sorted_by(metric.name) for result in results], metric)


def compare_command(options: argparse.Namespace, inputs: Inputs, metric: str) -> str:
    """The question and a command that answers it, under the conventions of this one; nothing where it could not be pasted.

    One run has nothing to be compared with, and standard input is gone.
    """
    if len(inputs.runs) < 2 or "-" in (inputs.truth, *inputs.runs):
        return ""
    truth = ["--dataset", inputs.truth] if inputs.is_dataset else [inputs.truth]
    words = ["assay", "compare", *truth, *inputs.runs, "-m", metric, *_scoring_flags(options)]
    return f"{QUESTION}{shlex.join(words)}"


def _scoring_flags(options: argparse.Namespace) -> Iterator[str]:
    for name in (*SHARED_FLAGS, *(setting.name for setting in fields(Policy))):
        value = getattr(options, name)
        if value is None:
            continue
        yield f"--{name.replace('_', '-')}"
        if value is not True:
            yield f"{value:g}" if isinstance(value, float) else str(value)


COMMAND = Command("score", "score runs against judgments", add_arguments, run_score, EXAMPLES, "runs", computes=True)
