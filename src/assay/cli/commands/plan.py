"""assay plan: check a plan without running it."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.program import Command
from assay.cli.streams import write_json
from assay.errors import UsageError
from assay.text import counted

if TYPE_CHECKING:
    from assay.execution import Plan

EXAMPLES = "  assay plan check plan.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, and the plan."""
    parser.add_argument("words", nargs="*", metavar="check plan.yaml", help="plan to check")
    parser.add_argument(
        "-f",
        "--format",
        default="text",
        choices=("text", "json"),
        metavar="FORMAT",
        help="output format: text or json (default: text)",
    )


def run_plan(options: argparse.Namespace) -> int:
    """Check names, parameters, files and benchmarks in the same way as `assay eval`; no query is run."""
    _check_words(options.words)
    from assay.execution import load_plan

    path = options.words[1]
    plan = load_plan(Path(path))
    sizes = _check_plan(plan, path)
    if options.format == "json":
        plain = {**plan.describe(), "queries": sizes, "notes": list(plan.notes)}
        write_json(plain)
        return 0
    parts = [f"  {name} ({size:,} queries) × {provider.name}" for name, size in sizes.items() for provider in plan.providers]
    lines = [f"{path} is valid: {counted(len(parts), 'result')}, k = {plan.k}", *parts]
    lines.append(f"  metrics: {', '.join(metric.name for metric in plan.metrics)}")
    sys.stdout.write("\n".join([*lines, *(f"note: {note}" for note in plan.notes)]) + "\n")
    return 0


def _check_words(words: Sequence[str]) -> None:
    """Expect one action and one plan. If the action is missing or misspelt, the error shows the full command."""
    if len(words) == 2 and words[0] == "check":
        return
    if len(words) > 2:
        raise UsageError(f"expected one plan, found {len(words) - 1}: assay plan check {shlex.quote(words[1])}")
    plan = shlex.quote(words[-1]) if words and words != ["check"] else ""
    if plan:
        raise UsageError(f"did you mean assay plan check {plan}? To run the plan: assay eval {plan}")
    raise UsageError("give a plan to check: assay plan check plan.yaml")


def _check_plan(plan: Plan, path: str) -> dict[str, int]:
    """Benchmark → number of queries; or an error that lists all faults."""
    from assay.evaluation import read_id_map
    from assay.execution import PlanFaults, load_benchmarks
    from assay.reports import check_outputs

    faults = PlanFaults(path)
    for output in plan.outputs:
        faults.attempt(check_outputs, [output])
    for provider in plan.providers:
        faults.attempt(provider.check)
    if isinstance(plan.relevance.id_map, str):
        faults.attempt(read_id_map, Path(plan.relevance.id_map))
    datasets = load_benchmarks(plan, faults)
    chosen = {name: faults.attempt(plan.selection.apply, dataset.queries) for name, dataset in datasets.items()}
    faults.raise_if_any()
    return {name: len(queries or ()) for name, queries in chosen.items()}


COMMAND = Command("plan", "check a plan without running it", add_arguments, run_plan, EXAMPLES)
