"""What assay eval tells beside its table: choices and timings with -v, and where to look next."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.cli._verbose import log_intervals, log_policy, log_verbose
from assay.text import counted

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.execution import Plan
    from assay.store import StoreLocation


def tell_plan(options: argparse.Namespace, plan: Plan) -> None:
    """Everything that was chosen before the first query is asked."""
    retry_policy, statistics = plan.retry_policy, plan.statistics
    log_verbose(options, f"metrics: {', '.join(metric.name for metric in plan.metrics)}")
    log_policy(options, plan.profile)
    log_verbose(options, f"relevance: {plan.relevance.by}, unit {plan.relevance.unit}")
    waits = (
        f"{retry_policy.concurrency} at the same time, {retry_policy.timeout:g} s each, "
        f"{counted(retry_policy.retries, 'retry')}"
    )
    log_verbose(options, f"asked: {plan.k} documents a query, {waits}")
    test = statistics.significance_testing or "none"
    log_verbose(options, f"statistics: intervals by {statistics.confidence_intervals or 'none'}, test {test}, seed 0")


def tell_results(options: argparse.Namespace, results: Sequence[Result]) -> None:
    """How long each provider took, by what it did, and which method made the intervals."""
    for result in results:
        seconds = result.provenance.get("seconds") or {}
        parts = ", ".join(f"{what} {time:.2f} s" for what, time in seconds.items() if isinstance(time, int | float))
        about = result.provenance.get("dataset") or {}
        log_verbose(options, f"{result.benchmark} ({about.get('format', '')})/{result.name}: {parts}")
    log_intervals(options, results)


def ends_in_table(text: str) -> bool:
    """Whether the last line is one of a table, which is set off to the right, and no sentence."""
    return text.rstrip("\n").rpartition("\n")[2].startswith(" ")


def where_to_look(place: StoreLocation, given: str | None) -> str:
    """Commands that show what was stored; with the store, where it was named and nothing secret is in its name."""
    is_told = given is not None and "***" not in str(place)
    store = f" --store {shlex.quote(str(given))}" if is_told else ""
    return f"Look: assay show latest{store} · Report: assay report latest{store} -o report.html"
