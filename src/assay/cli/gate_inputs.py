"""Inputs of gates: baselines, rules, and the best values so far."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output_options import open_store
from assay.errors import DataError, UsageError

if TYPE_CHECKING:
    from assay.monitoring import GuardMemory, Recorded, Rule
    from assay.store import LookupResult

BASELINE_HELP = "baseline to compare with: a blessed name, an evaluation or a file (default: main)"
RULE_HELP = "rule to check, such as 'ndcg@10 >= 0.42'; may be repeated"


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """The options for rules, and for a baseline that must exist."""
    parser.add_argument(
        "--rules",
        action="append",
        default=[],
        metavar="FILE",
        help="file of rules to check, such as gate.yaml; may be repeated",
    )
    parser.add_argument("--rule", action="append", default=[], metavar="RULE", help=RULE_HELP)
    parser.add_argument("--require-baseline", action="store_true", help="exit with 3 if the baseline does not exist")


def bless_command(name: str, evaluation: str) -> str:
    """The command that makes an evaluation the baseline of this name; empty if one of them is a file."""
    from assay.store import is_baseline_name

    return f"assay bless {evaluation} --as {name}" if evaluation and is_baseline_name(name) else ""


def read_rules(files: Iterable[str], texts: Iterable[str], recorded: Recorded = tuple) -> list[Rule]:
    """The rules of files and of the command line, without duplicates. `recorded` returns the metrics of the results."""
    from assay.monitoring import parse_rule, rules_from_yaml
    from assay.yaml_tree import MAX_LETTERS

    rules: list[Rule] = []
    for file in files:
        try:
            with Path(file).open(encoding="utf-8-sig") as stream:
                text = stream.read(MAX_LETTERS + 1)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror or error}", source=file) from None
        except UnicodeDecodeError:
            raise DataError("a file of rules must be text in UTF-8", source=file) from None
        rules += rules_from_yaml(text, file, recorded)
    rules += [parse_rule(text, "--rule", recorded=recorded) for text in texts]
    if not rules:
        raise UsageError('no rules are given. Add --rules gate.yaml, or --rule "ndcg@10 >= 0.42"')
    return list({rule.text: rule for rule in rules}.values())


@contextmanager
def guard_memory(options: argparse.Namespace, rules: Iterable[Rule]) -> Iterator[GuardMemory | None]:
    """The store remembers the candidates of guards; None without a guard, or if no store exists and none is named.

    A store that is named by --store or ASSAY_STORE is created.
    """
    from assay.store import Store, is_named, parse_location

    has_store = is_named(options.store) or parse_location(options.store).exists
    if not has_store or not any(rule.terms.guard for rule in rules):
        yield None
        return
    with Store.open(options.store) as store:
        yield store.guards


def best_so_far(
    options: argparse.Namespace, rules: Iterable[Rule], lookup: LookupResult | None
) -> dict[tuple[str, str, str], float]:
    """The best values before a stored evaluation; empty for a file, which has no history."""
    from assay.monitoring import best_so_far

    if lookup is None or not lookup.evaluation:
        return {}
    with open_store(options) as store:
        return best_so_far(rules, store.history, lookup.evaluation)
