"""Agreement: version, changelog, citation, tag and repository of a release say the same."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
WRITTEN_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
HEADING = re.compile(r"^## (\S+)(?: - (\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)
"""A version of the changelog with its date: `## 0.2.0 - 2026-11-19`."""


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
    date, problems = changelog_date(version, (root / "CHANGELOG.md").read_text(encoding="utf-8"))
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    if f"\nversion: {version}\n" not in citation:
        problems.append(f"CITATION.cff does not have 'version: {version}'")
    if date and f"\ndate-released: {date}\n" not in citation:
        problems.append(f"CITATION.cff does not have 'date-released: {date}', which is the date in CHANGELOG.md")
    return found + problems


def changelog_date(version: str, text: str) -> tuple[str, list[str]]:
    """The date of the version's section, and what is wrong with the sections."""
    sections = [(match[1], match[2] or "") for match in HEADING.finditer(text)]
    date = dict(sections).get(version, "")
    if not date:
        return "", [f"CHANGELOG.md has no heading '## {version} - YYYY-MM-DD'. Write the date of the release there"]
    if sections[0][0] != version:
        return date, [f"CHANGELOG.md has {sections[0][0]} above {version}. The newest version comes first"]
    orders = [tuple(map(int, name.split("."))) for name, _ in sections if re.fullmatch(r"\d+\.\d+\.\d+", name)]
    if orders != sorted(set(orders), reverse=True):
        return date, ["the versions in CHANGELOG.md are not in descending order"]
    body = text.partition(f"## {version} - {date}\n")[2].partition("\n## ")[0]
    return date, [] if "\n- " in body else [f"CHANGELOG.md lists nothing under {version}"]


def repository_disagreements(root: Path = ROOT) -> list[str]:
    """What the git repository says against a release: a used tag, uncommitted changes, another origin. Empty without git."""
    found, tag = [], f"v{version_of(root)}"
    tagged, head = _git(root, "rev-parse", "--verify", "--quiet", f"{tag}^{{commit}}"), _git(root, "rev-parse", "HEAD")
    if tagged and tagged != head:
        found.append(f"the tag {tag} already exists, at commit {tagged[:8]}. Raise the version")
    if changed := _git(root, "status", "--porcelain"):
        found.append(f"changes are not committed: {len(changed.splitlines())} files. Commit them first")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    stated, origin = project["urls"]["Source"], _git(root, "remote", "get-url", "origin")
    if "://" in origin.replace("git@", "ssh://") and _repository(stated) != _repository(origin):
        found.append(f"pyproject.toml says that the source is at {stated}, but origin is {origin}. Change [project.urls]")
    return found


def _repository(address: str) -> list[str]:
    """Owner and name of a repository from its URL or its SSH address."""
    return re.sub(r"\.git$", "", address).replace(":", "/").split("/")[-2:]


def _git(root: Path, *words: str) -> str:
    """The output of git; empty if git fails or is missing."""
    try:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
