"""Probe: what can be learned about a file or folder without reading everything."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.files import TABLES, FileSource, first_records, plain_name

PROBE_BYTES = 1 << 18
"""Bytes that are read to detect the format; more if the first record is longer."""
MAX_PROBE_BYTES = 1 << 26
"""The most bytes that are read to get the whole first record."""
N_ROWS = 20
"""How many rows of a table are looked at."""
MAX_PROBE_RECORDS = 100
"""The most records that are examined."""
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:]', re.DOTALL)
"""The tokens of JSON that matter for nesting: strings, brackets, and the colon after a name."""


@dataclass(frozen=True)
class Probe:
    """A path, and what can be learned about it without reading everything."""

    path: Path

    @cached_property
    def names(self) -> frozenset[str]:
        """The files and folders in it, if it is a folder."""
        return frozenset(entry.name for entry in self.path.iterdir()) if self.path.is_dir() else frozenset()

    @cached_property
    def suffix(self) -> str:
        """The extension that says what kind of file it is: `.jsonl` for `corpus.jsonl.gz`."""
        return Path(plain_name(self.path.name)).suffix.lower()

    @cached_property
    def head(self) -> bytes:
        """The first bytes, decompressed."""
        if not self.path.is_file():
            return b""
        with FileSource(self.path).reading() as file:
            return file.read(PROBE_BYTES)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names of JSON fields at any depth, near the start of the file."""
        names = re.findall(rb'"([^"\\]{1,60})"\s*:', self._first_records)
        return frozenset(name.decode("utf-8", "replace") for name in names)

    @cached_property
    def outer_keys(self) -> frozenset[str]:
        """Field names of the outermost object; for a list or JSON lines, of the first records."""
        if self._object is not None:
            return frozenset(self._object)
        names, _ = _scan(self._first_records, is_list=self.is_list)
        return frozenset(names)

    @cached_property
    def first_record(self) -> dict[str, Any]:
        """The first record of a table, of JSON lines or of a JSON list; a table without rows has only names."""
        return next(iter(self.first_records), {})

    @cached_property
    def first_records(self) -> list[dict[str, Any]]:
        """The first records of a table; of other files only the first one."""
        text = self.head.decode("utf-8", "ignore").lstrip("\ufeff \t\r\n")
        if self.suffix in TABLES:
            return _first_rows(text)
        if self.suffix == ".parquet":
            return _first_parquet_rows(self.path)
        start = re.match(r"\[\s*", text)
        try:
            first, end = json.JSONDecoder().raw_decode(text, start.end() if start else 0)
        except (ValueError, RecursionError):
            return []
        is_record = isinstance(first, dict) and (start is not None or "\n" not in text[:end])
        return [first] if is_record and self.suffix in (".json", ".jsonl", ".ndjson") else []

    def keys_under(self, name: str) -> frozenset[str]:
        """Field names of the object or the first records under a field of the outermost object."""
        values = _decode((self._object or {}).get(name, b"null"))
        records = values[:MAX_PROBE_RECORDS] if isinstance(values, list) else [values]
        return frozenset(key for record in records if isinstance(record, dict) for key in record)

    @cached_property
    def is_judgments(self) -> bool:
        """Whether it is a JSON object that consists only of query → document → whole number."""
        values = [_decode(value) for value in list((self._object or {}).values())[:MAX_PROBE_RECORDS]]
        return bool(values) and all(
            isinstance(judged, dict) and judged and all(type(grade) is int for grade in judged.values()) for judged in values
        )

    @cached_property
    def _object(self) -> dict[str, Any] | None:
        """The undecoded fields of a file that is one JSON object; None for any other file."""
        import msgspec

        if self.suffix != ".json" or self.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return None
        try:
            content: dict[str, Any] = msgspec.json.decode(FileSource(self.path).content(), type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return content

    @cached_property
    def _first_records(self) -> bytes:
        """The head, extended until the first record of a list or of JSON lines is complete."""
        if self._object is not None:
            return self.head
        head, size = self.head, PROBE_BYTES
        while size <= len(head) < MAX_PROBE_BYTES and not _scan(head, is_list=self.is_list)[1]:
            size *= 4
            with FileSource(self.path).reading() as file:
                head = file.read(size)
        return head

    @property
    def is_list(self) -> bool:
        """Whether it is a JSON list."""
        return self.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["


def _first_rows(text: str) -> list[dict[str, Any]]:
    """The first rows of a delimited table, by column; a table without rows has one, with names alone."""
    header = text.partition("\n")[0]
    delimiter = max("\t,;", key=header.count)
    try:
        rows = list(islice(csv.reader(text.splitlines(keepends=True), delimiter=delimiter), N_ROWS + 1))
    except csv.Error:
        return []
    names = [name.strip() for name in rows[0]] if rows else []
    return [dict(zip_longest(names, row[: len(names)])) for row in rows[1:] or [[]]] if names else []


def _first_parquet_rows(path: Path) -> list[dict[str, Any]]:
    """The first rows of a Parquet file, by column."""
    if not path.is_file():
        return []
    try:
        return [dict(record) for record in first_records(path, N_ROWS)]
    except DataError:
        return []


def _scan(head: bytes, *, is_list: bool) -> tuple[set[str], bool]:
    """Field names of the outermost objects, and whether the first of these is complete."""
    names: set[str] = set()
    depth, string, is_whole = -1 if is_list else 0, b"", False
    for token in _TOKEN.findall(head):
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            is_whole = is_whole or depth <= 0
        elif token == b":" and depth == 1:
            names.add(string[1:-1].decode("utf-8", "replace"))
        string = token
    return names, is_whole


def _decode(value: Any) -> Any:
    """The content of an undecoded value; None if it is not JSON."""
    import msgspec

    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
