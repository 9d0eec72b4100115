"""Installation: which versions, packages, store, caches and plug-ins this assay uses."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from assay._version import __version__
from assay.atomic_write import cache_folder
from assay.errors import AssayError
from assay.extras import DISTRIBUTION, PURPOSES, Package, install_command, required_packages
from assay.store import VARIABLE, Store, parse_location
from assay.text import counted

VARIABLES = (VARIABLE, "ASSAY_CACHE", "NO_COLOR")
"""Environment variables that change what assay does."""


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
        """Whether it is installed; if only some of its packages are, the names of the missing ones."""
        if not self.missing:
            return "installed"
        return "missing" if len(self.missing) == len(self.packages) else f"incomplete: {', '.join(self.missing)} missing"

    @property
    def install(self) -> str:
        """The command that installs what is missing; empty if nothing is missing."""
        return install_command(self.name) if self.missing else ""


@dataclass(frozen=True)
class Folder:
    """A folder in which assay saves files."""

    name: str
    path: Path
    n_files: int
    n_bytes: int


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
        return tuple(faults)


def inspect_installation(store: str | None = None) -> Installation:
    """Look at this installation. Nothing is changed: a store that does not exist is not created."""
    packages = required_packages()
    return Installation(
        version=__version__,
        path=str(Path(__file__).parents[1]),
        python=platform.python_version(),
        executable=sys.executable,
        system=f"{platform.system()} {platform.machine()}",
        packages=tuple(packages.get("", ())),
        extras=tuple(ExtraState(name, purpose, tuple(packages.get(name, ()))) for name, purpose in PURPOSES.items()),
        store=_inspect_store(store),
        caches=tuple(_inspect_folder(name, path) for name, path in _cache_folders(store)),
        plug_ins=tuple(_foreign_plug_ins()),
        variables={name: str(os.environ.get(name, "")) for name in VARIABLES if os.environ.get(name)},
    )


def _inspect_store(url: str | None) -> StoreState:
    try:
        location = parse_location(url)
        if not location.exists:
            return StoreState(str(location), exists=False)
        with Store.open(url, create=False) as store:
            return StoreState(str(location), exists=True, n_evaluations=len(store.list()), n_bytes=store.size())
    except AssayError as error:
        return StoreState(url or os.environ.get(VARIABLE, ""), exists=True, error=str(error))


def _cache_folders(store: str | None) -> list[tuple[str, Path]]:
    """The shared cache, and what evaluations keep next to the store: logs to resume from, and embeddings."""
    folders = [("shared cache", cache_folder())]
    try:
        path = parse_location(store).path
    except AssayError:
        path = None
    if path is not None:
        folders += [("logs of evaluations", path.parent / "runs"), ("embeddings", path.parent / "embeddings")]
    return folders


def _inspect_folder(name: str, path: Path) -> Folder:
    sizes = [file.stat().st_size for file in path.rglob("*") if file.is_file()] if path.is_dir() else []
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
