"""Files of formats: content of any kind written as the ending of its name says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ._cases import write

FOLDERS = ("beir", "jsonl", "parquet", "trec")
"""Formats that are folders of files, even of one file."""


def put(path: Path, content: Any) -> Path:
    """Text and bytes as they are; anything else as Parquet, JSON lines or JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str | bytes):
        return write(path, content)
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(content), path)
        return path
    lines = [json.dumps(row) for row in content] if path.suffix == ".jsonl" else [json.dumps(content)]
    return write(path, "".join(f"{line}\n" for line in lines))


def put_all(folder: Path, files: Mapping[str, Any]) -> Path:
    """A folder with these files and no others."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        put(folder / name, content)
    return folder


def put_benchmark(folder: Path, format_name: str, files: Mapping[str, Any]) -> Path:
    """The same; the path is that of the only file, where the format is a file."""
    put_all(folder, files)
    return folder if format_name in FOLDERS or len(files) != 1 else folder / next(iter(files))
