"""Several files as one input, and the folder in memory that inputs are written to."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

MARK = re.compile(rb"\x01file ([a-z0-9_./-]{1,60})\n")
"""What begins a file; nothing else of an input looks like it."""


def join_files(files: Mapping[str, bytes]) -> bytes:
    """Files by name as one input."""
    return b"".join(b"\x01file " + name.encode() + b"\n" + content for name, content in files.items())


def split_files(data: bytes) -> dict[str, bytes]:
    """The files of an input; what stands before the first mark belongs to none."""
    parts = MARK.split(data)
    return dict(zip([name.decode() for name in parts[1::2]], parts[2::2], strict=True))


def read_folder(folder: Path) -> bytes:
    """A folder as one input."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return join_files({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})


@cache
def scratch() -> Path:
    """A folder of this process, in memory where the machine has such; removed at the end, or by whoever gave it."""
    given = os.environ.get("ASSAY_FUZZ_SCRATCH")
    if given:
        return Path(given)
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="assay-fuzz-", dir=memory if os.access(memory, os.W_OK) else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def write_file(name: str, content: bytes) -> Path:
    """A file of that name with that content."""
    path = scratch() / name
    path.write_bytes(content)
    return path


def write_folder(name: str, data: bytes) -> Path:
    """A fresh folder with the files of an input. Names that lead out of it are left out, as is a file where a folder is."""
    folder = scratch() / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for place, content in split_files(data).items():
        path = folder / place
        if ".." in path.parts or place.startswith("/") or place.endswith("/"):
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError:
            continue
    return folder
