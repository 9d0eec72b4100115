"""parquet: a folder of tables as Parquet: queries.parquet, documents.parquet, judgments.parquet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from assay.datasets._dataset import BenchmarkDataset
from assay.datasets._folders import new_folder
from assay.datasets._format import Format, Probe
from assay.datasets._record_files import write_parquet_table
from assay.datasets._record_tables import LINES, TABLES, has_tables, judgment_rows, read_tables, write_card
from assay.model import Document, Query, RelevanceJudgment

EXAMPLE = """\
queries.parquet     query_id   text                               query_type   metadata
                    q1         How long do cats sleep?            factual      {"language": "en"}
documents.parquet   doc_id     text                               source       page_number
                    d1         Cats sleep 12 to 16 hours a day.   cats.md      3
judgments.parquet   query_id   doc_id                             relevance_grade
                    q1         d1                                 3"""
TYPES = {"evidence": "VARCHAR[]", "page_number": "BIGINT", "relevance_grade": "DOUBLE"}
"""Columns that are not text. Metadata is text that holds a JSON object."""


def read_parquet(path: Path) -> BenchmarkDataset:
    """A folder of tables, some perhaps as JSON lines. Columns nobody knows go to the metadata; NaN counts as missing."""
    return read_tables(path)


def write_parquet(dataset: BenchmarkDataset, path: Path) -> None:
    """A folder; every field of a record is a column."""
    with new_folder(path, "parquet", [f"{table}.parquet" for table in TABLES]) as folder:
        _write(folder / "queries.parquet", Query, dataset.queries.values())
        _write(folder / "documents.parquet", Document, dataset.documents.values())
        _write(folder / "judgments.parquet", RelevanceJudgment, judgment_rows(dataset))
        write_card(dataset, folder, has_judges=True)


def _write(file: Path, kind: type[Any], records: Iterable[Any]) -> None:
    names = [one.name for one in fields(kind)]
    write_parquet_table(file, {name: TYPES.get(name, "VARCHAR") for name in names}, _rows(names, records))


def _rows(names: list[str], records: Iterable[Any]) -> Iterator[list[Any]]:
    import msgspec

    for record in records:
        row = [getattr(record, name) for name in names]
        if "metadata" in names and (place := names.index("metadata")) and row[place] is not None:
            row[place] = msgspec.json.encode(row[place]).decode()
        yield row


def detect(probe: Probe) -> bool:
    """A folder with queries.parquet, and no corpus; one that has queries or judgments as JSON lines is `jsonl`."""
    return has_tables(probe.names, (".parquet",)) and not has_tables(probe.names, LINES)


FORMAT = Format("parquet", "a folder of tables as Parquet", read_parquet, detect, write_parquet, example=EXAMPLE)
