"""assay plan: check a plan without running it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from assay.cli._command import Command
from assay.errors import UsageError

EXAMPLES = "  assay plan check plan.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which plan."""
    parser.add_argument("words", nargs="*", metavar="check plan.yaml", help="the plan to check")
    parser.add_argument("-f", "--format", default="text", choices=("text", "json"), metavar="FORMAT", help="text or json")


def run_plan(options: argparse.Namespace) -> int:
    """Names, parameters and benchmarks are resolved as `assay eval` would; nothing is asked."""
    if len(options.words) != 2 or options.words[0] != "check":
        raise UsageError("write assay plan check plan.yaml")
    from assay.datasets._format import load_dataset
    from assay.evaluation.plan import make_plan, read_plan
    from assay.reports._outputs import check_outputs

    path = options.words[1]
    plan = make_plan(read_plan(Path(path)), path)
    check_outputs(plan.outputs)
    sizes = {name: len(plan.selection.apply(load_dataset(name).queries)) for name in plan.benchmarks}
    if options.format == "json":
        sys.stdout.write(json.dumps({**plan.describe(), "queries": sizes}, ensure_ascii=False, indent=2) + "\n")
        return 0
    parts = [f"  {name} ({size:,} queries) × {provider.name}" for name, size in sizes.items() for provider in plan.providers]
    names = ", ".join(metric.name for metric in plan.metrics)
    sys.stdout.write(
        "\n".join([f"{path} is fine: {len(parts)} results, k = {plan.k}", *parts, f"  metrics: {names}"]) + "\n"
    )
    return 0


COMMAND = Command("plan", "check a plan without running it", add_arguments, run_plan, EXAMPLES)
