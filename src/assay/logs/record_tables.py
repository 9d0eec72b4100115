"""Record tables: records written as CSV, TSV or JSON lines, by the file extension."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.errors import BadParameter
from assay.files import write_lines

TABLE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")


def check_suffix(path: str | Path, what: str, suffixes: Iterable[str] = TABLE_SUFFIXES) -> str:
    """The file extension; an error if this cannot be written so."""
    suffix = Path(path).suffix.lower()
    if suffix not in (known := tuple(suffixes)):
        raise BadParameter(f"{path}: the file extension of {what} must be one of {', '.join(known)}")
    return suffix


def write_records(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    """Write records, all with the keys of the first one."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        write_lines(path, records)
        return
    text, rows = io.StringIO(newline=""), list(records)
    delimiter = "," if path.suffix.lower() == ".csv" else "\t"
    table = csv.DictWriter(text, list(rows[0]) if rows else [], delimiter=delimiter, lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    with atomic_write(path) as file:
        file.write(text.getvalue().encode("utf-8", "surrogatepass"))
