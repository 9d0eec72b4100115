"""Scratch: a copy of the repository in a temporary folder, and a Python environment that takes the package from there.

The environment holds no packages of its own: it finds those of the Python that runs this. Programs in it, such as the
console script of the package, start its own Python, so that processes which tests start see the copy as well.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

PLUGINS = Path(__file__).parent / "plugins"
SETTINGS = {"CI": "1", "ASSAY_TEST_EXAMPLES": "30", "PYTHONHASHSEED": "0"}
"""So that property tests try the same examples every time."""
DROPPED, KEPT = ("PYTEST_", "COVERAGE_", "MUTANTS_"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
"""How variables begin that are those of whoever runs this, and one that is not."""
START = "import os; os.environ.get('COVERAGE_PROCESS_START') and __import__('coverage').process_startup()"
"""Line of a .pth file that records lines from the start of a process, where that is asked for."""
EARLIEST = 1_000_000_000
"""Seconds; times of changed files count up from here."""


@dataclass
class Scratch:
    """A copy of a repository, and its environment."""

    folder: Path
    _changes: Iterator[int] = field(default_factory=lambda: count(EARLIEST))

    @property
    def root(self) -> Path:
        """The copy."""
        return self.folder / "copy"

    @property
    def sources(self) -> Path:
        """Where its package is."""
        return self.root / "src"

    @property
    def python(self) -> Path:
        """Python with the copy's package."""
        return self.folder / "python" / "bin" / "python"

    def write(self, file: Path, text: str) -> None:
        """Change a source file. Its time is another every time: else Python could take bytecode of the text before."""
        path = self.sources / file
        path.write_text(text, encoding="utf-8")
        moment = next(self._changes)
        os.utime(path, (moment, moment))

    @contextmanager
    def changed(self, file: Path, text: str) -> Iterator[None]:
        """Another text in a source file meanwhile."""
        original = (self.sources / file).read_text(encoding="utf-8")
        self.write(file, text)
        try:
            yield
        finally:
            self.write(file, original)

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """Variables of processes that run here; a path to other sources of the package is left out."""
        given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        paths = [
            path for path in given if path and not (Path(path) / "tools" / "mutants").is_dir() and Path(path).name != "src"
        ]
        kept = {name: value for name, value in os.environ.items() if name == KEPT or not name.startswith(DROPPED)}
        programs = os.pathsep.join([str(self.python.parent), os.environ.get("PATH", "")])
        return {
            **kept,
            **SETTINGS,
            "PATH": programs,
            "PYTHONPATH": os.pathsep.join(paths),
            "VIRTUAL_ENV": str(self.python.parent.parent),
            **more,
        }


@contextmanager
def make_scratch(root: Path) -> Iterator[Scratch]:
    """A copy of the files that Git knows or would add; it is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as name:
        scratch = Scratch(Path(name).resolve())
        _copy(root, scratch.root)
        _make_environment(scratch)
        yield scratch


def _copy(root: Path, copy: Path) -> None:
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True).stdout
    for file in {Path(word) for word in listed.split("\0") if word}:
        if (root / file).is_file():
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / file, copy / file)


def _make_environment(scratch: Scratch) -> None:
    folder = scratch.folder / "python"
    venv.EnvBuilder(symlinks=True, with_pip=False).create(folder)
    here = Path(sysconfig.get_path("purelib"))
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    lines = [str(scratch.sources), f"import site; site.addsitedir({str(here)!r})", START]
    (packages / "mutants.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for plugin in PLUGINS.glob("[a-z]*.py"):
        shutil.copy(plugin, packages / f"mutants_{plugin.name}")
    ours = Path(sys.executable).parent
    for script in ours.iterdir() if (ours.parent / "pyvenv.cfg").is_file() else ():
        _copy_script(script, ours, scratch.python.parent)


def _copy_script(script: Path, ours: Path, theirs: Path) -> None:
    """A program of this environment, with the Python of the other."""
    if script.is_symlink() or not script.is_file() or (theirs / script.name).exists():
        return
    first, _, rest = script.read_bytes().partition(b"\n")
    program = Path(os.fsdecode(first.removeprefix(b"#!")).partition(" ")[0])
    if first.startswith(b"#!") and program.parent.resolve() == ours.resolve():
        copied = theirs / script.name
        copied.write_bytes(b"#!" + bytes(theirs / program.name) + b"\n" + rest)
        copied.chmod(0o755)
