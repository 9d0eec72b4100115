"""The options of `assay eval`, and checks before they become a plan."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from assay.cli.output_options import add_by_argument, add_format, add_quiet, add_store_argument
from assay.cli.reading_options import add_reading_arguments
from assay.cli.scoring_options import (
    RELEVANCE_HELP,
    add_interval_arguments,
    add_policy_arguments,
    add_term_arguments,
    add_unit_arguments,
    integer_parser,
    parse_seconds,
)
from assay.errors import UsageError
from assay.grammar import WrittenName

MAX_COUNT = 1_000_000_000
_DOCUMENTS = "Use --documents to name the documents"
_BENCHMARK = "Use --benchmarks to name queries and judgments, and --documents if the documents are elsewhere"
OTHER_FLAGS = {
    **dict.fromkeys(("--corpus", "--collection", "--passages", "--chunks"), _DOCUMENTS),
    **dict.fromkeys(("--qrels", "--judgments", "--topics", "--golden", "--dataset"), _BENCHMARK),
}
"""Flag that people know from elsewhere → which flag does the same here."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A plan as a file, or as options; options override the file."""
    parser.set_defaults(more_words=[])
    parser.add_argument(
        "plan",
        nargs="?",
        metavar="plan.yaml",
        help="plan with benchmarks, providers and metrics; options override it",
    )
    _add_systems(parser)
    parser.add_argument(
        "-m",
        "--metrics",
        type=WrittenName,
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="metrics or groups; assay metrics lists all (default: the group rag)",
    )
    parser.add_argument(
        "--k",
        type=integer_parser(MAX_COUNT, 1),
        metavar="K",
        help="number of documents to retrieve per query (default: 100, or more if a metric needs more)",
    )
    parser.add_argument("--relevance", type=WrittenName, metavar="RESOLVER", help=RELEVANCE_HELP)
    add_unit_arguments(parser)
    add_term_arguments(parser)
    _add_selection(parser)
    _add_running(parser)
    _add_statistics(parser)
    add_policy_arguments(parser)
    _add_output(parser)


def _add_systems(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--benchmarks",
        nargs="+",
        metavar="BENCHMARK",
        help="names or paths of benchmarks; assay datasets lists the names",
    )
    parser.add_argument(
        "--queries",
        nargs="+",
        metavar="FILE",
        help="files of queries without judgments, instead of benchmarks: a table, JSON records, or one query per line",
    )
    parser.add_argument("--dataset-format", metavar="NAME", help="format of the benchmarks, if it is not recognised")
    add_reading_arguments(parser)
    parser.add_argument(
        "--chunkers",
        nargs="+",
        metavar="CHUNKER",
        help="split documents into chunks first, once with each chunker; assay chunkers lists all",
    )
    parser.add_argument(
        "--providers",
        type=WrittenName,
        nargs="+",
        metavar="PROVIDER",
        help="retrievers to run, such as bm25 or 'hybrid(bm25, dense)'; 'tuned=bm25(k1=0.9)' sets the name tuned; "
        "assay providers lists all",
    )


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("statistics")
    add_interval_arguments(group)
    add_by_argument(group)
    group.add_argument(
        "--test",
        metavar="TEST",
        help="significance test between providers; none turns it off (default: randomization)",
    )
    group.add_argument(
        "--correct-metrics",
        action="store_true",
        help="test every metric, and correct p over all of them (default: only the first metric decides)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    show = parser.add_argument_group("output")
    show.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help="also write to this file, in the format of its extension: results as .json .csv .md .tex "
        ".txt, rankings as .trec .run; may be repeated",
    )
    add_format(show, "output format: table, json, csv, markdown, latex or trec (default: table)")
    add_store_argument(show)
    show.add_argument("--no-store", action="store_true", help="do not save the results in the store")
    add_quiet(show)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("selection")
    group.add_argument("--limit", type=integer_parser(MAX_COUNT, 1), metavar="N", help="run only the first N queries")
    group.add_argument("--sample", type=integer_parser(MAX_COUNT, 1), metavar="N", help="run only N random queries")
    group.add_argument(
        "--seed", type=integer_parser(MAX_COUNT), metavar="SEED", help="random seed for --sample (default: 0)"
    )
    group.add_argument(
        "--where",
        nargs="+",
        action="extend",
        metavar="TAG=VALUE",
        help="run only queries with these tags, such as language=de difficulty=hard,medium",
    )
    group.add_argument(
        "--range",
        metavar="START:END",
        help="run only the queries at positions START to END - 1, counted from 0, such as 0:500",
    )
    group.add_argument(
        "--retry-failed",
        metavar="RESULT.json",
        help="run only the queries that failed in this result; copy the rest from it",
    )


