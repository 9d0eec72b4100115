"""Scoring in Spark: the options of `assay score --engine spark`, and the results of its tables."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import PurePosixPath
from threading import Timer
from typing import TYPE_CHECKING, Any

from assay.cli.inputs import InputRules, Inputs, Word, check_metrics_are_no_files
from assay.cli.loading import load_truth
from assay.cli.terminal import log_policy
from assay.errors import DataError, UsageError

if TYPE_CHECKING:
    from assay.cli.scoring_options import ScoringOptions
    from assay.evaluation import Result

ENGINES = ("local", "spark")
SECONDS_TO_START = 30
FORMS = ("auto", "grouped", "counting")
WITHOUT_SPARK = ("master", "run_col", "form")
"""Options that only Spark has."""
NOT_IN_SPARK = (
    *("dataset", "dataset_format", "relevance", "f1_threshold", "unit", "id_map", "missing_documents", "ontology"),
    *("annotations", "by", "cluster", "documents", "lenient"),
)
"""Options that need texts, tags, or the rows of a file."""


def add_engine_arguments(parser: argparse.ArgumentParser) -> None:
    """Where runs are counted."""
    group = parser.add_argument_group("engine")
    group.add_argument(
        "--engine",
        choices=ENGINES,
        default=ENGINES[0],
        metavar="|".join(ENGINES),
        help="where rows are counted; spark: runs are Parquet files, folders or addresses such as s3a://bucket/runs "
        "(default: local)",
    )
    group.add_argument(
        "--master",
        metavar="URL",
        help="with --engine spark: spark://host:7077, yarn, sc://host of Spark Connect, or local[4]",
    )
    group.add_argument("--run-col", metavar="NAME", help="with --engine spark: the column that names the run of each row")
    group.add_argument(
        "--form",
        choices=FORMS,
        metavar="|".join(FORMS),
        help="with --engine spark: grouped moves all rows once, counting moves none and reads them several times "
        "(default: auto, by size)",
    )


def check_engine(options: argparse.Namespace) -> bool:
    """Whether runs are scored in Spark; an error for an option that the engine does not have."""
    is_spark = options.engine == "spark"
    names = NOT_IN_SPARK if is_spark else WITHOUT_SPARK
    if flag := next((f"--{name.replace('_', '-')}" for name in names if getattr(options, name)), None):
        raise UsageError(f"{flag} cannot be used with --engine spark" if is_spark else f"{flag} needs --engine spark")
    return is_spark


def spark_inputs(options: argparse.Namespace, rules: InputRules) -> Inputs:
    """The judgments and the tables, which may be addresses; nothing is read."""
    check_metrics_are_no_files(options)
    typed = [*options.files, *options.more_runs]
    if len(typed) < 2:
        raise UsageError(
            f"expected judgments and at least one run; found {', '.join(typed) or 'nothing'}. For example:\n"
            f"  {options.prog} --engine spark qrels.parquet s3a://bucket/runs -m ndcg@10"
        )
    return Inputs(rules, typed[0], is_dataset=False, systems=tuple(map(Word.of, typed[1:])))


def score_in_spark(options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions) -> list[Result]:
    """The results of all tables; with --run-col, of each run in them."""
    from assay.spark import Request, open_session, read_table, results_of, shown_address, spark_errors

    log_policy(options, scoring.profile)
    results: list[Result] = []
    with ExitStack() as stack:
        place = shown_address(options.master) if options.master else "Spark"
        with _noted_after(SECONDS_TO_START, f"waiting for {place} to start the first task …"):
            session = stack.enter_context(open_session(options.master))
        truth = _truth(options, inputs, scoring, session)
        for word in inputs.systems:
            with _errors_at(word.path), spark_errors(word.path):
                table = read_table(session, word.path)
                request = Request.checked(truth, table, options.run_col, scoring.settings, scoring.profile)
                name = word.name or PurePosixPath(word.path).stem
                results += results_of(
                    request, options.form or "auto", name, tie_band=scoring.tie_band, residuals=scoring.residuals
                ).values()
    return _named_apart(results)


@contextmanager
def _noted_after(seconds: float, words: str) -> Iterator[None]:
    """Print a note if the block takes longer: a cluster whose workers are busy or too small lets a program wait forever."""
    timer = Timer(seconds, print, (f"note: {words}",), {"file": sys.stderr, "flush": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _truth(options: argparse.Namespace, inputs: Inputs, scoring: ScoringOptions, session: Any) -> Any:
    """The judgments: collected from a table if only Spark can read them, else those of a file."""
    from assay.spark import collected_judgments, is_table, read_table, spark_errors

    if not is_table(inputs.truth):
        return load_truth(options, inputs, scoring)
    with _errors_at(inputs.truth), spark_errors(inputs.truth):
        return collected_judgments(read_table(session, inputs.truth))[0]


@contextmanager
def _errors_at(path: str) -> Iterator[None]:
    """Errors of the data name the table."""
    try:
        yield
    except DataError as error:
        raise error.at(path) from None


def _named_apart(results: list[Result]) -> list[Result]:
    """The results, numbered if several have the same name."""
    names = Counter(result.name for result in results)
    return [
        result.distinguished(f"{result.name} ({number})") if names[result.name] > 1 else result
        for number, result in enumerate(results, 1)
    ]
