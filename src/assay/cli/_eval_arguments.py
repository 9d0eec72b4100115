"""The flags of assay eval: what to ask whom, which queries, how, and what to show."""

from __future__ import annotations

import argparse

from assay.cli._confidence import add_interval_arguments
from assay.cli._numbers import seconds, whole_number
from assay.cli._policy import add_policy_arguments
from assay.cli._relevance import add_unit_arguments
from assay.cli._result_files import add_format
from assay.cli._slices import add_by
from assay.cli._store import add_store_argument
from assay.cli._terms import add_term_arguments
from assay.grammar import WrittenName

MANY = 1_000_000_000


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
    parser.add_argument("--k", type=whole_number(MANY, 1), metavar="K", help="documents to ask for (default: 100 or more)")
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
    add_by(group)
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
    show.add_argument("--quiet", action="store_true", help="nothing on standard error but errors and warnings")


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("selection")
    group.add_argument("--limit", type=whole_number(MANY, 1), metavar="N", help="the first N queries")
    group.add_argument("--sample", type=whole_number(MANY, 1), metavar="N", help="N queries at random")
    group.add_argument("--seed", type=whole_number(MANY), metavar="SEED", help="of the sample (default: 0)")
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
        "--concurrency", type=whole_number(1000, 1), metavar="N", help="queries asked at the same time (default: 8)"
    )
    group.add_argument("--timeout", type=seconds, metavar="SECONDS", help="for one query (default: 60)")
    group.add_argument(
        "--index-timeout",
        type=seconds,
        metavar="SECONDS",
        help="to take the documents in (default: 600 for code of yours; providers of assay's own have no limit)",
    )
    group.add_argument(
        "--retries", type=whole_number(100), metavar="N", help="new attempts for a query that failed (default: 2)"
    )
    group.add_argument("--strict", action="store_true", help="exit 4 if any query failed")
