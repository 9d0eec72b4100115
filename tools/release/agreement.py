"""Agreement: version, changelog, citation, tag and repository of a release say the same."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITTEN_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
RELEASED = r"^## {version} \((\d{{4}}-\d{{2}}-\d{{2}})\)$"


def version_of(root: Path = ROOT) -> str:
    """The version in the source."""
    found = WRITTEN_VERSION.search((root / "src" / "assay" / "_version.py").read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit("src/assay/_version.py has no __version__")
    return found[1]


def disagreements(tag: str, root: Path = ROOT) -> list[str]:
    """What does not fit the version, one sentence each; for an empty tag, the tag is not checked."""
    version, found = version_of(root), []
    if re.fullmatch(r"\d+\.\d+\.\d+", version) is None:
        found.append(f"the version {version} is not major.minor.patch")
    if tag and tag != f"v{version}":
        found.append(f"the tag is {tag}, but the version is {version}. Expected v{version}")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if re.search(RELEASED.format(version=re.escape(version)), changelog, re.MULTILINE) is None:
        found.append(f"CHANGELOG.md has no heading '## {version} (YYYY-MM-DD)'. Replace 'unreleased' with the date")
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {version}\n" not in citation:
        found.append(f"CITATION.cff does not have 'version: {version}'")
    return found


def repository_disagreement(root: Path = ROOT) -> str | None:
    """A sentence if the metadata name another repository than the one that this checkout came from."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated = project["urls"]["Source"]
    run = subprocess.run(["git", "remote", "get-url", "origin"], cwd=root, capture_output=True, text=True, check=False)
    origin = run.stdout.strip()
    if run.returncode or "://" not in origin.replace("git@", "ssh://"):
        return None
    names = [re.sub(r"\.git$", "", text).replace(":", "/").split("/")[-2:] for text in (stated, origin)]
    if names[0] == names[1]:
        return None
    return f"pyproject.toml says that the source is at {stated}, but origin is {origin}. Change [project.urls]"
