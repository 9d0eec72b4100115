"""assay eval: put benchmarks to providers, and score what they retrieve."""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._command import Command
from assay.cli._numbers import whole_number
from assay.cli._policy import add_policy_arguments, given_policy
from assay.cli._progress import progress_watcher
from assay.cli._terminal import may_colour, terminal_width
from assay.errors import NothingSelected

if TYPE_CHECKING:
    from assay.evaluation.plan import Plan
    from assay.evaluation.result import Result

EXAMPLES = """\
  assay eval --benchmarks rag-template --providers bm25 dense "hybrid(bm25, dense)" --metrics ndcg@10 recall@10
  assay eval plan.yaml -o result.json -o run.trec
  assay eval plan.yaml --resume"""
MANY = 1_000_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A plan as a file, or as flags; flags win."""
    parser.add_argument("plan", nargs="?", metavar="plan.yaml", help="benchmarks, providers and metrics in a file")
    parser.add_argument("--benchmarks", nargs="+", metavar="BENCHMARK", help="names or paths")
    parser.add_argument("--providers", nargs="+", metavar="PROVIDER", help="such as bm25 or 'hybrid(bm25, dense)'")
    parser.add_argument("-m", "--metrics", nargs="+", action="extend", metavar="METRIC", help="default: the group rag")
    parser.add_argument(
        "--k", type=whole_number(MANY), metavar="K", help="documents to ask for (default: 100, or what metrics need)"
    )
    parser.add_argument("--relevance", metavar="RESOLVER", help="who decides about relevance (default: auto)")
    _add_selection(parser)
    _add_running(parser)
    add_policy_arguments(parser)
    show = parser.add_argument_group("output")
    show.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help="json, trec, csv, md or tex by ending; may be repeated",
    )
    show.add_argument("-f", "--format", default="table", metavar="FORMAT", help="what is printed (default: table)")
    show.add_argument("--quiet", action="store_true", help="no progress on standard error")


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("selection")
    group.add_argument("--limit", type=whole_number(MANY), metavar="N", help="the first N queries")
    group.add_argument("--sample", type=whole_number(MANY), metavar="N", help="N queries at random")
    group.add_argument("--seed", type=whole_number(MANY), metavar="SEED", help="of the sample (default: 0)")
    group.add_argument("--where", nargs="+", action="extend", metavar="TAG=VALUE", help="queries with these tags")
    group.add_argument("--range", metavar="START:END", help="queries by their place")
    group.add_argument("--retry-failed", metavar="RESULT", help="only queries that failed in that result")


def _add_running(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("running")
    group.add_argument("--resume", action="store_true", help="go on where the same evaluation was cut short")
    group.add_argument("--no-cache", action="store_true", help="ask everything anew, and keep no embeddings")
    group.add_argument(
        "--concurrency", type=whole_number(1000), metavar="N", help="queries asked at the same time (default: 8)"
    )
    group.add_argument("--timeout", type=float, metavar="SECONDS", help="for one query (default: 60)")
    group.add_argument(
        "--retries", type=whole_number(100), metavar="N", help="new attempts for a query that failed (default: 2)"
    )
    group.add_argument("--strict", action="store_true", help="exit 4 if any query failed")


def run_eval(options: argparse.Namespace) -> int:
    """Everything is resolved first; then asked, scored, written and printed."""
    from assay.evaluation.conduct import Conduct, carry_out, is_total_failure
    from assay.reports._outputs import check_outputs, write_output
    from assay.reports._report import find_renderer

    find_renderer(options.format)
    plan = _plan(options)
    outputs = [*plan.outputs, *options.output]
    check_outputs(outputs)
    name = _log_name(Path(options.plan)) if options.plan else ""
    with progress_watcher(quiet=options.quiet) as watch:
        conduct = Conduct(resume=options.resume, name=name, watch=watch, only_failed=_failed(options))
        results = carry_out(plan, conduct)
    for output in outputs:
        write_output(Path(output), results)
    sys.stdout.write(_rendered(options, results))
    return 4 if any(result.failures if plan.strict else is_total_failure(result) for result in results) else 0


def _log_name(plan: Path) -> str:
    """What a plan is known by: its name, and where it is, for many are called plan.yaml."""
    return f"plan-{plan.stem}-{hashlib.blake2b(bytes(plan.absolute()), digest_size=4).hexdigest()}"


def _plan(options: argparse.Namespace) -> Plan:
    from assay.evaluation.plan import make_plan, read_plan

    content: dict[str, Any] = dict(read_plan(Path(options.plan))) if options.plan else {}
    given = {
        **{name: getattr(options, name) for name in ("benchmarks", "providers", "metrics", "k", "relevance", "profile")},
        **{name: getattr(options, name) for name in ("concurrency", "timeout", "retries")},
        "strict": options.strict or None,
        "cache": False if options.no_cache else None,
    }
    content |= {name: value for name, value in given.items() if value is not None}
    selection = {name: getattr(options, name) for name in ("limit", "sample", "seed", "where", "range")}
    chosen = {name: value for name, value in selection.items() if value is not None}
    if chosen:
        content["selection"] = {**(content.get("selection") or {}), **chosen}
    policy = given_policy(options)
    if policy:
        content["policy"] = {**(content.get("policy") or {}), **policy}
    return make_plan(content, options.plan or "assay eval")


def _failed(options: argparse.Namespace) -> dict[tuple[str, str], frozenset[str]] | None:
    """Which queries failed in a result of before."""
    if not options.retry_failed:
        return None
    from assay.evaluation.saved import read_results

    results = read_results(options.retry_failed)
    failed = {(result.benchmark, result.name): frozenset(result.failures) for result in results if result.failures}
    if not failed:
        raise NothingSelected(f"{options.retry_failed}: no query failed there")
    return failed


def _rendered(options: argparse.Namespace, results: list[Result]) -> str:
    from assay.reports._evaluation import render_evaluation

    return render_evaluation(results, options.format, terminal_width(), colour=may_colour())


COMMAND = Command("eval", "run providers on benchmarks and score them", add_arguments, run_eval, EXAMPLES)
