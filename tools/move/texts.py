"""Mentions of modules in text: dotted names and paths, in strings, comments, documents and settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.move.repository import longest_known
from tools.move.tables import Changes

FILE = re.compile(r"(?<![\w./-])((?:\.\.?/)*)((?:[\w-]+/)+\w+\.py)\b")
IMPORT = re.compile(r"^(\s*(?:>>> )?from )([\w.]+)( import )(\w[\w, ]*)$", re.MULTILINE)


@dataclass
class Mentions:
    """Old mentions → new ones."""

    changes: Changes
    packages: frozenset[str]
    files: dict[Path, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = "|".join(sorted(self.packages)) or "(?!)"
        self._dotted = re.compile(rf"(?<![\w./-])(?:{names})(?:\.\w+)+")
        self._dynamic = re.compile(rf"(?<![\w./-])(?:{names})\.[\w.]*\{{\w+")
        self._owners = self.changes.modules.keys() | self.changes.owners()
        self._paths = {path.as_posix(): new.as_posix() for path, new in self.files.items()}

    def rewrite(self, text: str) -> str:
        """The text with every module, name and file in its new place."""
        text = IMPORT.sub(self._imported, text)
        text = self._dotted.sub(lambda match: self._name(match[0]), text)
        return FILE.sub(lambda match: match[1] + self._path(match[2]), text)

    def dynamic(self, text: str) -> list[str]:
        """Names of modules that are put together when the code runs, which no tool can follow."""
        return self._dynamic.findall(text)

    def _name(self, dotted: str) -> str:
        module = longest_known(dotted, self._owners)
        if not module:
            return dotted
        first, _, rest = dotted[len(module) :].removeprefix(".").partition(".")
        new_module, new_name = self.changes.target(module, first)
        return ".".join(filter(None, (new_module, new_name, rest)))

    def _imported(self, match: re.Match[str]) -> str:
        """`from a.b import c` in a document: where c is a module of a.b, that is what moves."""
        start, module, word, names = match.groups()
        listed = [name.strip() for name in names.split(",")]
        if len(listed) == 1 and (new := self.changes.moved_file(module, listed[0])):
            parent, _, last = new.rpartition(".")
            return f"{start}{parent}{word}{last}"
        if not any(self.changes.touches(module, name) for name in listed):
            return match[0]
        changed = [self.changes.target(module, name)[1] for name in listed]
        return f"{start}{module}{word}{', '.join(changed)}"

    def _path(self, path: str) -> str:
        for before in ("", "src/", *(f"src/{package}/" for package in self.packages)):
            if new := self._paths.get(f"{before}{path}"):
                return new.removeprefix(before)
        return path
