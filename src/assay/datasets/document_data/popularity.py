"""Popularity: read how popular documents are from a table, a JSON object or memory, and add it to a benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.document_data.document_data import check_vectors
from assay.datasets.fields import roles_of
from assay.datasets.kinds import PopularitySource, VectorSource
from assay.errors import DataError
from assay.files import (
    FileSource,
    accepted_names,
    current_reading,
    each_record,
    first_records,
    read_json,
    rows_of,
    suffix_of,
    take_each,
)
from assay.model import Record, parse_popularity, text_id

IN_MEMORY = "your values"
"""Where data come from that were passed from Python."""


def with_document_data(
    dataset: BenchmarkDataset, vectors: VectorSource | None, popularity: PopularitySource | None
) -> BenchmarkDataset:
    """The benchmark with these vectors and this popularity; what is None stays as it is."""
    if vectors is None and popularity is None:
        return dataset
    data = dataset.document_data
    if vectors is not None:
        check_vectors(vectors)
        data = replace(data, vectors=vectors)
    if popularity is not None:
        counts = load_popularity(popularity)
        place = str(popularity) if isinstance(popularity, str | Path) else IN_MEMORY
        if dataset.documents and not any(name in dataset.documents for name in counts):
            example = next(iter(counts))
            raise DataError(f"none of its ids, such as {example}, is a document of {dataset.name}", source=place)
        data = replace(data, popularity=counts, popularity_from=place)
    return replace(dataset, document_data=data)


def load_popularity(source: PopularitySource) -> dict[str, float]:
    """Document → popularity. A document may occur once."""
    counts: dict[str, float] = {}

    def take(_: str, record: Record) -> None:
        doc_id, value = _values_of(record)
        if doc_id in counts:
            raise DataError(f"document {doc_id} occurs twice. Add up its rows, so that each document has one")
        counts[doc_id] = parse_popularity(value)

    if isinstance(source, str | Path):
        place = str(source)
        _read(Path(source), take, counts)
    elif isinstance(source, Mapping) and not any(isinstance(value, list | tuple) for value in source.values()):
        place = IN_MEMORY
        counts |= _counts_of(source, place)
    else:
        place = IN_MEMORY
        take_each(rows_of(source, "popularity"), "popularity", lambda record: take("", record), "doc_id and popularity")
    if not any(counts.values()):
        raise DataError("expected the popularity of at least one document above 0, found none", source=place)
    return counts


def _read(path: Path, take: Callable[[str, Record], None], counts: dict[str, float]) -> None:
    """Read a table, or a JSON object with id → number."""
    if not path.is_file():
        raise DataError("no such file; popularity must be a table with the ids of documents and a number", source=path)
    source = FileSource.at(path)
    if suffix_of(path.name) == ".json" and source.first_line.lstrip()[:1] == b"{":
        counts |= _counts_of(read_json(source), str(path))
        return
    for record in first_records(path, 1):
        _find_columns(record, source.label)
    each_record(path, take)


def _counts_of(values: Mapping[Any, Any], place: str) -> dict[str, float]:
    """Document → popularity, from a mapping."""
    counts = {}
    for name, value in values.items():
        try:
            counts[text_id(name)] = parse_popularity(value)
        except DataError as error:
            raise DataError(f"document {name}: {error.message}", source=place) from None
    return counts


ROLES = {"doc_id": "ids of documents", "popularity": "popularity"}
"""Role of a needed column → what it has."""


def _find_columns(record: Record, label: str = "") -> dict[str, str]:
    """Role → column, for the needed columns."""
    roles = roles_of("documents", record, current_reading().named_roles("documents", record))
    for role, what in ROLES.items():
        if role not in roles:
            raise DataError(f"found no {what} among {', '.join(record)}; {accepted_names('documents', role)}", source=label)
    return roles


def _values_of(record: Record) -> tuple[str, Any]:
    """The id and the popularity in a record."""
    roles = _find_columns(record)
    for role in ROLES:
        if record[roles[role]] is None:
            raise DataError(f"the field {roles[role]} is empty")
    return text_id(record[roles["doc_id"]]), record[roles["popularity"]]
