"""Rows: read any source as rows of (place, query, document, value, subtopic).

`place` is where a fault is reported: a line number in a file, a row number elsewhere.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from assay.errors import DataError, Faults, Hint
from assay.files.columns import INTERVAL_ROLES, find_columns, find_run_columns, is_table, refuse_intervals
from assay.files.hits import Iteration, Row, is_listed, listed_rows
from assay.files.json_text import parse_json
from assay.files.limits import LONGEST_LINE
from assay.files.parquet import open_parquet
from assay.files.source import NOT_UTF8, FileSource
from assay.model import parse_number
from assay.text import shortened

FILE_ORDER = Hint("", "give the judgments first, then the runs")
"""The hint for files in the wrong order."""


class Layout(NamedTuple):
    """The columns to read from a table: query, document, value, and optionally subtopic or iteration."""

    columns: list[str]
    by_rank: bool = False
    """The value is a rank: 1 is best."""
    by_iteration: bool = False
    """The last column is TREC's iteration, which may be the subtopic."""

    def row(self, place: int, fields: Iterable[Any]) -> Row:
        """One row from the fields of these columns."""
        query, doc, value, *more = fields
        subtopic = more[0] if more else None
        if self.by_iteration and subtopic is not None:
            subtopic = Iteration(subtopic)
        return place, query, doc, _negated(value) if self.by_rank else value, subtopic


def _negated(rank: Any) -> Any:
    """A rank as a score. What is not a number stays unchanged, and is reported later."""
    try:
        return -parse_number(rank)
    except (TypeError, ValueError):
        return rank


class Roles(NamedTuple):
    """What is being read: `run`, `judgments` or `ranks`. This decides which columns a table must have."""

    what: str

    @property
    def value(self) -> str:
        """What the third column is, in one word."""
        return {"judgments": "grade", "ranks": "rank"}.get(self.what, "score")

    def layout(self, columns: Sequence[str], label: str) -> Layout:
        """The columns to read, chosen from those that exist."""
        try:
            if self.what == "judgments":
                roles = find_columns(columns, ("query", "document", "grade"), ("subtopic", "iteration", *INTERVAL_ROLES))
                refuse_intervals(roles)
                return Layout(list(roles.values())[:4], by_iteration="subtopic" not in roles)
            if self.what == "ranks":
                return Layout(list(find_columns(columns, ("query", "document", "rank")).values()))
            roles = find_run_columns(columns)
        except DataError as error:
            raise error.at(label) from None
        value = roles.get("score", roles.get("rank", ""))
        return Layout([roles["query"], roles["document"], value], by_rank="score" not in roles)


def file_rows(source: FileSource, roles: Roles, faults: Faults) -> Iterator[Row]:
    """Rows of a file that names its columns."""
    if source.kind == "table":
        return table_rows(source, roles, faults)
    if source.kind == "jsonl":
        return jsonl_rows(source, roles, faults)
    return parquet_rows(source, roles)


def memory_rows(source: Any, roles: Roles, faults: Faults) -> Iterator[Row]:
    """Rows of a data frame, of columns or of records."""
    if isinstance(source, Mapping) and not any(isinstance(value, Collection) for value in map(_untexted, source.values())):
        return record_rows([source], roles, faults)
    if is_frame(source) or is_table(source):
        return frame_rows(source, roles, roles.what)
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        return record_rows(source, roles, faults)
    what = "a run" if roles.what == "run" else roles.what
    raise DataError(f"{what} must be a file, a dict, a data frame or a list of records, not {shortened(source)}")


def _untexted(value: Any) -> Any:
    """None for text, which is one value and not a collection; anything else unchanged."""
    return None if isinstance(value, str | bytes) else value


def is_frame(source: object) -> bool:
    """Whether the source has named columns: pandas, polars or pyarrow. (A structured array is read record by record.)"""
    return hasattr(source, "column_names") or hasattr(source, "columns")


