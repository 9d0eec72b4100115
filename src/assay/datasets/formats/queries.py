"""queries: one file with queries and no judgments, as a start; a table, JSON records, or text with one query per line."""

from __future__ import annotations

from pathlib import Path

from assay.datasets.dataset import BenchmarkDataset, require_queries
from assay.datasets.folder_tables import read_queries
from assay.datasets.format import QUERIES, Format
from assay.datasets.formats.golden import has_only_queries
from assay.datasets.query_table import QueryTable
from assay.files import FileSource, suffix_of

EXAMPLE = """\
{"query_id": "q1", "query": "How long do cats sleep?", "intent": "facts"}
{"query_id": "q2", "query": "Can cats swim?", "intent": "behaviour"}"""
TEXT_ENDINGS = ("", ".txt", ".text")
"""Extensions of files with one query per line."""


def read_query_file(path: Path) -> BenchmarkDataset:
    """Queries, with their ground truth if the file has some after all. A query without an id gets the number of its record.

    A text file has one query per line; empty lines are skipped.
    """
    dataset = BenchmarkDataset(path.name.partition(".")[0])
    if suffix_of(path.name) in TEXT_ENDINGS:
        _read_lines(dataset, path)
    else:
        read_queries(dataset, path)
    return require_queries(dataset, str(path))


def _read_lines(dataset: BenchmarkDataset, path: Path) -> None:
    table = QueryTable(dataset, str(path))
    text = FileSource.at(path).content().decode("utf-8-sig", "replace")
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            table.take(number, f"{path}:{number}", {"query": line.strip()})
    table.finish()


FORMAT = Format(
    QUERIES,
    "one file with queries and no judgments yet",
    read_query_file,
    has_only_queries,
    example=EXAMPLE,
    needs="JSON records with question or query and no other field, or the option --queries",
    rank=-5,
    has_named_columns=True,
)
