"""assay gate --check: what the rules of a gate could notice, with or without results."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay.cli.terminal import terminal_width
from assay.errors import BadParameter, StoreError, UsageError
from assay.text import counted, printable, wrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.monitoring import RuleCheck

EXAMPLE_SIZES = (50, 200, 1000)
"""Numbers of queries that rules are checked with if neither results nor a number are given."""
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
        help="with --check: the number of queries (default: as in the results; without results, several numbers)",
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
    """Print what each rule can notice, each warning below its rule; it can be checked with several numbers of queries."""
    if options.format == "json":
        from assay.reports import json_text

        sys.stdout.write(json_text({"schema": "assay.gate-check/1", "rules": [check.to_dict() for check in checks]}))
        return
    sys.stdout.write(check_text(checks, terminal_width()))


def check_text(checks: Sequence[RuleCheck], width: int | None) -> str:
    """Two or three lines for each rule, then a conclusion."""
    lines: list[str] = []
    by_rule: dict[str, list[RuleCheck]] = {}
    for check in checks:
        by_rule.setdefault(check.rule.text, []).append(check)
    for rule, same in by_rule.items():
        lines.append(printable(rule))
        texts = [text for check in same for text in (check.text, check.warning and f"warning: {check.warning}") if text]
        lines += [line for text in dict.fromkeys(texts) for line in _indented(text, width)]
    if any(check.is_assumed for check in checks):
        lines.append(wrapped(ASSUMED, width) if width else ASSUMED)
    n, n_warned = len(by_rule), sum(any(check.warning for check in same) for same in by_rule.values())
    conclusion = f"{n_warned} of {n} rules should be changed." if n_warned else f"{counted(n, 'rule')} checked."
    if len(checks) > n:
        sizes = f"with {', '.join(f'{size:,}' for size in EXAMPLE_SIZES)} queries"
        conclusion = (
            f"{counted(n, 'rule')} checked {sizes}, because there are no results. To choose the number, add --queries."
        )
    return "\n".join([*lines, conclusion]) + "\n"


def _indented(text: str, width: int | None) -> list[str]:
    fitted = wrapped(printable(text), max(20, width - 2)) if width else printable(text)
    return [f"  {line}" for line in fitted.split("\n")]


def has_no_results(options: argparse.Namespace) -> bool:
    """Whether no result is named, and there is no store that can be read, or it is empty."""
    from assay.store import Store

    if options.files:
        return False
    try:
        with Store.open(options.store, create=False) as store:
            return not store.list(limit=1)
    except StoreError:
        return True
