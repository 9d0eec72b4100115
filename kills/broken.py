"""python -m kills.broken: operations that are wrong in ways that kills must find; prints what was found as JSON."""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from kills.operation import Operation
from kills.trial import prepared, tried

OLD, NEW = "old", "brand" * 1000 + "new"
N_TRIALS = 16


def prepare() -> None:
    """There is a file already."""
    Path("file").write_text(OLD)


def whole() -> int:
    """Replace it as one should."""
    Path("new").write_text(NEW)
    Path("new").replace("file")
    return 0


def in_halves() -> int:
    """Write into the file itself, one half after the other."""
    Path("file").write_text(NEW[:2500])
    with Path("file").open("a") as file:
        file.write(NEW[2500:])
    return 0


def littering() -> int:
    """Leave something for whoever comes next."""
    Path("rest").touch()
    whole()
    Path("rest").unlink()
    return 0


def look() -> dict[str, str]:
    """The file."""
    return {"file": Path("file").read_text()}


def faults_of(run: Callable[[], int], again: Callable[[], int], folder: Path) -> list[str]:
    """What is found wrong, without details."""
    operation = Operation("small", prepare, run, again, look)
    ground = prepared(operation, folder / "ground")
    found = set()
    for number in range(N_TRIALS):
        place = folder / str(number)
        place.mkdir()
        found |= {" ".join(fault.split()[:5]) for fault in tried(operation, ground, place, random.Random(number)).faults}
    return sorted(found)


def main() -> int:
    """Print the faults of each operation."""
    found = {}
    for run, again in ((whole, whole), (in_halves, in_halves), (littering, whole)):
        with tempfile.TemporaryDirectory() as folder:
            found[run.__name__] = faults_of(run, again, Path(folder))
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
