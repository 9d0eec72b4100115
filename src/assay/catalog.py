"""Catalogs: the records in the files of a folder, by name.

Each file defines one record or a family of records of one kind (`PRECISION = Metric(…)`). Nothing is listed by hand.
Files with a leading underscore are skipped. Other packages add entries through an entry-point group. These plug-ins are
loaded only when a name is asked for that no file defines, or when all entries are asked for.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

from assay.errors import UnknownName, UsageError, near_matches
from assay.plug_ins import PlugIn, plug_in_points
from assay.text import type_with_article

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Described:
    """An entry that is described in the docstring of its `function`.

    If several entries share a function, each has its own `meaning`, and the whole docstring is about edge cases.
    """

    meaning: str = field(default="", repr=False)
    """What it measures or does, in one sentence: the first line of the docstring.

    Its first letter becomes lower case, unless the line begins with an abbreviation.
    """
    edge_cases: str = field(default="", repr=False)
    """What happens in cases that the formula does not cover: the rest of the docstring."""

    def __post_init__(self) -> None:
        first, _, rest = (inspect.getdoc(cast("Any", self).function) or "").partition("\n")
        if self.meaning:
            rest = f"{first} {rest}"
        else:
            object.__setattr__(self, "meaning", first if first[1:2].isupper() else first[:1].lower() + first[1:])
        object.__setattr__(self, "edge_cases", self.edge_cases or " ".join(rest.split()))


class Entries(Mapping[str, T]):
    """Name → record, sorted by name: the records that the files of a folder define, and those of plug-ins.

    A record that is imported by a second file counts once. Two records with the same name are an error.
    """

    def __init__(self, own: list[T], kind: type[T], group: str) -> None:
        self.own = _by_name(own, kind)
        self._kind, self._group = kind, group

    @cached_property
    def plug_ins(self) -> dict[str, T]:
        """The entries that other packages announce."""
        points = [point for point in plug_in_points(self._group) if _check_is_new(point, self.own)]
        entries = [_load_plug_in(point, self._kind) for point in points]
        _by_name([*self.own.values(), *entries], self._kind)
        return _by_name(entries, self._kind)

    @cached_property
    def _all(self) -> dict[str, T]:
        return _by_name([*self.own.values(), *self.plug_ins.values()], self._kind)

    def __getitem__(self, name: str) -> T:
        return self.own[name] if name in self.own else self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def load_entries(folder: str, kind: type[T], group: str) -> Entries[T]:
    """All records of that kind in the files of the folder, and the plug-ins of the group; without a folder, the plug-ins."""
    modules = _modules_of(folder) if folder else []
    own = {id(entry): entry for module in modules for entry in vars(module).values() if isinstance(entry, kind)}
    return Entries(list(own.values()), kind, group)


def _modules_of(folder: str) -> list[Any]:
    package = importlib.import_module(folder)
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    return [importlib.import_module(f"{folder}.{name}") for name in names]


def _check_is_new(point: PlugIn, taken: Mapping[str, Any]) -> bool:
    if point.name in taken:
        raise UsageError(
            f"the plug-in {point.name} ({point.value}) has the same name as a built-in entry. Rename the plug-in"
        )
    return True


def _load_plug_in(point: PlugIn, kind: type[T]) -> T:
    try:
        entry = point.load()
    except Exception as error:
        raise UsageError(f"the plug-in {point.name} ({point.value}) cannot be loaded: {error!r}") from error
    if isinstance(entry, kind):
        return entry
    what = f"the class {entry.__name__}" if isinstance(entry, type) else type_with_article(entry)
    raise UsageError(f"the plug-in {point.name} ({point.value}) must be an instance of assay's {kind.__name__}, not {what}")


def _by_name(entries: list[Any], kind: type[T]) -> dict[str, T]:
    for name, count in Counter(entry.name for entry in entries).items():
        if count > 1:
            raise UsageError(f"{count} {_plural(kind)} are called {name}. Give each plug-in a name that is not used yet")
    return {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}


def _plural(kind: type) -> str:
    """StatisticalTest → statistical tests."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def find_by_any_name(kind: str, name: str, known: Mapping[str, T]) -> T:
    """The entry that has this name or alias. Upper and lower case are the same, and so are `-` and `_`."""
    plain = name.strip().lower().replace("-", "_")
    by_alias = {alias: entry for entry in known.values() for alias in getattr(entry, "aliases", ())}
    return by_alias[plain] if plain in by_alias else find_entry(kind, plain, known)


def find_entry(kind: str, name: str, known: Mapping[str, T]) -> T:
    """The entry with this name; or an error with similar names and all names."""
    if name not in known:
        raise UnknownName(kind, name, near_matches(name, known), f"choose from {', '.join(known)}")
    return known[name]
