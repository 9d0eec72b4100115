"""Unknown tables: files that look like data, but whose columns assay does not know."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from assay.datasets.nearby_documents import is_table_file
from assay.datasets.probe import Probe
from assay.files import first_records

MAX_RECORDS = 2000
"""How many records of a table are compared with another table."""
MAX_ID_LENGTH = 100
IDS = re.compile(r"[^;|,\[\]\"'\s]+")
"""Ids in a cell with a list, in any notation."""
MIN_WORDS = 2
"""A text of so many words is a sentence rather than an id."""
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
"""Characters at the end of a question, in Latin, Chinese and Arabic texts."""


@dataclass(frozen=True)
class UnknownTable:
    """A table with texts, and its first record."""

    path: Path
    columns: tuple[str, ...]
    text_column: str
    """The column with the longest text."""
    text: str
    """The first cell of this column."""

    @property
    def other_columns(self) -> list[str]:
        """The columns without the one with the longest text. There is at least one."""
        return [name for name in self.columns if name != self.text_column]

    @cached_property
    def cells(self) -> dict[str, list[str]]:
        """Column → its cells in the first records, as text."""
        records = first_records(self.path, MAX_RECORDS)
        return {name: [str(record.get(name) or "") for record in records] for name in self.columns}

    def key_column(self, without: Collection[str] = ()) -> str:
        """The first column that has a short value in each record, and never the same twice; empty if there is none."""
        for name in self.other_columns:
            cells = self.cells[name]
            is_key = all(0 < len(cell) <= MAX_ID_LENGTH for cell in cells) and len(set(cells)) == len(cells) > 1
            if is_key and name not in without:
                return name
        return ""


def linked_columns(queries: UnknownTable, documents: UnknownTable) -> tuple[str, str]:
    """The columns with the ids of relevant documents, and with the ids of documents.

    These have most ids in common. If no ids are in common, they have the same name, or are the first ones.
    """
    pairs = [(ours, theirs) for ours in queries.other_columns for theirs in documents.other_columns]
    known = {name: set(documents.cells[name]) - {""} for name in documents.other_columns}

    def likelihood(pair: tuple[str, str]) -> tuple[int, bool]:
        n_matches = sum(not known[pair[1]].isdisjoint({cell, *IDS.findall(cell)}) for cell in queries.cells[pair[0]])
        return n_matches, pair[0] == pair[1]

    return max(pairs, key=likelihood)


def as_unknown_table(path: Path) -> UnknownTable | None:
    """The table at a path, if it has at least two columns and a text; None for anything else."""
    record = Probe(path).first_record if is_table_file(path) else {}
    names = [name for name in record if name]
    texts = {name: value for name in names if isinstance(value := record[name], str) and len(value.split()) >= MIN_WORDS}
    if len(names) < 2 or not texts:
        return None
    column = max(texts, key=lambda name: len(texts[name]))
    return UnknownTable(path, tuple(names), column, texts[column])


def likeliest_queries(tables: Iterable[UnknownTable]) -> UnknownTable:
    """The table that probably has the queries: its text is a question, or the shortest."""
    return min(tables, key=lambda table: (not table.text.rstrip().endswith(QUESTION_MARKS), len(table.text)))


def only_other(tables: Sequence[UnknownTable], path: Path) -> UnknownTable | None:
    """The only other table in the folder of a path; None if there are several, because the choice would be a guess."""
    others = [table for table in tables if table.path != path and table.path.parent == path.parent]
    return others[0] if len(others) == 1 else None