def table_rows(source: FileSource, roles: Roles, faults: Faults) -> Iterator[Row]:
    """Rows of a delimited file with a header. Blank lines and lines that start with `#` are skipped."""
    csv.field_size_limit(LONGEST_LINE)  # a text column may hold whole documents
    with source.reading_lines() as file:
        lines = (line.decode("utf-8", "surrogateescape") for line in file)
        reader = csv.reader(lines, delimiter=delimiter_of(source))
        rows = (row for row in reader if row and not row[0].lstrip("\ufeff").startswith("#") and any(map(str.strip, row)))
        try:
            header = next(rows, None)
            if header is None:
                raise DataError("expected a header that names the columns, found only empty cells", source=source.label)
            columns = [column.strip().lstrip("\ufeff") for column in header]
            layout = roles.layout(columns, source.label)
            numbers = [columns.index(name) for name in layout.columns]
            for row in rows:
                if len(row) != len(columns):
                    message = f"expected {len(columns)} columns ({', '.join(columns)}), found {len(row)}"
                    faults.add(reader.line_num, message, code="columns")
                elif not all(map(_is_utf8, row)):
                    faults.add(reader.line_num, NOT_UTF8)
                else:
                    yield layout.row(reader.line_num, (row[number].strip(" \t") for number in numbers))
        except csv.Error as error:
            faults.add(reader.line_num, f"not a table: {error}")


def delimiter_of(source: FileSource) -> str:
    """Tab, comma, semicolon or space: whichever is most frequent in the header."""
    return max("\t,; ", key=source.first_line.decode("utf-8", "replace").count)


def _is_utf8(text: str) -> bool:
    return text.isascii() or not any("\udc80" <= letter <= "\udcff" for letter in text)


def _decoded(source: FileSource, faults: Faults) -> Iterator[tuple[int, str]]:
    for number, line in source.lines():
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError:
            faults.add(number, NOT_UTF8)


def jsonl_rows(source: FileSource, roles: Roles, faults: Faults) -> Iterator[Row]:
    """Rows of one JSON object per line."""
    for number, text in _decoded(source, faults):
        try:
            record = parse_json(text)
        except ValueError as error:
            message = getattr(error, "msg", None)
            faults.add(number, f"cannot use this JSON: {error}" if message is None else f"not JSON: {message}")
            continue
        if not isinstance(record, dict):
            faults.add(number, f"expected an object with query, document and {roles.value}, found {shortened(record)}")
            continue
        yield from _record_row(number, record, roles, source.label, faults)


def record_rows(records: Iterable[Any], roles: Roles, faults: Faults) -> Iterator[Row]:
    """Rows of records: by name if their fields have names, otherwise by position (query, document, value[, subtopic])."""
    for number, record in enumerate(records, 1):
        named = _named(record)
        if named is not None:
            yield from _record_row(number, named, roles, faults.source, faults)
        elif roles.what != "ranks" and (fields := _fields(record)) is not None:
            yield Layout([]).row(number, fields)
        else:
            shape = (
                "an object with query, document and rank" if roles.what == "ranks" else f"(query, document, {roles.value})"
            )
            faults.add(number, f"expected {shape}, found {shortened(record)}")


def _named(record: Any) -> Mapping[str, Any] | None:
    """The fields of a dict, a named tuple, a row of a structured array or an object by name; None for anything else."""
    if isinstance(record, Mapping):
        return record
    names = getattr(record, "_fields", None) or getattr(getattr(record, "dtype", None), "names", None)
    if names and is_table(names):
        return dict(zip(names, record, strict=True))
    attributes = list(getattr(record, "__dict__", getattr(record, "__slots__", ())))
    return {name: getattr(record, name) for name in attributes} if is_table(attributes) else None


def _fields(record: Any) -> list[Any] | None:
    """The three or four fields of a tuple, a list or a row of an array; None for anything else."""
    if isinstance(record, np.void | np.ndarray):
        record = record.tolist()
    return list(record) if isinstance(record, tuple | list) and len(record) in (3, 4) else None


def _record_row(number: int, record: Mapping[str, Any], roles: Roles, label: str, faults: Faults) -> Iterator[Row]:
    """The row of a record. In a run, a record may also be a query with a list of its documents."""
    try:
        if roles.what == "run" and is_listed(record):
            yield from list(listed_rows(number, record))
            return
        layout = roles.layout(list(record), label)
    except DataError as error:
        faults.add(number, error.what if error.source == label else str(error))
        return
    yield layout.row(number, (record[name] for name in layout.columns))


