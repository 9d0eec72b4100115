"""The flags of `assay eval`, and checks of what was typed before a plan is made of it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.cli.output_options import add_by_argument, add_format, add_quiet, add_store_argument
from assay.cli.scoring_options import (
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A plan as a file, or as flags; flags win."""
    parser.set_defaults(more_words=[])
    parser.add_argument("plan", nargs="?", metavar="plan.yaml", help="benchmarks, providers and metrics in a file")
    parser.add_argument("--benchmarks", nargs="+", metavar="BENCHMARK", help="names or paths; assay datasets lists names")
    parser.add_argument("--dataset-format", metavar="NAME", help="format of the benchmarks, where it is not recognised")
    parser.add_argument("--chunkers", nargs="+", metavar="CHUNKER", help="cut documents first, each way: assay chunkers")
    parser.add_argument(
        "--providers",
        type=WrittenName,
        nargs="+",
        metavar="PROVIDER",
        help="such as bm25 or 'hybrid(bm25, dense)'; 'tuned=bm25(k1=0.9)' is shown as tuned",
    )
    parser.add_argument(
        "-m", "--metrics", type=WrittenName, nargs="+", action="extend", metavar="METRIC", help="default: the group rag"
    )
    parser.add_argument(
        "--k", type=integer_parser(MAX_COUNT, 1), metavar="K", help="documents to ask for (default: 100 or more)"
    )
    parser.add_argument("--relevance", metavar="RESOLVER", help="who decides about relevance (default: auto)")
    add_unit_arguments(parser)
    add_term_arguments(parser)
    _add_selection(parser)
    _add_running(parser)
    _add_statistics(parser)
    add_policy_arguments(parser)
    _add_output(parser)


def _add_statistics(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("statistics")
    add_interval_arguments(group)
    add_by_argument(group)
    group.add_argument("--test", metavar="TEST", help="which provider is better by (default: randomization; none)")


def _add_output(parser: argparse.ArgumentParser) -> None:
    show = parser.add_argument_group("output")
    show.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help="results by ending: json, csv, md, tex, txt; rankings: trec, run; may be repeated",
    )
    add_format(show, "what is printed: csv, json, latex, markdown, table or trec (default: table)")
    add_store_argument(show)
    show.add_argument("--no-store", action="store_true", help="keep nothing in the store")
    add_quiet(show)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("selection")
    group.add_argument("--limit", type=integer_parser(MAX_COUNT, 1), metavar="N", help="the first N queries")
    group.add_argument("--sample", type=integer_parser(MAX_COUNT, 1), metavar="N", help="N queries at random")
    group.add_argument("--seed", type=integer_parser(MAX_COUNT), metavar="SEED", help="of the sample (default: 0)")
    group.add_argument(
        "--where",
        nargs="+",
        action="extend",
        metavar="TAG=VALUE",
        help="queries with these tags, such as language=de difficulty=hard,medium",
    )
    group.add_argument("--range", metavar="START:END", help="queries by their place, such as 0:500")
    group.add_argument(
        "--retry-failed",
        metavar="RESULT.json",
        help="ask only what failed in that result; the rest is taken from there",
    )


def _add_running(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("running")
    group.add_argument("--resume", action="store_true", help="go on where the same evaluation was cut short")
    group.add_argument("--no-cache", action="store_true", help="ask everything anew, and keep no embeddings")
    group.add_argument(
        "--concurrency", type=integer_parser(1000, 1), metavar="N", help="queries asked at the same time (default: 8)"
    )
    group.add_argument("--timeout", type=parse_seconds, metavar="SECONDS", help="for one query (default: 60)")
    group.add_argument(
        "--index-timeout",
        type=parse_seconds,
        metavar="SECONDS",
        help="to take the documents in (default: 600 for code of yours; providers of assay's own have no limit)",
    )
    group.add_argument(
        "--retries", type=integer_parser(100), metavar="N", help="new attempts for a query that failed (default: 2)"
    )
    group.add_argument("--strict", action="store_true", help="exit 4 if any query failed")


PLAN_ENDINGS = (".yaml", ".yml")


def check_plan_word(options: argparse.Namespace) -> None:
    """`assay eval rag-template bm25`: benchmarks and providers have flags; the one bare word is a plan."""
    words = [word for word in (options.plan, *options.more_words) if word]
    if len(words) == 1:
        options.plan = words[0]
    if not words or (len(words) == 1 and (Path(words[0]).exists() or words[0].lower().endswith(PLAN_ENDINGS))):
        return
    if any(word.lower().endswith(PLAN_ENDINGS) for word in words):
        raise UsageError(f"one plan at a time, and all else has a flag; found {shlex.join(words)}")
    first, rest = words[0], words[1:] or ["bm25"]
    way = f"assay eval --benchmarks {shlex.quote(first)} --providers {shlex.join(rest)}"
    raise UsageError(f"{shlex.join(words)}: no such plan; benchmarks and providers have flags:\n  {way}")


def check_flags(options: argparse.Namespace) -> None:
    """Check values that a plan would report in the words of a plan, not of the command line."""
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
    """What `--retry-failed` names is a result; a plan or a run is none."""
    from assay.evaluation import is_saved_result

    if Path(path).is_file() and not is_saved_result(path):
        raise UsageError(f"--retry-failed {path}: that is no result; assay eval … -o result.json writes one")
