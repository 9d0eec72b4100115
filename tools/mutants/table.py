"""The table of mutants: a TOML file with an array of entries."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any


class MutantError(Exception):
    """A table, a place or a recording that cannot be used."""


@dataclass(frozen=True)
class Mutant:
    """One fault: in a function of a file, a text and what it becomes."""

    name: str
    area: str
    file: str
    """Relative to the package: `metrics/gains.py`."""
    function: str
    """Its name, `Class.method` where it is one; empty for a statement outside of functions."""
    before: str
    """A text that occurs once in the function."""
    after: str
    effect: str
    """What goes wrong for whoever uses it, in words."""

    @property
    def digest(self) -> str:
        """Equal where the same text becomes the same."""
        words = {name: value for name, value in asdict(self).items() if name not in ("area", "effect")}
        return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()[:16]


def read_mutants(paths: Iterable[Path]) -> list[Mutant]:
    """All entries of some tables, in order; no two have one name."""
    mutants = [_mutant(entry, path) for path in paths for entry in _entries(path)]
    names = [mutant.name for mutant in mutants]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise MutantError(f"two mutants are called {twice[0]}")
    return mutants


def _entries(path: Path) -> list[Any]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise MutantError(f"{path}: {error}") from None
    lists = [value for value in document.values() if isinstance(value, list)]
    if len(document) != 1 or not lists:
        raise MutantError(f"{path}: expected one array of entries, [[mutant]]")
    entries: list[Any] = lists[0]
    return entries


def _mutant(entry: Any, path: Path) -> Mutant:
    wanted = {field.name for field in fields(Mutant)}
    given = set(entry) if isinstance(entry, dict) else set()
    where = f"{path}: {entry.get('name', 'an entry') if isinstance(entry, dict) else entry!r}"
    if given != wanted or not all(isinstance(value, str) for value in entry.values()):
        raise MutantError(f"{where} has {', '.join(sorted(given))}; expected the texts {', '.join(sorted(wanted))}")
    return Mutant(**entry)


def select_mutants(mutants: Sequence[Mutant], names: Sequence[str] = (), areas: Sequence[str] = ()) -> list[Mutant]:
    """Those with one of the names and in one of the areas; without any, all."""
    if unknown := [name for name in names if name not in {mutant.name for mutant in mutants}]:
        raise MutantError(f"no mutant is called {unknown[0]!r}")
    if unknown := [area for area in areas if area not in {mutant.area for mutant in mutants}]:
        raise MutantError(f"no area is called {unknown[0]!r}   (choose from {', '.join(sorted({m.area for m in mutants}))})")
    return [mutant for mutant in mutants if (not names or mutant.name in names) and (not areas or mutant.area in areas)]
