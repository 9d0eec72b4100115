"""Installation: which versions, packages, store, caches and plug-ins this assay uses."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.atomic_write import cache_folder
from assay.errors import AssayError
from assay.extras import DISTRIBUTION, PURPOSES, Package, install_command, required_packages
from assay.text import counted

if TYPE_CHECKING:
    from assay.store import StoreLocation

STORE_VARIABLE = "ASSAY_STORE"
VARIABLES = ("ASSAY_CACHE", "ASSAY_MAX_EXPANSION", "XDG_CACHE_HOME", "NO_COLOR")
"""Other environment variables that change what assay does."""


@dataclass(frozen=True)
class ExtraState:
    """An extra, what it adds, and its packages."""

    name: str
    purpose: str
    packages: tuple[Package, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """The packages that are not installed."""
        return tuple(package.name for package in self.packages if package.version is None)

    @property
    def state(self) -> str:
        """Whether it is installed: with all of its packages."""
        if not self.packages:
            return "unknown"
        return "missing" if self.missing else "installed"

    @property
    def install(self) -> str:
        """The command that installs what is missing; empty if nothing is missing."""
        return install_command(self.name) if self.missing else ""


@dataclass(frozen=True)
class Folder:
    """A folder in which assay saves files."""

    name: str
    path: Path
    n_files: int = 0
    n_bytes: int = 0
    error: str = ""


@dataclass(frozen=True)
class StoreState:
    """Where results are stored, and what is there."""

    location: str
    exists: bool
    n_evaluations: int = 0
    n_bytes: int | None = None
    error: str = ""


@dataclass(frozen=True)
class PlugIn:
    """An entry that another distribution adds to a catalog."""

    name: str
    group: str
    distribution: str


@dataclass(frozen=True)
class Installation:
    """Everything that `assay doctor` shows."""

    version: str
    path: str
    python: str
    executable: str
    system: str
    packages: tuple[Package, ...]
    extras: tuple[ExtraState, ...]
    store: StoreState
    caches: tuple[Folder, ...]
    plug_ins: tuple[PlugIn, ...]
    variables: dict[str, str]

    @property
    def faults(self) -> tuple[str, ...]:
        """Problems that stop assay from working, each with what to do about it."""
        faults = []
        if not self.packages:
            install = f"pip install {DISTRIBUTION}, or in the source folder: pip install -e ."
            faults.append(f"assay runs from a source folder and is not installed. To install it: {install}")
        if missing := [package.name for package in self.packages if package.version is None]:
            names = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'}"
            faults.append(f"{names} not installed: pip install {' '.join(missing)}")
        if self.store.error:
            faults.append(f"the store cannot be read: {self.store.error}")
        faults += [f"the {folder.name} cannot be read: {folder.error}" for folder in self.caches if folder.error]
        return tuple(faults)


def inspect_installation(store: str | None = None) -> Installation:
    """Look at this installation. Nothing is changed: a store that does not exist is not created."""
    packages, location = required_packages(), _store_location(store)
    variables = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
    if os.environ.get(STORE_VARIABLE):
        variables = {STORE_VARIABLE: str(_store_location(None)), **variables}  # without its password
    return Installation(
        version=__version__,
        path=str(Path(__file__).parents[1]),
        python=platform.python_version(),
        executable=sys.executable,
        system=f"{platform.system()} {platform.machine()}",
        packages=tuple(packages.get("", ())),
        extras=tuple(ExtraState(name, purpose, tuple(packages.get(name, ()))) for name, purpose in PURPOSES.items()),
        store=_inspect_store(store, location),
        caches=tuple(_inspect_folder(name, path) for name, path in _cache_folders(location)),
        plug_ins=tuple(_foreign_plug_ins()),
        variables=variables,
    )


def _store_location(url: str | None) -> StoreLocation | str:
    """Where the store is; if this cannot be found out, why."""
    try:
        from assay.store import parse_location

        return parse_location(url)
    except (AssayError, ImportError) as error:
        return str(error)


def _inspect_store(url: str | None, location: StoreLocation | str) -> StoreState:
    if isinstance(location, str):
        return StoreState("unknown", exists=False, error=location)
    try:
        from assay.store import Store

        if not location.exists:
            return StoreState(str(location), exists=False)
        with Store.open(url, create=False) as store:
            return StoreState(str(location), exists=True, n_evaluations=len(store.list()), n_bytes=store.size())
    except (AssayError, ImportError, OSError) as error:
        return StoreState(str(location), exists=True, error=str(error))


def _cache_folders(location: StoreLocation | str) -> list[tuple[str, Path]]:
    """The shared cache, and what evaluations save next to the store: logs to resume from, indexes and embeddings."""
    folders = [("shared cache", cache_folder())]
    if not isinstance(location, str) and location.path is not None:
        home = location.path.parent
        folders += [("logs of evaluations", home / "runs"), ("indexes and embeddings", home / "indexes")]
    return folders


def _inspect_folder(name: str, path: Path) -> Folder:
    try:
        sizes = [file.stat().st_size for file in path.rglob("*") if file.is_file()] if path.is_dir() else []
    except OSError as error:
        return Folder(name, path, error=str(error))
    return Folder(name, path, len(sizes), sum(sizes))


def _foreign_plug_ins() -> list[PlugIn]:
    known = metadata.entry_points()
    points = [point for group in sorted(known.groups) if group.startswith("assay.") for point in known.select(group=group)]
    return [
        PlugIn(point.name, point.group.removeprefix("assay."), point.dist.name)
        for point in points
        if point.dist is not None and point.dist.name != DISTRIBUTION
    ]


def describe_folder(folder: Folder) -> str:
    """`12 files, 3.4 MB`, or `empty`."""
    if folder.error:
        return "cannot be read"
    return f"{counted(folder.n_files, 'file')}, {megabytes(folder.n_bytes)}" if folder.n_files else "empty"


def describe_store(store: StoreState) -> str:
    """What is in the store, in a few words."""
    if store.error:
        return "cannot be read"
    if not store.exists:
        return "does not exist yet; assay eval creates it"
    size = f", {megabytes(store.n_bytes)}" if store.n_bytes is not None else ""
    return f"{counted(store.n_evaluations, 'result')}{size}"


def megabytes(size: int) -> str:
    """`3.4 MB`."""
    return f"{size / 1e6:.1f} MB"


def versions(packages: Sequence[Package]) -> str:
    """`numpy 2.4.6, scipy 1.17.1`."""
    return ", ".join(f"{package.name} {package.version or 'missing'}" for package in packages)
