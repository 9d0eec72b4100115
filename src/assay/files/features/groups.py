"""Query groups: files next to a data file with the number of documents of each query, for lines without `qid:`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, repeat
from pathlib import Path

from assay.errors import DataError, Faults
from assay.files.source import BOM, COMPRESSIONS, FileSource, plain_name
from assay.text import counted, shortened

ENDINGS = (".query", ".group")
"""What LightGBM and XGBoost add to the name of the data file."""
LABEL = re.compile(rb"^[ \t]*[^\s#]+", re.MULTILINE)
"""The first field of a line that is neither empty nor a comment."""
QUERY_FIELD = b" qid:%d"
MOST_DIGITS = 9


class QueryGroups:
    """The queries of a data file in its order, numbered from `first`, with the number of documents of each."""

    def __init__(self, group_file: FileSource, data_file: FileSource, first: int = 1) -> None:
        self.label, self._data_label = group_file.label, data_file.label
        self._lines, self.sizes = _read_sizes(group_file)
        self._n_documents, self._n_seen = sum(self.sizes), 0
        fields = (repeat(QUERY_FIELD % query, size) for query, size in enumerate(self.sizes, first))
        self._fields = chain.from_iterable(fields)

    def with_queries(self, chunk: bytes, first_line: int) -> bytes:
        """The next lines of the data file, each with `qid:` after its label. A document after the last query is an error."""
        if b"\r" in chunk:
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        places = [match.start() for match in LABEL.finditer(chunk)]
        n_left = self._n_documents - self._n_seen
        if len(places) > n_left:
            line = first_line + chunk.count(b"\n", 0, places[n_left])
            known = f"{counted(len(self.sizes), 'query')} with {counted(self._n_documents, 'document')}"
            message = f"the document belongs to no query: {self.label} has {known}. Correct the numbers there"
            raise DataError(message, source=self._data_label, line=line)
        self._n_seen += len(places)
        return LABEL.sub(lambda match: match[0] + next(self._fields), chunk)

    def check_all_seen(self) -> None:
        """Raise if the data file ends before the last document of the last query."""
        n_left = self._n_seen
        for line, size in zip(self._lines, self.sizes, strict=True):
            if size > n_left:
                rest = f"only {n_left:,} more" if n_left else "no more"
                message = f"the query has {counted(size, 'document')}, but {self._data_label} has {rest}"
                raise DataError(message, source=self.label, line=line)
            n_left -= size

    def check_same_sizes(self, queries: Sequence[str], sizes: Sequence[int]) -> None:
        """Raise if the queries that the data file names with `qid:` have other numbers of documents."""
        if len(sizes) != len(self.sizes):
            message = f"expected {counted(len(sizes), 'number')}, one for each qid: of {self._data_label}"
            raise DataError(f"{message}, found {len(self.sizes):,}", source=self.label)
        for line, size, query, n_found in zip(self._lines, self.sizes, queries, sizes, strict=True):
            if size != n_found:
                message = f"the query has {counted(size, 'document')}, but qid:{query} of {self._data_label} has {n_found:,}"
                raise DataError(message, source=self.label, line=line)


def group_files(path: Path) -> list[Path]:
    """The files next to a data file with the number of documents of each query."""
    names = dict.fromkeys((path.name, plain_name(path.name)))
    endings = [f"{ending}{packed}" for ending in ENDINGS for packed in ("", *COMPRESSIONS)]
    paths = (path.with_name(f"{name}{ending}") for name in names for ending in endings)
    return [path for path in paths if path.is_file()]


def query_groups(source: FileSource, first: int = 1) -> QueryGroups | None:
    """The groups of the file next to a data file: `train.txt.query` or `train.txt.group`; None if there is none.

    If there are several such files, they must say the same.
    """
    every = [QueryGroups(FileSource.at(path), source, first) for path in group_files(source.path)]
    for other in every[1:]:
        if other.sizes != every[0].sizes:
            message = f"has other numbers of documents than {every[0].label}. Delete the file that is wrong"
            raise DataError(message, source=other.label)
    return every[0] if every else None


def _read_sizes(source: FileSource) -> tuple[list[int], list[int]]:
    """The numbers of the lines with a number of documents, and these numbers of documents. Empty lines are skipped."""
    faults = Faults(source.label)
    lines, sizes = [], []
    with source.reading_lines() as file:
        for line, content in enumerate(file, 1):
            text = content.removeprefix(BOM if line == 1 else b"").strip()
            if not text:
                continue
            if not text.isdigit() or len(text) > MOST_DIGITS or not int(text):
                shown = shortened(text.decode("utf-8", "replace"))
                faults.add(line, f"expected the number of documents of a query, such as 12, found {shown}")
                continue
            lines.append(line)
            sizes.append(int(text))
    faults.raise_if_any()
    if not sizes:
        raise DataError(
            "the file is empty; it needs the number of documents of each query, one per line", source=source.label
        )
    return lines, sizes
