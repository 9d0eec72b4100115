"""A scene: the files that cases read, made once for a recording, and copies of them to work in."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.recordings.process import temporary_folder

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).with_name("fixture")
WIDTH = "100"


@dataclass(frozen=True)
class Scene:
    """A folder with the fixture, a cache that all share, and the recording whose old files are read."""

    place: Path
    recording: Path
    jobs: int

    @property
    def fixture(self) -> Path:
        """What is copied for each case."""
        return self.place / "fixture0"

    @property
    def cache(self) -> Path:
        """What assay keeps of ontologies and embeddings; filled once."""
        return self.place / "cache"

    def environment(self, folder: Path) -> dict[str, str]:
        """Nothing of the user's but the path."""
        return {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1",
            "HOME": str(folder / "home"),
            "TMPDIR": str(self.place / "tmp"),
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "TERM": "xterm-256color",
            "COLUMNS": WIDTH,
            "LINES": "50",
            "ASSAY_CACHE": str(self.cache),
        }

    @contextmanager
    def copy(self) -> Iterator[Path]:
        """A new copy of the fixture; the length of its name is always the same."""
        with temporary_folder("case-", self.place) as folder:
            shutil.copytree(self.fixture, folder, dirs_exist_ok=True)
            yield folder


@contextmanager
def make_scene(recording: Path, jobs: int) -> Iterator[Scene]:
    """A scene outside any repository, with the examples and the files of the fixture."""
    with temporary_folder("assay-recording-") as place:
        scene = Scene(place, recording, jobs)
        shutil.copytree(FILES, scene.fixture)
        shutil.copytree(ROOT / "examples", scene.fixture / "examples")
        for folder in (scene.cache, scene.place / "tmp", scene.fixture / "home"):
            folder.mkdir()
        yield scene
