"""Unknown tables: files that look like data, but whose columns assay does not know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.datasets.nearby_documents import is_table_file
from assay.datasets.probe import Probe

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

    def id_column(self, others: Collection[str] = ()) -> str:
        """The column that probably has ids of documents: one that the other table has too, else the first of the rest."""
        rest = [name for name in self.columns if name != self.text_column]
        return next((name for name in rest if name in others), rest[0])


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
