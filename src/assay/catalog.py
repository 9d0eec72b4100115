"""Catalogs: a folder whose files are entries.

In a catalog package every file without a leading underscore defines exactly one entry under a fixed upper-case
name (`METRIC = …`). Other packages add entries through an entry-point group. Nothing is listed by hand.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.metadata import entry_points
from typing import Any

from assay.errors import UsageError


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
