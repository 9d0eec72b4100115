"""Starting up: importing the package and asking for the version."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks._timing import Row, best_process, within

TRIES = 20


def measure() -> Iterator[Row]:
    """Whole interpreter starts, best of twenty."""
    script = str(Path(sys.executable).with_name("assay"))
    yield within("import assay", "import numpy", _python("import assay"), _python("import numpy"), 1.2)
    version, _ = best_process([script, "--version"], TRIES)
    yield within("assay --version", "import argparse", version, _python("import argparse"), 2.0)


def _python(code: str) -> float:
    return best_process([sys.executable, "-c", code], TRIES)[0]
