"""Plug-ins: what installed packages announce to assay in their entry points.

`importlib.metadata` reads the metadata of every installed package, which takes longer than scoring a small run. The file
`entry_points.txt` of a package is enough. If packages are installed in an unusual way, `importlib.metadata` is used.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

PREFIX = "assay."
"""The beginning of the name of each entry-point group."""
FOLDERS = (".dist-info", ".egg-info")


class PlugIn(NamedTuple):
    """An entry that a package announces: its group, its name, and where it is (`module:attribute`)."""

    group: str
    name: str
    value: str

    def load(self) -> Any:
        """Import the entry."""
        module, _, attributes = self.value.partition("[")[0].strip().partition(":")
        entry: Any = import_module(module.strip())
        for attribute in filter(None, attributes.strip().split(".")):
            entry = getattr(entry, attribute)
        return entry


def plug_in_points(group: str) -> tuple[PlugIn, ...]:
    """The entries that packages announce in a group. None of them is loaded."""
    return tuple(point for point in _all_points(tuple(sys.path)) if point.group == group)


@cache
def _all_points(path: tuple[str, ...]) -> tuple[PlugIn, ...]:
    """The entries of all groups of assay; of a package that is installed twice, those of the first on the path."""
    if not _is_usual():
        from importlib.metadata import entry_points

        known: Any = entry_points()
        groups = [group for group in known.groups if group.startswith(PREFIX)]
        points = [point for group in groups for point in known.select(group=group)]
        return tuple(PlugIn(point.group, point.name, point.value) for point in points)
    texts: dict[str, str] = {}
    for folder in path:
        for name in _listed(folder or "."):
            if name.endswith(FOLDERS) and (package := _package_of(name)) not in texts:
                texts[package] = _read(os.path.join(folder, name, "entry_points.txt"))  # noqa: PTH118 (pathlib is slower)
    return tuple(point for text in texts.values() if f"[{PREFIX}" in text for point in _parse(text))


def _is_usual() -> bool:
    """Whether all packages are in folders, and nothing else finds packages."""
    finders = [getattr(finder, "find_distributions", None) for finder in sys.meta_path]
    own = [finder for finder in finders if finder and getattr(finder, "__module__", "") != "_frozen_importlib_external"]
    return not own and not any(path.endswith(".egg") or os.path.isfile(path) for path in sys.path)  # noqa: PTH113


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []


def _package_of(name: str) -> str:
    """`My.Package-1.0.dist-info` → `my_package`."""
    return name.rpartition(".")[0].partition("-")[0].lower().replace(".", "_")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def _parse(text: str) -> list[PlugIn]:
    """The entries of assay's groups in a file of entry points."""
    points, group = [], ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group.startswith(PREFIX) and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            points.append(PlugIn(group, name.strip(), value.strip()))
    return points
