"""Advisories: installed packages against a local copy of known vulnerabilities, so that the check needs no network.

The copy has the format of OSV (https://ossf.github.io/osv-schema). OSV publishes all advisories of PyPI as one archive.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

ECOSYSTEM = "PyPI"


def read_advisories(source: Path) -> Iterator[dict[str, Any]]:
    """The records of an archive, or of a folder of JSON files."""
    if source.is_dir():
        for file in sorted(source.rglob("*.json")):
            yield json.loads(file.read_text(encoding="utf-8"))
        return
    with zipfile.ZipFile(source) as archive:
        for name in archive.namelist():
            if name.endswith(".json"):
                yield json.loads(archive.read(name))


def found_in(advisories: Iterator[dict[str, Any]], installed: Mapping[str, str]) -> list[str]:
    """A sentence for each package with a known vulnerability. Withdrawn advisories do not count."""
    versions = {normalised(name): (name, version) for name, version in installed.items()}
    found = []
    for record in advisories:
        for affected in [] if record.get("withdrawn") else record.get("affected", []):
            package = affected.get("package", {})
            name, version = versions.get(normalised(package.get("name", "")), ("", ""))
            if name and package.get("ecosystem") == ECOSYSTEM and is_affected(affected, version):
                found.append(f"{name} {version}: {record['id']} {record.get('summary', '')}".strip())
    return sorted(set(found))


def normalised(name: str) -> str:
    """The name of a package as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def is_affected(affected: Mapping[str, Any], version: str) -> bool:
    """Whether a version is listed, or is in a range. An unreadable version in a range counts as affected."""
    if version in affected.get("versions", []):
        return True
    ranges = [each for each in affected.get("ranges", []) if each.get("type") == "ECOSYSTEM"]
    return any(_is_in(each.get("events", []), version) for each in ranges)


def _is_in(events: list[Mapping[str, str]], version: str) -> bool:
    """Whether a version is after an introduction, before the next fix, and not after the last one that is affected."""
    try:
        own, is_in = Version(version), False
        ordered = sorted(((_version_of(event), event) for event in events), key=lambda pair: pair[0])
    except InvalidVersion:
        return True
    for place, event in ordered:
        if "introduced" in event and own >= place:
            is_in = True
        if ("fixed" in event and own >= place) or ("last_affected" in event and own > place):
            is_in = False
    return is_in


def _version_of(event: Mapping[str, str]) -> Version:
    """The version of an event; `limit` is not used by PyPI."""
    return Version(next(event[key] for key in ("introduced", "fixed", "last_affected", "limit") if key in event))
