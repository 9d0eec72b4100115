"""Tables: where modules go (`old path, new path, remark`), and which names change (`module, old name, new name`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tools.move.repository import Repository, module_name

MAIN = "(main part)"


@dataclass(frozen=True)
class Row:
    """One file and its new place."""

    old: Path
    new: Path
    remark: str = ""

    @property
    def is_main(self) -> bool:
        """Whether the joined file begins with it and keeps its docstring."""
        return MAIN in self.remark


@dataclass
class Changes:
    """What references follow: modules that have a new name, and names in modules that have one."""

    modules: dict[str, str] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    offered: set[tuple[str, str]] = field(default_factory=set)
    """Package and name of what a front door offers: it hides a file of that name."""
    handed_on: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    """Module and name of what is imported there → module and name that it is imported from, as things are before a move."""

    def home(self, module: str, name: str) -> tuple[str, str]:
        """The module that defines what is imported from another, and its name there."""
        seen = set()
        while (module, name) in self.handed_on and (module, name) not in seen:
            seen.add((module, name))
            module, name = self.handed_on[module, name]
        return module, name

    def new_door(self, package: str, name: str) -> str | None:
        """The front door that offers a name afterwards, where its file goes from one package to another."""
        home = self.home(package, name)[0]
        if (package, name) not in self.offered or home not in self.modules or not home.startswith(f"{package}."):
            return None
        new = ".".join(self.modules[home].split(".")[:2])
        return new if new != package else None

    def moved_file(self, package: str, name: str) -> str | None:
        """The new name of the module that `from package import name` takes, if that is a module and moves."""
        return None if (package, name) in self.offered else self.modules.get(f"{package}.{name}")

    def target(self, module: str, name: str) -> tuple[str, str]:
        """Where a name of a module is afterwards."""
        return self.new_door(module, name) or self.modules.get(module, module), self.names.get((module, name), name)

    def owners(self) -> set[str]:
        """Modules with names that change."""
        return {module for module, _ in self.names}

    def touches(self, module: str, name: str) -> bool:
        """Whether `from module import name` has to change."""
        return self.target(module, name) != (module, name) or self.moved_file(module, name) is not None


class TableError(Exception):
    """A table that cannot be followed."""


def _lines(path: Path) -> list[list[str]]:
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return rows[1:] if rows and rows[0][0] in {"old", "module"} else rows


def read_moves(path: Path) -> list[Row]:
    """Rows of a table of moves."""
    return [Row(Path(line[0]), Path(line[1]), line[2] if len(line) > 2 else "") for line in _lines(path)]


def read_renames(path: Path) -> dict[tuple[str, str], str]:
    """(module, old name) → new name; modules by the names that they have before a move."""
    return {(line[0], line[1]): line[2] for line in _lines(path)}


def select(rows: list[Row], places: list[str]) -> list[Row]:
    """Rows whose new path is one of the places or below it; with all that is joined there."""
    if not places:
        return rows
    return [row for row in rows if any(row.new.is_relative_to(place) for place in places)]


def groups(rows: list[Row]) -> dict[Path, list[Row]]:
    """New path → its sources, the main part first."""
    found: dict[Path, list[Row]] = {}
    for row in rows:
        found.setdefault(row.new, []).append(row)
    for sources in found.values():
        sources.sort(key=lambda row: (not row.is_main, row.old != row.new))
    return found


def module_changes(rows: list[Row]) -> Changes:
    """The modules of a table that change their names."""
    pairs = [(module_name(row.old), module_name(row.new)) for row in rows]
    return Changes({old: new for old, new in pairs if old != new})


def incomplete(rows: list[Row], repository: Repository, below: str = "src") -> list[str]:
    """What is wrong with a table of all moves: a module without a row, a row without a module, a module with two rows.

    A row whose move is done (the old file is gone, the new one is there) is in order.
    """
    present = {path for path in repository.modules().values() if path.is_relative_to(below)}
    counts = Counter(row.old for row in rows)
    news = {row.new for row in rows}
    wrong = [f"no row: {path}" for path in sorted(present - counts.keys() - news)]
    wrong += [f"no such file: {row.old}" for row in rows if row.old not in present and row.new not in present]
    wrong += [f"{n} rows: {path}" for path, n in sorted(counts.items()) if n > 1]
    return wrong
