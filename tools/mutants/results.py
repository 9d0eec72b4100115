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
STATUSES, OPEN = (KILLED, SURVIVED, TIMEOUT), "open"


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

    def table(self, mutants: Sequence[Mutant], basis: str) -> str:
        """The table of some mutants."""
        return table_text([(mutant, self.find(mutant, basis)) for mutant in mutants])

    def write_table(self, mutants: Sequence[Mutant], basis: str) -> None:
        """Write the table of all mutants."""
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / TEXT).write_text(self.table(mutants, basis), encoding="utf-8")


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
    heads = ["mutant", "area", "outcome", "tests", "seconds", "killed by"]
    cells = [heads, *(_cells(mutant, outcome) for mutant, outcome in rows)]
    areas = [*dict.fromkeys(mutant.area for mutant, _ in rows), "all"]
    sums = [["area", *STATUSES, OPEN]]
    for area in areas:
        counts = Counter(_status(outcome) for mutant, outcome in rows if area in (mutant.area, "all"))
        sums.append([area, *(str(counts[status]) for status in (*STATUSES, OPEN))])
    return "\n".join([*_aligned(cells), "", *_aligned(sums)]) + "\n"


def _status(outcome: Outcome | None) -> str:
    return outcome.status if outcome else OPEN


def _cells(mutant: Mutant, outcome: Outcome | None) -> list[str]:
    if outcome is None:
        return [mutant.name, mutant.area, OPEN, "", "", ""]
    why = outcome.killer or ("no test runs its lines" if not outcome.n_tests else "")
    aside = f" ({len(outcome.set_aside)} set aside)" if outcome.set_aside else ""
    return [mutant.name, mutant.area, outcome.status, f"{outcome.n_tests:,}", f"{outcome.seconds:.1f}", why + aside]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of one width each."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