def frame_rows(frame: Any, roles: Roles, label: str) -> Iterator[Row]:
    """Rows of a pandas, polars or pyarrow frame or of a dict of columns; only reads whole columns."""
    columns = frame if isinstance(frame, Mapping) else getattr(frame, "column_names", getattr(frame, "columns", ()))
    layout = roles.layout([str(column) for column in columns], label)
    values = [_as_list(frame[name]) for name in layout.columns]
    if len(lengths := set(map(len, values))) > 1:
        lengths_text = " and ".join(map(str, sorted(lengths)))
        raise DataError(
            f"the columns {', '.join(layout.columns)} must have the same length, found {lengths_text}", source=label
        )
    return map(layout.row, count(1), zip(*values, strict=True))


def _as_list(column: Any) -> list[Any]:
    if isinstance(column, Mapping):  # what pandas' to_dict and to_json make of a column: row number → value
        return list(column.values())
    if isinstance(column, str | bytes | AbstractSet):
        raise DataError(f"a column must be a list of values, not {shortened(column)}")
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    try:
        return list(column)
    except TypeError:
        raise DataError(f"a column must be a list of values, not {shortened(column)}") from None


def parquet_rows(source: FileSource, roles: Roles) -> Iterator[Row]:
    """Rows of a Parquet file."""
    with open_parquet(source) as file:
        layout = roles.layout(file.columns, source.label)
        yield from map(layout.row, count(1), file.rows(layout.columns))


THREE = "query document rank"
THREE_READ = "three columns without a header were read as query, document and rank."
LOOKS_LIKE_A_ROW = (
    "the line starts with #, like a comment, but looks like a row of the run. If it is a comment, "
    "put a space after the #. If the query id starts with #, write the run as JSON"
)


def trec_fields(line: bytes, width: int) -> list[bytes]:
    """The columns of a line: split at tabs if that gives exactly `width` columns, otherwise at white space.

    So ids may contain spaces in a file with tabs.
    """
    if b"\t" in line:
        fields = line.split(b"\t")
        if len(fields) == width:
            return [field.strip() for field in fields]
    return line.split()


def n_columns(line: bytes) -> int:
    """How many columns a line has: 3, 4 or 6 if splitting at tabs gives that many, otherwise the number of words."""
    n_fields = line.count(b"\t") + 1
    return n_fields if n_fields in (3, 4, 6) else len(line.split())


def has_three(line: bytes) -> bool:
    """Whether a line has three columns, the last a number: query, document, and rank or grade, without a header."""
    return n_columns(line) == 3 and is_number(trec_fields(line, 3)[2])


def trec_ids(line: bytes) -> tuple[str, str] | None:
    """Query and document of a line of a run; None if it has too few columns."""
    width = n_columns(line)
    fields = [field.decode("utf-8", "replace") for field in trec_fields(line, width)]
    return (fields[0], fields[1 if width == 3 else 2]) if width >= 3 else None


def trec_rows(source: FileSource, width: int, layout: str, faults: Faults) -> Iterator[tuple[int, list[bytes]]]:
    """The columns of each line, at least `width` of them; in a run, anything after them belongs to the tag."""
    for number, line in source.lines(comments=True):
        if line[:1] == b"#":
            if width == 6 and _looks_like_a_row(line):
                faults.add(number, LOOKS_LIKE_A_ROW)
            continue
        fields = trec_fields(line, width) if b"\t" in line else line.split()
        if len(fields) == width or (len(fields) > width and not _has_blank_in_id(fields, width)):
            yield number, fields
        else:
            faults.add(number, _wrong_columns(fields, width, layout), code="columns")
            if faults.full:
                return


def _has_blank_in_id(fields: list[bytes], width: int) -> bool:
    """Whether a run has too many columns and no rank in the fourth: an id that contains a space was split."""
    return width == 6 and not is_number(fields[3])


def _wrong_columns(fields: list[bytes], width: int, layout: str) -> str:
    message = f"expected {width} columns ({layout}), found {len(fields)}"
    if len(fields) <= width:
        return message
    rank = shortened(fields[3].decode("utf-8", "replace"))
    return (
        f"{message}, with {rank} in the place of the rank. If an id contains a space, "
        "separate the columns with tabs, or write JSON or CSV"
    )


def _looks_like_a_row(line: bytes) -> bool:
    """Whether a line that starts with `#` is a row of a run: six columns with rank and score, and no space after the `#`."""
    fields = trec_fields(line, 6)
    return len(fields) == 6 and fields[0] != b"#" and is_number(fields[3]) and is_number(fields[4])


def is_number(field: bytes) -> bool:
    """Whether a column holds a number."""
    try:
        parse_number(field.decode())
    except ValueError:
        return False
    return True
