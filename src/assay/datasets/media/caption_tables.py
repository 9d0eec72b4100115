"""Tables of captions: CSV, TSV, JSON lines or Parquet with a column for images, and the files of Flickr30k and Flickr8k."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.datasets.dataset import Notes
from assay.datasets.fields import roles_of
from assay.datasets.media.caption_sets import CaptionSet
from assay.datasets.probe import Probe
from assay.errors import DataError
from assay.files import FileSource, current_reading, each_record, suffix_of
from assay.text import shortened

CAPTIONS = "captions"
"""The kind of table, for accepted names of columns."""
RECORDS = (".jsonl", ".ndjson", ".parquet")
TABLE_FILES = (".csv", ".tsv", *RECORDS)
LINES = (".csv", ".tsv", ".txt", ".token")
OWN_NAMES = ("captions", "metadata")
"""Stems of files whose columns may have general names, such as text. Folders on Hugging Face have a metadata.csv."""
CERTAIN = ("caption", "captions", "comment", "sentence", "alt_text", "alt")
"""Names of columns that have captions whatever the file is called."""
DAMAGED = re.compile(r"(?P<image>[^|]+)\|\s*(?P<number>\d+)\s+(?P<caption>[^|]*)")
"""A row of results.csv without its second separator. The published file has one."""
TOKEN = re.compile(r"(?P<image>[^\t#]+\.\w+)#(?P<number>\d+)\t(?P<caption>.*)")
"""A row of Flickr8k.token.txt: `image.jpg#0`, a tab, the caption. Such a file has no header."""


class Rows(NamedTuple):
    """The lines of a table after its header, and how to split them."""

    path: Path
    lines: Iterator[tuple[int, str]]
    separator: str
    width: int
    notes: Notes


def is_caption_table(probe: Probe) -> bool:
    """Whether a file has a column for images and one for captions, or the layout of Flickr8k.token.txt."""
    if probe.suffix not in (*LINES, *RECORDS):
        return False
    line = probe.head.partition(b"\n")[0].decode("utf-8", "ignore").lstrip("\ufeff").strip()
    if probe.suffix in (".txt", ".token") and TOKEN.fullmatch(line):
        return True
    columns = list(probe.first_record) if probe.suffix in RECORDS else _split_header(line)
    roles = _roles(columns)
    if not {"image", "caption"} <= roles.keys():
        return False
    is_certain = roles["caption"].strip().lower() in CERTAIN or "caption" in current_reading().columns
    return is_certain or probe.path.name.partition(".")[0].lower() in OWN_NAMES


def read_caption_table(path: Path, notes: Notes) -> CaptionSet:
    """A row has an image and a caption, or a list of captions. The id of a caption is image#number, unless it has one."""
    caption_set = CaptionSet(notes)
    if suffix_of(path.name) in RECORDS:
        each_record(path, lambda place, record: _take(caption_set, place, record))
        return caption_set
    for where, record in _records(path, notes):
        _take(caption_set, where, record)
    return caption_set


def _take(caption_set: CaptionSet, where: str, record: Mapping[str, Any]) -> None:
    """Add the captions of one row."""
    roles = _roles(name for name, value in record.items() if not isinstance(value, Mapping))
    place, captions = (record.get(roles.get(role, "")) for role in ("image", "caption"))
    written = captions if isinstance(captions, list) else [captions]
    texts = [text for text in written if isinstance(text, str) and text.strip()]
    if not isinstance(place, str) or not place.strip() or not texts or len(texts) < len(written):
        caption_set.notes.fault(where, f"expected an image and a caption, found {shortened(dict(record))}")
        return
    image = caption_set.images.get(place.strip()) or caption_set.add_image(place.strip(), where)
    split = record.get(roles.get("split", ""))
    if image is None or not caption_set.set_split(image, "" if split is None else str(split).strip(), where):
        return
    named = record.get(roles.get("caption_id", ""))
    for text in texts:
        caption_set.add_caption(image, named if len(texts) == 1 else None, text, where)


def _roles(columns: Iterable[str]) -> dict[str, str]:
    """Role → the column that has it."""
    columns = tuple(columns)
    return roles_of(CAPTIONS, columns, current_reading().named_roles(CAPTIONS, columns))


def _split_header(line: str) -> list[str]:
    return [name.strip().strip('"') for name in line.split(_separator(line))]


def _separator(header: str) -> str:
    return max("|\t,;", key=header.count)


def _records(path: Path, notes: Notes) -> Iterator[tuple[str, dict[str, str | None]]]:
    """Place and cells of each row of a file of lines."""
    lines = _lines(path)
    first = next(lines, (0, ""))
    if TOKEN.fullmatch(first[1].strip()):
        yield from _token_records([first], notes)
        yield from _token_records(lines, notes)
        return
    header, separator = _split_header(first[1].lstrip("\ufeff").strip()), _separator(first[1])
    read = _piped_rows if separator == "|" else _quoted_rows
    rows = read(Rows(path, lines, separator, len(header), notes))
    for number, cells in rows:
        if len(cells) == len(header):
            yield f"line {number}", {name: cell or None for name, cell in zip(header, cells, strict=True)}
        else:
            notes.fault(f"line {number}", f"expected {', '.join(header)}, found {shortened(separator.join(cells))}")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is not blank."""
    for number, line in FileSource(path).lines(comments=True):
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError:
            raise DataError("not valid UTF-8", source=path, line=number) from None


def _token_records(lines: Iterable[tuple[int, str]], notes: Notes) -> Iterator[tuple[str, dict[str, str | None]]]:
    for number, line in lines:
        if row := TOKEN.fullmatch(line.strip()):
            yield f"line {number}", {"image": row["image"], "caption": row["caption"]}
        else:
            notes.fault(f"line {number}", f"expected image#number, a tab and a caption, found {shortened(line.strip())}")


def _piped_rows(rows: Rows) -> Iterator[tuple[int, list[str]]]:
    """Rows between pipes. Captions of Flickr30k have no pipes and no quotes around them."""
    for number, line in rows.lines:
        cells = [cell.strip() for cell in line.split("|", rows.width - 1)]
        if (len(cells), rows.width) == (2, 3) and (damaged := DAMAGED.fullmatch(line.strip())):
            rows.notes.mend(f"line {number}", "a separator is missing after the number of the caption")
            cells = [damaged["image"].strip(), damaged["number"], damaged["caption"].strip()]
        yield number, cells


def _quoted_rows(rows: Rows) -> Iterator[tuple[int, list[str]]]:
    """Rows of CSV. In a table of two columns, a caption may have separators without quotes around it."""
    last = 0

    def texts() -> Iterator[str]:
        nonlocal last
        for last, line in rows.lines:  # noqa: B007 (the number of the line that the reader is at)
            yield line.rstrip("\r\n") + "\n"

    try:
        for cells in csv.reader(texts(), delimiter=rows.separator):
            is_split = rows.width == 2 < len(cells)
            joined = [cells[0], rows.separator.join(cells[1:])] if is_split else cells
            yield last, [cell.strip() for cell in joined]
    except csv.Error as error:
        raise DataError(f"not a table: {error}", source=rows.path, line=last) from None
