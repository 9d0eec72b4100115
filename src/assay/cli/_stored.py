"""Stored: results by reference or by file, and what is beside them in the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.store import LookupResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.monitoring import Recorded, Rule

__all__ = ["LookupResult", "best_so_far", "bless_command", "find_baseline", "find_results", "read_rules"]


def find_results(reference: str, store: str | None) -> LookupResult:
    """A file of `--format json` where that is one, else an evaluation of the store."""
    from assay.store import find_results

    return find_results(reference, store)


def find_baseline(reference: str, store: str | None) -> tuple[LookupResult | None, str]:
    """The baseline, or None where nobody has blessed one of that name, and then what may have been meant."""
    from assay.store import find_baseline

    return find_baseline(reference, store)


def bless_command(name: str, evaluation: str) -> str:
    """What makes an evaluation the baseline of a name; empty where it is a file, or nothing can be blessed so."""
    from assay.store import is_baseline_name

    return f"assay bless {evaluation} --as {name}" if evaluation and is_baseline_name(name) else ""


def read_rules(files: Iterable[str], texts: Iterable[str], recorded: Recorded = tuple) -> list[Rule]:
    """The rules of files and of the command line, each once. `recorded` gives the metrics of the results they are about."""
    from pathlib import Path

    from assay.errors import DataError, UsageError
    from assay.monitoring import parse_rule, rules_from_yaml
    from assay.yaml_tree import MOST_LETTERS

    found: list[Rule] = []
    for file in files:
        try:
            with Path(file).open(encoding="utf-8-sig") as stream:
                text = stream.read(MOST_LETTERS + 1)
        except OSError as error:
            raise DataError(f"{file}: cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise DataError(f"{file}: rules are text in UTF-8") from None
        found += rules_from_yaml(text, file, recorded)
    found += [parse_rule(text, "--rule", recorded=recorded) for text in texts]
    if not found:
        raise UsageError('there is no rule: give --rules gate.yaml, or --rule "ndcg@10 >= 0.42"')
    return list({rule.text: rule for rule in found}.values())


def best_so_far(rules: Iterable[Rule], found: LookupResult, store: str | None) -> dict[tuple[str, str, str], float]:
    """The best earlier figures of the metrics that have a ratchet."""
    from assay.monitoring import RatchetRule, best_before, series_of

    metrics = {rule.bound.name: rule.bound for rule in rules if isinstance(rule, RatchetRule)}
    if not metrics or not found.evaluation:
        return {}
    from assay.store import Store

    with Store.open(store, create=False) as opened:
        series = [one for name, bound in metrics.items() for one in series_of(opened.history(name), bound)]
    return best_before(series, found.evaluation)
