"""The repository: its files, and the modules that they are."""

from __future__ import annotations

import subprocess
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

TEXTS = {".md", ".toml", ".txt", ".yml", ".yaml", ".cfg", ".ini", ".sh", ".html", ".j2", ".json", ""}
"""Endings of files in which a module may be mentioned, beside Python."""
LARGEST = 1_000_000


@dataclass(frozen=True)
class Repository:
    """Files that Git knows or would add; `src/` is where packages are found, and the root holds those beside it."""

    root: Path

    def git(self, *words: str) -> str:
        """Run one command of Git and return what it prints."""
        done = subprocess.run(["git", *words], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout

    def files(self) -> list[Path]:
        """Every file, relative to the root; the tables of this tool, which speak of old places, are left out."""
        listed = self.git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        paths = sorted({Path(name) for name in listed})
        own = {Path("CHANGELOG.md")}
        return [p for p in paths if p not in own and p.parts[0] != "tools" and (self.root / p).is_file()]

    def python_files(self) -> list[Path]:
        """Modules, scripts and stubs."""
        return [path for path in self.files() if path.suffix in {".py", ".pyi"}]

    def text_files(self) -> list[Path]:
        """Files other than Python that may mention a module."""
        found = [path for path in self.files() if path.suffix in TEXTS]
        return [path for path in found if (self.root / path).stat().st_size < LARGEST]

    def read(self, path: Path) -> str:
        """The text of a file; one that is no text is empty."""
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return ""

    def write(self, path: Path, text: str) -> None:
        """Write a file, and make its folder."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    @cached_property
    def packages(self) -> frozenset[str]:
        """Names that stand at the beginning of a module's full name."""
        return frozenset(path.parts[1] for path in self.python_files() if path.parts[0] == "src" and len(path.parts) > 2)

    def modules(self) -> dict[str, Path]:
        """Full name → file, for all modules."""
        return {module_name(path): path for path in self.python_files() if path.suffix == ".py"}


def module_name(path: Path) -> str:
    """The full name of the module that a file is: `src/a/b.py` is a.b, `src/a/__init__.py` is a."""
    parts = path.with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_of(path: Path) -> str:
    """The package that relative imports of a file start from."""
    name = module_name(path)
    return name if path.stem == "__init__" else name.rpartition(".")[0]


def leaf(module: str) -> str:
    """The last part of a module's name."""
    return module.rpartition(".")[2]


def longest_known(dotted: str, known: AbstractSet[str]) -> str:
    """The longest beginning of a dotted name that is known, or nothing."""
    while dotted and dotted not in known:
        dotted = dotted.rpartition(".")[0]
    return dotted
