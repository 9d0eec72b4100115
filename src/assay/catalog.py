"""Catalogs: a folder whose records are entries.

A file of a catalog defines records of one kind: one, or a family of them (`PRECISION = Metric(…)`). Other packages add
entries through an entry-point group. Nothing is listed by hand. Files with a leading underscore are passed over.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any, TypeVar, cast

from assay.errors import UnknownName, UsageError, near_matches

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


def load_entries(folder: str, kind: type[T], group: str) -> dict[str, T]:
    """Name → record, sorted by name: each record of that kind that a file of the folder defines, and each plug-in.

    The same record seen in two files is one; two of one name are an error.
    """
    package = importlib.import_module(folder)
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    modules = [importlib.import_module(f"{folder}.{name}") for name in names]
    own = {id(entry): entry for module in modules for entry in vars(module).values() if isinstance(entry, kind)}
    entries = _by_name(list(own.values()), kind)
    return _by_name([*entries.values(), *_plug_ins(group, entries)], kind)


def _plug_ins(group: str, taken: Mapping[str, Any]) -> list[Any]:
    """What other packages announce."""
    entries = []
    for point in entry_points(group=group):
        if point.name in taken:
            raise UsageError(f"the plug-in {point.name} ({point.value}) has the name of one that is there already")
        try:
            entries.append(point.load())
        except Exception as error:
            raise UsageError(f"the plug-in {point.name} ({point.value}) cannot be loaded: {error!r}") from error
    return entries


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
