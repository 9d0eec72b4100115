"""Kinds: what a benchmark, its queries and its documents can be before they are read, as types for public functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from assay.model import ColumnValues, Document, Frame, JudgmentSource, Record, Records

if TYPE_CHECKING:
    from assay.datasets.dataset import BenchmarkDataset

ColumnNames = str | Sequence[str] | Mapping[str, str]
"""Role → column: a mapping, or text such as `query=q,text=body`."""
LenientShare = bool | float | str
"""Whether bad records are left out, or the share of records that may be left out."""
BenchmarkSource: TypeAlias = "str | Path | BenchmarkDataset | Frame | Sequence[Record] | Mapping[str, ColumnValues]"
"""What `load_dataset` reads: a name, a path, a data frame, records, columns, or a benchmark that is read already."""
QuerySource = str | Path | Frame | Records | Sequence[Record | str] | Mapping[str, str | ColumnValues]
"""The queries of a benchmark: a file, a data frame, records, texts, id → text, or columns."""
DocumentTable = (
    Frame | Records | Sequence[Document] | Iterator[Document] | Mapping[str, str | Document | Record | ColumnValues]
)
"""Documents in memory: a data frame, records, id → text, id → record, or columns."""
DocumentSource: TypeAlias = "str | Path | BenchmarkDataset | DocumentTable"
"""The documents of a benchmark: a file, a folder, a data frame, records, id → text, columns, or another benchmark."""
GroundTruth: TypeAlias = "JudgmentSource | BenchmarkDataset"
"""What a run is scored against: judgments, or a benchmark, which has more than judgments."""
VectorSource: TypeAlias = "str | Path | Mapping[str, Sequence[float]]"
"""Vectors of documents: a file such as vectors.npz, the name of a model, or id → vector."""
PopularitySource: TypeAlias = "str | Path | Mapping[str, float] | Frame | Sequence[Record]"
"""How popular documents are: a table with ids and numbers, a JSON object, a data frame, records, or id → number."""
