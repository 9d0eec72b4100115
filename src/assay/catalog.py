"""Catalogs: a folder whose files are entries.

In a catalog package every file without a leading underscore defines exactly one entry under a fixed upper-case
name (`METRIC = …`). Other packages add entries through an entry-point group. Nothing is listed by hand.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from typing import Any, TypeVar

from assay.errors import UnknownName, UsageError, near_matches

T = TypeVar("T")


class Described:
    """An entry that is described where it is defined: by its module's first line, and by its function's docstring."""

    function: Callable[..., Any]

    @property
    def meaning(self) -> str:
        """One sentence: what it tells."""
        doc = sys.modules[self.function.__module__].__doc__ or ""
        return doc.partition("\n")[0].partition(": ")[2]

    @property
    def edge_cases(self) -> str:
        """What happens where the formula alone does not say."""
        return " ".join((inspect.getdoc(self.function) or "").split())


def load_entries(package: str, attribute: str) -> dict[str, Any]:
    """Module name → its entry, for the package's own files and for the entry-point group of the same name."""
    folder = importlib.import_module(package)
    entries = {
        module.name: getattr(importlib.import_module(f"{package}.{module.name}"), attribute)
        for module in pkgutil.iter_modules(folder.__path__)
        if not module.name.startswith("_")
    }
    for point in entry_points(group=package):
        if point.name in entries:
            raise UsageError(f"the plug-in {point.name} ({point.value}) has the name of one that is there already")
        try:
            entries[point.name] = point.load()
        except Exception as error:
            raise UsageError(f"the plug-in {point.name} ({point.value}) cannot be loaded: {error!r}") from error
    return entries


def entries_by_name(package: str, attribute: str) -> dict[str, Any]:
    """The entry's own name → the entry, sorted by name."""
    return {entry.name: entry for entry in sorted(load_entries(package, attribute).values(), key=lambda entry: entry.name)}


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
