"""Catalogs: a folder whose records are entries.

A file of a catalog defines records of one kind: one, or a family of them (`PRECISION = Metric(…)`). Other packages add
entries through an entry-point group; they are loaded when somebody asks for what no file defines, or for all there is.
Nothing is listed by hand. Files with a leading underscore are passed over.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any, TypeVar, cast

from assay.errors import UnknownName, UsageError, near_matches
from assay.text import type_with_article

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Described:
    """An entry that is described where it is defined: in the docstring of its `function`.

    What makes several entries of one function gives each its meaning; the whole docstring is then about edge cases.
    """

    meaning: str = field(default="", repr=False)
    """One sentence: what it tells. The first line of the docstring, with a small letter unless it begins with a short name
    in capitals."""
    edge_cases: str = field(default="", repr=False)
    """What happens where the formula alone does not say. The rest of the docstring."""

    def __post_init__(self) -> None:
        first, _, rest = (inspect.getdoc(cast("Any", self).function) or "").partition("\n")
        if self.meaning:
            rest = f"{first} {rest}"
        else:
            object.__setattr__(self, "meaning", first if first[1:2].isupper() else first[:1].lower() + first[1:])
        object.__setattr__(self, "edge_cases", self.edge_cases or " ".join(rest.split()))


class Entries(Mapping[str, T]):
    """Name → record, sorted by name: the records that files of a folder define, and those of plug-ins.

    The same record seen in two files is one; two of one name are an error.
    """

    def __init__(self, own: list[T], kind: type[T], group: str) -> None:
        self.own = _by_name(own, kind)
        self._kind, self._group = kind, group

    @cached_property
    def plug_ins(self) -> dict[str, T]:
        """Those that other packages announce."""
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
    """Each record of that kind that a file of the folder defines, and each plug-in of the group; "": plug-ins alone."""
    modules = _modules_of(folder) if folder else []
    own = {id(entry): entry for module in modules for entry in vars(module).values() if isinstance(entry, kind)}
    return Entries(list(own.values()), kind, group)


def _modules_of(folder: str) -> list[Any]:
    package = importlib.import_module(folder)
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    return [importlib.import_module(f"{folder}.{name}") for name in names]


def plug_in_points(group: str) -> EntryPoints:
    """What other packages announce in a group; nothing of it is loaded."""
    points: EntryPoints = _all_points().select(group=group)
    return points


@cache
def _all_points() -> Any:
    """The entry points of every installed package, read once: that takes longer than all else here."""
    return entry_points()


def _check_is_new(point: EntryPoint, taken: Mapping[str, Any]) -> bool:
    if point.name in taken:
        raise UsageError(f"the plug-in {point.name} ({point.value}) has the name of one that is there already")
    return True


def _load_plug_in(point: EntryPoint, kind: type[T]) -> T:
    try:
        entry = point.load()
    except Exception as error:
        raise UsageError(f"the plug-in {point.name} ({point.value}) cannot be loaded: {error!r}") from error
    if isinstance(entry, kind):
        return entry
    what = f"the class {entry.__name__}" if isinstance(entry, type) else type_with_article(entry)
    raise UsageError(f"the plug-in {point.name} ({point.value}) is {what}; it must be an object of assay's {kind.__name__}")


def _by_name(entries: list[Any], kind: type[T]) -> dict[str, T]:
    for name, count in Counter(entry.name for entry in entries).items():
        if count > 1:
            raise UsageError(f"{count} {_plural(kind)} are called {name}; a plug-in needs a name of its own")
    return {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}


def _plural(kind: type) -> str:
    """StatisticalTest → statistical tests."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__).lower()
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def find_by_any_name(kind: str, name: str, known: Mapping[str, T]) -> T:
    """The entry that answers to the name, or has it among its `aliases`; case and hyphens do not matter."""
    plain = name.strip().lower().replace("-", "_")
    by_alias = {alias: entry for entry in known.values() for alias in getattr(entry, "aliases", ())}
    return by_alias[plain] if plain in by_alias else find_entry(kind, plain, known)


def find_entry(kind: str, name: str, known: Mapping[str, T]) -> T:
    """The entry of that name; or an error with those that may have been meant, and all there are."""
    if name not in known:
        raise UnknownName(kind, name, near_matches(name, known), f"there are {', '.join(known)}")
    return known[name]
