"""Extras: the optional packages of assay, what each extra is for, and the command that installs it.

The metadata of the installed distribution says which packages belong to an extra, so this module does not repeat it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from assay.errors import UsageError

DISTRIBUTION = "assay-ir"
"""The name on the package index. The import and the command are called assay."""
PURPOSES: Mapping[str, str] = {
    "report": "HTML reports and charts",
    "web": "the web pages (assay serve)",
    "dense": "dense retrieval with a small model that needs no network",
    "sentence-transformers": "dense retrieval and reranking with models from sentence-transformers",
    "chunkers": "chunks of source code, cut along its syntax tree",
    "chonkie": "chunkers from the package chonkie",
    "hpo": "ontologies, and the benchmarks of the Human Phenotype Ontology",
    "postgres": "a store in PostgreSQL",
    "spark": "runs that are tables in Spark",
}
"""Extra → what it adds, the most common first. The extras all and dev are collections of others."""
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*?(?:;\s*extra == ['\"](?P<extra>[\w-]+)['\"])?")


@dataclass(frozen=True)
class Package:
    """A distribution that assay needs, or that an extra adds. If it is not installed, the version is None."""

    name: str
    version: str | None


def install_command(*extras: str) -> str:
    """The command that installs the packages of some extras."""
    return f"pip install '{DISTRIBUTION}[{','.join(extras)}]'"


def check_extra(subject: str, extra: str, *modules: str) -> None:
    """Raise an error with the command that installs the extra, unless its modules can be found. Nothing is imported."""
    if any(find_spec(module) is None for module in modules):
        raise UsageError(f"{subject} the extra {extra!r}: {install_command(extra)}")


def is_installed(extra: str) -> bool:
    """Whether all packages of an extra are installed. Only these are looked up, because each takes about a millisecond."""
    return all(map(_installed_version, _requirements().get(extra, ())))


def required_packages() -> dict[str, list[Package]]:
    """Extra → its packages; the empty name has the packages of the base install. Empty if assay is not installed."""
    return {extra: [Package(name, _installed_version(name)) for name in names] for extra, names in _requirements().items()}


def _requirements() -> dict[str, list[str]]:
    """Extra → the names of its packages."""
    from importlib import metadata  # which takes as long to import as a small run takes to score

    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return {}
    names: dict[str, list[str]] = {}
    for shape in filter(None, map(_REQUIREMENT.fullmatch, requirements)):
        names.setdefault(shape["extra"] or "", []).append(shape["name"])
    return names


def _installed_version(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
