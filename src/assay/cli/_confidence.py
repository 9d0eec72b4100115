"""Flags for the intervals of summaries."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli._numbers import whole_number

if TYPE_CHECKING:
    from assay.evaluation.result import Result

METHODS = ("auto", "bootstrap", "bca", "t", "wilson", "none")
MANY = 1_000_000_000


def add_confidence_arguments(group: argparse._ArgumentGroup) -> None:
    """How sure a figure is."""
    add_interval_arguments(group)
    group.add_argument("--ci-seed", type=whole_number(MANY), default=0, metavar="SEED", help="of the bootstrap (default: 0)")


def add_interval_arguments(group: argparse._ArgumentGroup) -> None:
    """The method and the level."""
    group.add_argument(
        "--ci",
        choices=METHODS,
        metavar="METHOD",
        help="intervals of all metrics, in every format: auto, bootstrap, bca, t, wilson or none",
    )
    group.add_argument("--level", type=level, metavar="LEVEL", help="of the intervals (default: 0.95)")


def level(text: str) -> float:
    """A confidence level: 0.95, or 95 %."""
    try:
        value = float(text.strip().rstrip("% "))
    except ValueError:
        value = float("nan")
    value = value / 100 if 1 < value < 100 else value
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"a confidence level is a number between 0 and 1, such as 0.95, not {text!r}")
    return value


def with_confidence(options: argparse.Namespace, result: Result) -> Result:
    """The result with intervals: all that were asked for; else all in JSON, and in a table that of the first metric."""
    if options.ci == "none" or (options.ci is None and options.format not in ("table", "json")):
        return result
    from assay.evaluation.intervals import with_intervals

    first = {metric.name for metric in result.metrics[:1]}
    shown = first if options.ci is None and options.format == "table" else None
    return with_intervals(result, options.ci or "auto", options.level or 0.95, options.ci_seed, shown)
