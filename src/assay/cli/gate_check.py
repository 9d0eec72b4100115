"""assay gate --check: what the rules of a gate could notice, with or without results."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay.cli.terminal import terminal_width
from assay.errors import BadParameter, UsageError
from assay.text import printable, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.monitoring import RuleCheck

ASSUMED = (
    "Without results of two systems, the check assumes other rankings on half of the queries (a standard deviation of the "
    "differences of 0.26 of the range). With results and a baseline, it uses their differences."
)


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a check of rules."""
    parser.add_argument(
        "--check",
        action="append",
        default=[],
        metavar="FILE",
        help="check a file of rules instead of results: say what each rule can notice with the queries at hand",
    )
    parser.add_argument(
        "--queries",
        type=int,
        metavar="N",
        help="with --check: the number of queries (default: as in the results)",
    )


def check_options(options: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if options.queries is not None and not options.check:
        raise UsageError("--queries needs --check: it says with how many queries rules are checked")
    if options.queries is not None and options.queries < 1:
        raise BadParameter(f"--queries must be a whole number of at least 1, not {options.queries}")
    if options.check and (options.output or options.format not in ("table", "json")):
        raise UsageError("--check prints text or JSON (-f json) and writes no files")


def print_check(options: argparse.Namespace, checks: Sequence[RuleCheck]) -> None:
    """Print what each rule can notice, each warning below its rule."""
    if options.format == "json":
        from assay.reports import json_text

        sys.stdout.write(json_text({"schema": "assay.gate-check/1", "rules": [check.to_dict() for check in checks]}))
        return
    sys.stdout.write(check_text(checks, terminal_width()))


def check_text(checks: Sequence[RuleCheck], width: int | None) -> str:
    """Two or three lines for each rule, then a conclusion."""
    lines: list[str] = []
    for check in checks:
        lines.append(printable(check.rule.text))
        lines += _indented(check.text, width)
        lines += _indented(f"warning: {check.warning}", width) if check.warning else []
    if any(check.is_assumed for check in checks):
        lines.append(wrapped(ASSUMED, width) if width else ASSUMED)
    n_warned = sum(bool(check.warning) for check in checks)
    conclusion = f"{n_warned} of {len(checks)} rules should be changed." if n_warned else f"{len(checks)} rules checked."
    return "\n".join([*lines, conclusion]) + "\n"


def _indented(text: str, width: int | None) -> list[str]:
    fitted = wrapped(printable(text), max(20, width - 2)) if width else printable(text)
    return [f"  {line}" for line in fitted.split("\n")]


def number_unknown(error: Exception) -> UsageError:
    """The error if neither results nor a number of queries are known."""
    return UsageError(f"--check needs a number of queries: add --queries 50, or name a result ({error})")
