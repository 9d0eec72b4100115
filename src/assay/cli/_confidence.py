"""Flags for the intervals of summaries."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.cli._numbers import whole_number

if TYPE_CHECKING:
    from assay.evaluation import Result

METHODS = ("auto", "bootstrap", "bca", "t", "wilson", "none")
WITHOUT = {"trec", "html"}
"""Formats that have no place for intervals, or make their own."""
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


def with_confidence(options: argparse.Namespace, result: Result, forms: Sequence[str] = ()) -> Result:
    """The result with intervals: all that were asked for; else all where JSON is written, and that of the first metric."""
    forms = forms or [options.format]
    if options.ci == "none" or (options.ci is None and WITHOUT.issuperset(forms)):
        return result
    from assay.evaluation import with_intervals

    shown = None if options.ci is not None or "json" in forms else _first(result)
    return with_intervals(result, options.ci or "auto", options.level or 0.95, options.ci_seed, shown)


def confidence_in(form: str, options: argparse.Namespace, result: Result) -> Result:
    """The result with the intervals that this format shows: all in JSON or on request, else that of the first metric."""
    if options.ci is not None or form == "json":
        return result
    shown = set[str]() if form in WITHOUT else _first(result)
    return replace(result, intervals={name: one for name, one in result.intervals.items() if name in shown})


def _first(result: Result) -> set[str]:
    return {metric.name for metric in result.metrics[:1]}
