"""Stored: results by reference or by file, and what is beside them in the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evaluation.result import Result
    from assay.monitoring.rule import Rule


@dataclass(frozen=True)
class Found:
    """Results, and where they are from."""

    results: tuple[Result, ...]
    label: str
    """For people: `main (2026-11-10, bm25)`."""
    evaluation: str = ""
    """The id of a stored evaluation; empty for a file."""


def find_results(reference: str, store: str | None) -> Found:
    """A file of `--format json` if there is one of that name, else an evaluation of the store."""
    from pathlib import Path

    from assay.errors import DataError
    from assay.evaluation.saved import is_saved_result, read_results

    if is_saved_result(reference):
        return Found(tuple(read_results(reference)), reference)
    if Path(reference).suffix == ".json" or Path(reference).is_file():
        if not Path(reference.partition("#")[0]).exists():
            raise DataError(f"{reference}: no such file")
        raise DataError(f"{reference}: no saved result; assay eval … -o result.json writes one")
    from assay.store import Store

    with Store.open(store, create=False) as opened:
        found = opened.find(reference)
    day, providers = found.started[:10], list(dict.fromkeys(result.name for result in found.results))
    who = ", ".join(providers[:3]) + (" …" if len(providers) > 3 else "")
    return Found(found.results, f"{reference} ({day}, {who})", found.id)


def find_baseline(reference: str, store: str | None) -> tuple[Found | None, str]:
    """The baseline, or None where nobody has blessed one of that name, and then what may have been meant.

    A file that is not there is an error.
    """
    from assay.evaluation.saved import is_saved_result
    from assay.store.place import parse_place

    if not is_saved_result(reference) and not reference.endswith(".json") and not parse_place(store).exists:
        return None, ""
    try:
        return find_results(reference, store), ""
    except UnknownName as error:
        if error.kind != "stored evaluation":
            raise
        return None, f" (did you mean {' or '.join(error.near)}?)" if error.near else ""


def read_rules(files: Iterable[str], texts: Iterable[str]) -> list[Rule]:
    """The rules of files and of the command line, each once."""
    from pathlib import Path

    from assay.errors import DataError, UsageError
    from assay.monitoring.rules import parse_rule, rules_from_yaml

    found: list[Rule] = []
    for file in files:
        try:
            text = Path(file).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise DataError(f"{file}: cannot be read: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise DataError(f"{file}: rules are text in UTF-8") from None
        found += rules_from_yaml(text, file)
    found += [parse_rule(text, "--rule") for text in texts]
    if not found:
        raise UsageError('there is no rule: give --rules gate.yaml, or --rule "ndcg@10 >= 0.42"')
    return list({rule.text: rule for rule in found}.values())


def best_so_far(rules: Iterable[Rule], found: Found, store: str | None) -> dict[tuple[str, str, str], float]:
    """The best earlier figures of the metrics that have a ratchet."""
    from assay.monitoring.history import best_before, series_of
    from assay.monitoring.rule_ratchet import RatchetRule

    names = list(dict.fromkeys(rule.bound.name for rule in rules if isinstance(rule, RatchetRule)))
    if not names or not found.evaluation:
        return {}
    from assay.store import Store

    with Store.open(store, create=False) as opened:
        series = [one for name in names for one in series_of(opened.history(name), name)]
    return best_before(series, found.evaluation)
