"""Shards: one table in several files, as Hugging Face writes them: `corpus-00000-of-00002.parquet`."""

from __future__ import annotations

import re
from pathlib import Path

from assay.errors import DataError
from assay.text import some_of

SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.parquet")


def shards_in(folder: Path) -> dict[str, list[Path]]:
    """What stands before the numbers → its files in order. A file that is missing is an error: half a table is none."""
    found: dict[str, dict[int, Path]] = {}
    counts: dict[str, int] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (named := SHARD.fullmatch(file.name)) is None or not file.is_file():
            continue
        stem, count = named["stem"], int(named["count"])
        if counts.setdefault(stem, count) != count:
            raise DataError(f"{folder}: {stem} is there in {counts[stem]} files and in {count}; keep one of both")
        found.setdefault(stem, {})[int(named["number"])] = file
    for stem, files in found.items():
        if missing := [
            f"{stem}-{number:05}-of-{counts[stem]:05}.parquet" for number in range(counts[stem]) if number not in files
        ]:
            raise DataError(f"{folder}: {some_of(missing)} is missing; download all of {stem} again")
    return {stem: [files[number] for number in sorted(files)] for stem, files in found.items()}


def table_in(folder: Path) -> list[Path]:
    """The files of the only table in a folder; two tables are an error, for nobody knows which one is meant."""
    tables = shards_in(folder)
    if len(tables) > 1:
        raise DataError(f"{folder}: several tables, {', '.join(tables)}; keep one")
    return next(iter(tables.values()), [])
