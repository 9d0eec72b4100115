"""TREC lines: columns between tabs or blanks, and which line is a comment."""

from __future__ import annotations

from collections.abc import Iterator

from assay.datasets._source import FileSource
from assay.errors import Faults
from assay.model import parse_number
from assay.text import shortened

THREE = "query document rank"
THREE_READ = "three columns without a header, read as query, document and rank."
LOOKS_LIKE_A_ROW = (
    "begins with # as comments do, but is a whole row: put a blank after the # if it is a comment; "
    "ids that begin with # can be read from JSON"
)


def trec_fields(line: bytes, width: int) -> list[bytes]:
    """The columns of a line: what stands between tabs, where these make exactly `width`; else what stands between blanks.

    So an id may have blanks in a file with tabs.
    """
    if b"\t" in line:
        fields = line.split(b"\t")
        if len(fields) == width:
            return [field.strip() for field in fields]
    return line.split()


def n_columns(line: bytes) -> int:
    """How many columns a line has: 3, 4 or 6 if tabs make that many, else as many as there are words."""
    n_fields = line.count(b"\t") + 1
    return n_fields if n_fields in (3, 4, 6) else len(line.split())


def has_three(line: bytes) -> bool:
    """Whether a line has three columns, the last of them a number: query, document and rank or grade, without a header."""
    return n_columns(line) == 3 and is_number(trec_fields(line, 3)[2])


def trec_ids(line: bytes) -> tuple[str, str] | None:
    """Query and document of a line of a run; None where it has too few columns."""
    width = n_columns(line)
    fields = [field.decode("utf-8", "replace") for field in trec_fields(line, width)]
    return (fields[0], fields[1 if width == 3 else 2]) if width >= 3 else None


def trec_rows(source: FileSource, width: int, layout: str, faults: Faults) -> Iterator[tuple[int, list[bytes]]]:
    """The columns of each line, which must be at least `width`; what a run has beyond is its tag."""
    for number, line in source.lines(comments=True):
        if line[:1] == b"#":
            if width == 6 and _looks_like_a_row(line):
                faults.add(number, LOOKS_LIKE_A_ROW)
            continue
        fields = trec_fields(line, width) if b"\t" in line else line.split()
        if len(fields) == width or (len(fields) > width and not _has_blank_in_id(fields, width)):
            yield number, fields
        else:
            faults.add(number, _wrong_columns(fields, width, layout))
            if faults.full:
                return


def _has_blank_in_id(fields: list[bytes], width: int) -> bool:
    """Whether a run has too many columns and no rank where it should be: then an id falls apart at a blank."""
    return width == 6 and not is_number(fields[3])


def _wrong_columns(fields: list[bytes], width: int, layout: str) -> str:
    said = f"expected {width} columns ({layout}), found {len(fields)}"
    if len(fields) <= width:
        return said
    rank = shortened(fields[3].decode("utf-8", "replace"))
    return f"{said} with {rank} for a rank: does an id have a blank? Put tabs between columns, or write JSON or CSV"


def _looks_like_a_row(line: bytes) -> bool:
    """Whether what begins with `#` has the six columns of a run, numbers where they belong, and no blank after the `#`."""
    fields = trec_fields(line, 6)
    return len(fields) == 6 and fields[0] != b"#" and is_number(fields[3]) and is_number(fields[4])


def is_number(field: bytes) -> bool:
    """Whether a column holds a number."""
    try:
        parse_number(field.decode())
    except ValueError:
        return False
    return True
