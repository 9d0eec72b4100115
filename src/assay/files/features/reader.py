"""Feature files: read LETOR and SVMlight files into a FeatureTable, whose features may be larger than memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.arrays import Floats, Ints
from assay.errors import DataError, Faults
from assay.files.blocks.feature_blocks import FeatureBlock, parse_block, read_chunks
from assay.files.blocks.trec_blocks import Unusual
from assay.files.features.groups import query_groups
from assay.files.features.lines import LAYOUT, parse_lines
from assay.files.features.segments import FeatureSegments
from assay.files.long_reads import long_read
from assay.files.source import BOM, FileSource
from assay.model import FeatureTable
from assay.text import shortened

WITHOUT_QUERY = re.compile(rb"[-+.\deE]+( \d+:[-+.\deE]+)+")
NO_DOCUMENTS = "the file contains no documents; it needs at least one line such as: 2 qid:1 1:0.5"


def is_feature_line(line: bytes) -> bool:
    """Whether a line looks like `label qid:query number:value …`, or like this without the query, which is a fault."""
    fields = line.partition(b"#")[0].split()
    return len(fields) >= 2 and (fields[1].startswith(b"qid:") or bool(WITHOUT_QUERY.fullmatch(b" ".join(fields))))


def read_features(*sources: FileSource, keeps_values: bool = True) -> FeatureTable:
    """The documents of all queries of these files, one file after the other.

    The queries of a file without `qid:` are those of the file next to it, `train.txt.query` or `train.txt.group`.
    NumPy reads the lines in blocks; the lines of a block with anything unusual are read one by one, and all faults of a file
    are reported together. Without `keeps_values`, all lines are checked, but the table has no features.
    """
    rows = _Rows(keeps_values=keeps_values)
    for source in sources:
        _read_file(source, rows)
    return rows.table(sources[0].label)


def _read_file(source: FileSource, rows: _Rows) -> None:
    faults = Faults(source.label)
    line, n_records, n_before = 1, 0, rows.n_rows
    groups = query_groups(source, first=len(rows.queries) + 1)
    fields = source.first_line.partition(b"#")[0].split()
    names_queries = any(field.startswith(b"qid:") for field in fields[1:2])
    if groups is None and WITHOUT_QUERY.fullmatch(b" ".join(fields)):
        raise DataError(_missing_queries(source, fields[1]), source=source.label)
    with long_read() as reading, source.reading() as file:
        for number, chunk in enumerate(read_chunks(file)):
            chunk = chunk if number else chunk.removeprefix(BOM)
            n_faults = len(faults)
            if groups and not names_queries:
                chunk = groups.with_queries(chunk, line)
            try:
                block = parse_block(chunk, line)
                line += len(block.labels)
            except Unusual:
                block = _parse_strictly(source, chunk, line, faults)
                line += len(chunk.splitlines())
            n_records += len(block.labels) + len(faults) - n_faults
            rows.add(block, faults)
            rows.n_bytes += len(chunk)
            reading.advance(source.label, len(chunk), len(block.labels))
            if faults.full:
                break
    faults.raise_if_any(max(n_records, len(faults)))
    if rows.n_rows == n_before:
        raise DataError(NO_DOCUMENTS, source=source.label)
    if groups and names_queries:
        groups.check_same_sizes(*rows.new_queries())
    elif groups:
        groups.check_all_seen()
    rows.name_documents(source)


def _missing_queries(source: FileSource, second: bytes) -> str:
    """What a file needs whose lines do not name their queries; the second field of its first line is a feature."""
    name, what = Path(source.label).name, "the number of documents of each query"
    return (
        f"expected qid: and the id of the query after the label ({LAYOUT}), found {shortened(second.decode())}. "
        f"If the lines have no qid:, write {what} into {name}.query (as for LightGBM) or {name}.group (as for XGBoost)"
    )


def _parse_strictly(source: FileSource, chunk: bytes, line: int, faults: Faults) -> FeatureBlock:
    try:
        return parse_lines(chunk, line, faults)
    except DataError as error:
        raise error.at(source.label) from None


@dataclass
class _Rows:
    """The rows that have been read."""

    keeps_values: bool = True
    n_rows: int = 0
    n_bytes: int = 0
    labels: list[Floats] = field(default_factory=list)
    numbers: list[Ints] = field(default_factory=list)
    """The numbers of the lines of the present file, block by block."""
    queries: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """The first row of each query."""
    seen: set[str] = field(default_factory=set)
    documents: list[str] = field(default_factory=list)
    n_named: int = 0
    """How many rows belong to files whose documents have their final ids."""
    queries_per_file: list[int] = field(default_factory=list)
    are_named: bool = True
    """Whether all comments of the present file have the form `docid = X`."""
    features: FeatureSegments = field(default_factory=FeatureSegments)

    def add(self, block: FeatureBlock, faults: Faults) -> None:
        """Add the rows of a block. A query whose lines are not together is a fault."""
        for query, start in zip(block.queries, block.start, strict=True):
            if self.queries and query == self.queries[-1] and self.n_rows + start > self.n_named:
                continue
            if query in self.seen:
                what = f"query {query} appears again after query {self.queries[-1]}; the lines of a query must be together"
                faults.add(int(block.numbers[start]), f"{what}. Sort the file by query")
            self.seen.add(query)
            self.queries.append(query)
            self.starts.append(self.n_rows + start)
        self.labels.append(block.labels)
        self.numbers.append(block.numbers)
        self.are_named &= block.documents is None or block.are_named
        self.documents += [""] * len(block.labels) if block.documents is None else block.documents
        self.features.add(block.values if self.keeps_values else block.values[:, :0], block.first)
        self.n_rows += len(block.labels)

    def new_queries(self) -> tuple[Sequence[str], Sequence[int]]:
        """The queries of the present file, and how many documents each has."""
        places = [place for place, start in enumerate(self.starts) if start >= self.n_named]
        sizes = [end - begin for begin, end in map(self._bounds, places)]
        return [self.queries[place] for place in places], sizes

    def name_documents(self, source: FileSource) -> None:
        """Give documents without an id their number in the query: `10:1`. An id that appears twice in a query is a fault.

        If such a comment is not `docid = X`, comments are not ids, so all documents are numbered and this is noted.
        """
        numbers = np.concatenate(self.numbers)
        places = [place for place, start in enumerate(self.starts) if start >= self.n_named]
        repeated = [row for place in places for row in self._repeated(place)]
        if repeated and self.are_named:
            faults = Faults(source.label)
            for row in repeated:
                faults.add(int(numbers[row - self.n_named]), f"document {self.documents[row]} {self._twice(row)}")
            faults.raise_if_any()
        if repeated:
            row = repeated[0]
            where = f"{self.documents[row]} {self._twice(row)} (line {numbers[row - self.n_named]})"
            source.note(f"comments are not ids of documents, because {where}. Documents are numbered.")
            self.documents[self.n_named :] = [""] * (self.n_rows - self.n_named)
        for place in places:
            begin, end = self._bounds(place)
            if "" in (own := self.documents[begin:end]):
                query = self.queries[place]
                self.documents[begin:end] = [doc or f"{query}:{number}" for number, doc in enumerate(own, 1)]
        self.n_named, self.numbers, self.are_named = self.n_rows, [], True
        self.queries_per_file.append(len(places))

    def _bounds(self, place: int) -> tuple[int, int]:
        return self.starts[place], self.starts[place + 1] if place + 1 < len(self.starts) else self.n_rows

    def _repeated(self, place: int) -> list[int]:
        """The rows of a query whose id an earlier row has."""
        begin, end = self._bounds(place)
        own = self.documents[begin:end]
        if len(set(own)) + max(own.count("") - 1, 0) == len(own):
            return []
        seen: set[str] = set()
        rows = []
        for row, doc in enumerate(own, begin):
            if doc and doc in seen:
                rows.append(row)
            seen.add(doc)
        return rows

    def _twice(self, row: int) -> str:
        place = int(np.searchsorted(self.starts, row, side="right")) - 1
        return f"appears twice for query {self.queries[place]}"

    def table(self, label: str) -> FeatureTable:
        """Everything as a table."""
        values, first = self.features.joined(label, self.n_bytes)
        offsets = np.array([*self.starts, self.n_rows], dtype=np.int64)
        labels, n_queries = np.concatenate(self.labels), tuple(self.queries_per_file)
        return FeatureTable(tuple(self.queries), offsets, labels, self.documents, values, first, n_queries)
