"""Kinds: what a run and judgments can be before they are read, as types for the signatures of public functions.

They are for type checkers and editors. What is passed is still checked when it is read, because most programs have no types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any, Protocol, SupportsFloat, SupportsIndex, TypedDict
from uuid import UUID

from numpy.typing import NDArray

from assay.model.records import Hit, RelevanceJudgment


class PathName(Protocol):
    """A path of a file or folder."""

    def __fspath__(self) -> str:
        """The path as text."""


Id = str | SupportsIndex | UUID | PathName
"""An id: text, a whole number, a UUID or a path."""
Record = Mapping[str, Any]
"""The fields of one record, by name."""


class NamedColumns(Protocol):
    """A data frame of pandas or polars, or a relation of DuckDB."""

    @property
    def columns(self) -> Any:
        """The names of the columns."""


class ArrowTable(Protocol):
    """A table of Arrow."""

    @property
    def column_names(self) -> Any:
        """The names of the columns."""


class LazyTable(Protocol):
    """A data frame that is not computed yet."""

    def collect(self) -> Any:
        """The data frame."""

    def collect_schema(self) -> Any:
        """The names and types of the columns."""


class Series(Protocol):
    """A column of a data frame."""

    def to_list(self) -> list[Any]:
        """The values."""


class OpenFile(Protocol):
    """A file that is open for reading, or any other stream."""

    def read(self, size: int = ..., /) -> str | bytes:
        """The next bytes or characters."""


Frame = NamedColumns | ArrowTable | LazyTable
"""A data frame of pandas, polars, DuckDB or Arrow."""
# Alternatives for the values of a mapping are in one union: mypy uses it as the context of a literal, but not several.
ColumnValues = list[Any] | tuple[Any, ...] | NDArray[Any]
"""The values of a column."""
Records = Sequence[Record] | Iterator[Record] | ValuesView[Record]
"""Several records. They are not any iterable, because a mapping is one, and a literal would then mean two things to mypy."""
Table = Frame | Mapping[str, ColumnValues] | Records
"""A table: a data frame, columns by name, or records."""
Entry = Id | Hit | Record | tuple[Any, SupportsFloat] | list[Any]
"""One document of a ranking: its id, a pair of id and score, or a hit."""


class StoreResponse(TypedDict):
    """What a vector store such as Chroma returns for one query: columns, each in another list."""

    ids: list[list[str]]


Ranked = (
    Mapping[Any, SupportsFloat | ColumnValues] | StoreResponse | Sequence[Entry] | Iterator[Entry] | NDArray[Any] | Series
)
"""The ranking of one query: document → score, entries with the best first, or the columns that a vector store returns."""
Row = Record | tuple[Any, ...] | list[Any]
"""A record, or its fields in the order query, document, value."""
Rows = Sequence[Row] | Iterator[Row] | ValuesView[Row]
"""Several rows of a run."""
RunSource = Mapping[Any, Ranked | ColumnValues] | Frame | Rows | NDArray[Any] | OpenFile | str | PathName
"""What `Run` reads: query → ranking, a data frame, records, an open file or a path. A `Run` is a mapping, too."""
JudgedDocuments = Mapping[Any, SupportsFloat] | AbstractSet[Any] | Sequence[Id] | Iterator[Id] | NDArray[Any] | Series
"""The judgments of one query: document → grade, or the relevant ids."""
JudgedRow = Row | RelevanceJudgment
JudgedRows = Sequence[JudgedRow] | Iterator[JudgedRow] | ValuesView[JudgedRow]
"""Several judgments."""
JudgmentSource = Mapping[Any, JudgedDocuments | ColumnValues] | Frame | JudgedRows | NDArray[Any] | OpenFile | str | PathName
"""What `Qrels` reads: query → judged documents, a data frame, records, an open file or a path. `Qrels` is a mapping, too."""

AnswerSource = str | PathName | Frame | Records | Mapping[str, str | Record | ColumnValues | None]
"""What `evaluate_answers` reads: a file, a data frame, records, or query → answer."""
RouteSource = str | PathName | Table
"""What `evaluate_routing` reads: a file, a data frame or records."""


class PolicySettings(TypedDict, total=False):
    """The fields of a `Policy`, as keywords."""

    ties: str
    precision: str
    missing: str
    extra: str
    no_relevant: str
    rel: float | None
    judged_only: bool
    negatives: str
    drop_self: bool
    max_grade: float | None
    duplicates: str
    depth: int | None
