"""Results: what became of each mutant, in a JSON file that is written after each of them, and as a table for people."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools.mutants.judging import KILLED, SURVIVED, TIMEOUT, Outcome
from tools.mutants.table import Mutant, MutantError

JSON, TEXT = "results.json", "results.txt"
STATUSES = (KILLED, SURVIVED, TIMEOUT)


class Results:
    """The outcomes in a folder. One counts as long as its mutant, the mutant's file and the recording are the same."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        file = folder / JSON
        self._known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}

    def find(self, mutant: Mutant, basis: str) -> Outcome | None:
        """The outcome of a mutant, if it is known on that basis."""
        known = self._known.get(mutant.name)
        if known is None or known["basis"] != _basis(mutant, basis):
            return None
        outcome = known["outcome"]
        return Outcome(**{**outcome, "set_aside": tuple(outcome["set_aside"])})

    def add(self, mutant: Mutant, basis: str, outcome: Outcome) -> None:
        """Keep an outcome, and write all of them."""
        self._known[mutant.name] = {"basis": _basis(mutant, basis), "effect": mutant.effect, "outcome": asdict(outcome)}
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(dict(sorted(self._known.items())), indent=1, ensure_ascii=False)
        partial = self.folder / f"{JSON}.part"
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(self.folder / JSON)

    def write_table(self, mutants: Sequence[Mutant], basis: str) -> str:
        """The table of all mutants, also for people; it is returned as well."""
        text = table_text([(mutant, self.find(mutant, basis)) for mutant in mutants])
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / TEXT).write_text(text, encoding="utf-8")
        return text


def read_killed(file: Path) -> list[str]:
    """The names of mutants that were killed, by results that were kept."""
    try:
        known = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise MutantError(f"{file}: {error}") from None
    return [name for name, one in known.items() if one["outcome"]["status"] == KILLED]


def _basis(mutant: Mutant, basis: str) -> str:
    return f"{mutant.digest} {basis}"


def table_text(rows: Sequence[tuple[Mutant, Outcome | None]]) -> str:
    """A line for each mutant, then how many of each area were killed."""
    lines = [
        f"{'mutant':40} {'area':12} {'outcome':10} {'tests':>6} {'seconds':>8}  killed by",
        *(_line(mutant, outcome) for mutant, outcome in rows),
        "",
        f"{'area':12} " + " ".join(f"{status:>9}" for status in (*STATUSES, "open")),
    ]
    for area in [*dict.fromkeys(mutant.area for mutant, _ in rows), "all"]:
        counts = Counter(outcome.status if outcome else "open" for mutant, outcome in rows if area in (mutant.area, "all"))
        lines.append(f"{area:12} " + " ".join(f"{counts[status]:>9}" for status in (*STATUSES, "open")))
    return "\n".join(lines) + "\n"


def _line(mutant: Mutant, outcome: Outcome | None) -> str:
    if outcome is None:
        return f"{mutant.name:40} {mutant.area:12} open"
    figures = f"{outcome.n_tests:>6,} {outcome.seconds:>8.1f}"
    why = outcome.killer or ("no test runs its lines" if not outcome.n_tests else "")
    aside = f" ({len(outcome.set_aside)} set aside)" if outcome.set_aside else ""
    return f"{mutant.name:40} {mutant.area:12} {outcome.status:10} {figures}  {why}{aside}".rstrip()