def _add_running(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("running")
    group.add_argument("--resume", action="store_true", help="continue an interrupted evaluation")
    group.add_argument("--no-cache", action="store_true", help="query everything again, and do not cache embeddings")
    group.add_argument(
        "--concurrency",
        type=integer_parser(1000, 1),
        metavar="N",
        help="number of queries to run at the same time (default: 8)",
    )
    group.add_argument("--timeout", type=parse_seconds, metavar="SECONDS", help="time limit for one query (default: 60)")
    group.add_argument(
        "--index-timeout",
        type=parse_seconds,
        metavar="SECONDS",
        help="time limit for indexing the documents (default: 600 for your own code; no limit for built-in providers)",
    )
    group.add_argument(
        "--retries", type=integer_parser(100), metavar="N", help="number of retries for a query that failed (default: 2)"
    )
    group.add_argument(
        "--repeats",
        type=integer_parser(1000, 1),
        metavar="N",
        help="send each query N times, to measure run-to-run noise; scores are means (default: 1)",
    )
    group.add_argument("--strict", action="store_true", help="exit with 4 if any query failed")


PLAN_ENDINGS = (".yaml", ".yml")


def check_plan_word(options: argparse.Namespace) -> None:
    """Refuse `assay eval rag-template bm25`: the only positional argument is a plan."""
    words = [word for word in (options.plan, *options.more_words) if word]
    _check_one_place(options, words)
    if len(words) == 1:
        options.plan = words[0]
    if not words or (len(words) == 1 and words[0].lower().endswith(PLAN_ENDINGS)):
        return
    if len(words) == 1 and Path(words[0]).exists():
        _check_is_no_benchmark(words[0])
        return
    if any(word.lower().endswith(PLAN_ENDINGS) for word in words):
        raise UsageError(f"expected one plan, found {shlex.join(words)}. Give everything else with options")
    first, rest = words[0], words[1:] or ["bm25"]
    way = f"assay eval --benchmarks {shlex.quote(first)} --providers {shlex.join(rest)}"
    raise UsageError(f"{shlex.join(words)}: no such plan. Give benchmarks and providers with options:\n  {way}")


def _check_one_place(options: argparse.Namespace, words: Sequence[str]) -> None:
    """Refuse `--documents a.csv b.csv`: the second word would be read as a plan."""
    typed = list(options.typed)
    place = typed.index("--documents") + 2 if "--documents" in typed else len(typed)
    more = list(takewhile(lambda word: word in words and not word.lower().endswith(PLAN_ENDINGS), typed[place:]))
    if more:
        places = shlex.join([typed[place - 1], *more])
        raise UsageError(f"--documents accepts one place, found {places}. Put all documents into one table or one folder")


def _check_is_no_benchmark(word: str) -> None:
    """Refuse a benchmark or a folder in the place of the plan."""
    from assay.datasets import describe_if_benchmark

    if Path(word).is_dir() or describe_if_benchmark(Path(word)):
        raise UsageError(f"{word} is not a plan: add --benchmarks {shlex.quote(word)}")


def check_flags(options: argparse.Namespace) -> None:
    """Check values whose errors would otherwise name the keys of a plan instead of options."""
    from assay.execution import parse_range, parse_where
    from assay.stats import parse_paired_test

    flags: tuple[tuple[str, Callable[[Any], object], Any], ...] = (
        ("--test", parse_paired_test, options.test if options.test != "none" else None),
        ("--range", parse_range, options.range),
        ("--where", parse_where, options.where),
    )
    for flag, parse, value in flags:
        if value is None:
            continue
        try:
            parse(value)
        except UsageError as error:
            words = value if isinstance(value, str) else shlex.join(value)
            raise UsageError(f"{flag} {words}: {error}") from None


def check_is_result(path: str) -> None:
    """Check that `--retry-failed` names a result, not a plan or a run."""
    from assay.files import is_saved_result

    if Path(path).is_file() and not is_saved_result(path):
        raise UsageError(f"--retry-failed {path}: this is not a result. To write one: assay eval … -o result.json")
