"""Decoding JSON into records, with faults that say where."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from assay.datasets._source import FileSource
from assay.errors import DataError, Faults

T = TypeVar("T")


def decode_file(path: Path, kind: type[T]) -> T:
    """A whole JSON file as a value of that type."""
    import msgspec

    source = FileSource.at(path)
    with source.reading() as file:
        content = file.read()
    try:
        return msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{source.label}{_line_of(content, error)}: {_reason(error)}") from None


def decode_part(part: bytes, place: str) -> Any:
    """A field that was passed over when its file was decoded; only now is it known whether it is JSON in UTF-8."""
    import msgspec

    try:
        return msgspec.json.decode(part)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(f"{place}: {_reason(error)}") from None


def decoded_lines(path: Path, decode: Callable[[bytes], T]) -> Iterator[tuple[int, T]]:
    """Line number and value of every line that is not blank; all faults are raised together, at the end."""
    source = FileSource.at(path)
    faults = Faults(source.label)
    with source.reading_lines() as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            try:
                value = decode(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            except (ValueError, RecursionError) as error:
                faults.add(number, _reason(error))
                if faults.full:
                    break
                continue
            yield number, value
    faults.raise_if_any()


def convert(value: Any, kind: type[T], place: str) -> T:
    """A plain value as a record of that type."""
    import msgspec

    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise DataError(f"{place}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """What msgspec says, in our words."""
    text = str(error)
    return (text if text[:2].isupper() else text[:1].lower() + text[1:]) or type(error).__name__


def _valid_part(content: bytes) -> bytes:
    """What comes before the first byte that is not UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return content[: error.start]
    return content


def _line_of(content: bytes, error: Exception) -> str:
    """`:41` where the error knows a byte; the last line where the file ends too early."""
    text = str(error)
    if isinstance(error, UnicodeDecodeError):
        return f":{_valid_part(content).count(10) + 1}"
    if "truncated" in text:
        return f":{len(content.splitlines())}" if content else ""
    if "byte " not in text:
        return ""
    place = text.rpartition("byte ")[2].rstrip(")")
    return f":{content[: int(place)].count(10) + 1}" if place.isdecimal() else ""
