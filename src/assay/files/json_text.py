"""Decode JSON into records; faults name their place."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from assay.errors import DataError
from assay.files.source import NOT_UTF8, FileSource
from assay.text import shortened

T = TypeVar("T")
NESTED = "lists or objects are nested too deeply"


def decode_file(path: Path, kind: type[T]) -> T:
    """Decode a whole JSON file as a value of this type."""
    import msgspec

    source = FileSource.at(path)
    with source.reading() as file:
        content = file.read()
    try:
        return msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(_reason(error), source=source.label, line=_line_of(content, error)) from None


def decode_part(part: bytes, place: str) -> Any:
    """Decode a field that was skipped when its file was decoded, so that its JSON and UTF-8 are only checked now."""
    import msgspec

    try:
        return msgspec.json.decode(part)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DataError(_reason(error), source=place) from None


def decoded_lines(path: Path, decode: Callable[[bytes], T]) -> Iterator[tuple[int, T | DataError]]:
    """Line number and value of each line that is not blank; the value of a line that cannot be decoded is its error."""
    with FileSource.at(path).reading_lines() as file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            try:
                yield number, decode(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            except (ValueError, RecursionError) as error:
                yield number, DataError(_reason(error))


def convert(value: Any, kind: type[T], place: str) -> T:
    """Convert a plain value to a record of this type."""
    import msgspec

    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise DataError(_reason(error), source=place) from None


TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
}
"""msgspec's names of types → ours."""


def _reason(error: Exception) -> str:
    """What is wrong, in the words of assay: `sizes[1]: expected a whole number, found text`."""
    if isinstance(error, UnicodeDecodeError):
        return NOT_UTF8
    if isinstance(error, RecursionError):
        return NESTED
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}"
    return _in_words(str(error)) or type(error).__name__


def _in_words(text: str) -> str:
    """What msgspec says, in the words of assay."""
    what, _, place = text.partition(" - at `$")
    what = what.replace("JSON is malformed:", "not JSON:").replace("Input data was truncated", "not JSON: it ends too early")
    what = re.sub(r"^Object missing required field `(.*)`$", r"the field \1 is missing", what)
    what = re.sub(r"`([a-z]+)`", lambda name: TYPES.get(name[1], name[1]), what).replace(", got ", ", found ")
    where = place.removesuffix("`").lstrip(".")
    return f"{where}{': ' * bool(where)}{what[:1].lower()}{what[1:]}"


def _valid_part(content: bytes) -> bytes:
    """The content before the first byte that is not UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        return content[: error.start]
    return content


def _line_of(content: bytes, error: Exception) -> int | None:
    """The line of an error: from its byte offset, or the last line if the file ends too early.

    msgspec gives both only in the text of its message.
    """
    text = str(error)
    if isinstance(error, UnicodeDecodeError):
        return _valid_part(content).count(10) + 1
    if "truncated" in text:
        return len(content.splitlines()) or None
    place = text.rpartition("byte ")[2].rstrip(")")
    return content[: int(place)].count(10) + 1 if place.isdecimal() else None


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text. Anything wrong with it is a ValueError."""
    try:
        value = json.loads(text, object_pairs_hook=_without_twins)
        if b"\\ud" in text.lower() if isinstance(text, bytes) else "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise DataError(NESTED) from None
    except UnicodeEncodeError:
        raise DataError("an escape such as \\ud800 is only half a character; its second half is missing") from None
    return value


def read_json(source: FileSource) -> Any:
    """Read a whole JSON document. A repeated key is an error, so that no value is lost silently."""
    content = source.content()
    try:
        return parse_json(content)
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON: {error.msg}", source=source.label, line=error.lineno) from None
    except UnicodeDecodeError:
        raise DataError(NOT_UTF8, source=source.label) from None
    except ValueError as error:
        raise DataError(f"cannot use this JSON: {error}", source=source.label) from None


def read_json_records(source: FileSource, key: str) -> Any:
    """Read a JSON document that is an object or a list, or has one under this key."""
    content = read_json(source)
    if isinstance(content, dict) and _holds_queries(content.get(key)):
        content = content[key]
    if not isinstance(content, dict | list):
        raise DataError(f"expected an object or a list, found {shortened(content)}", source=source.label)
    return content


def _holds_queries(content: Any) -> bool:
    return isinstance(content, list | dict) and all(isinstance(value, list | dict) for value in _values(content))


def _values(content: list[Any] | dict[str, Any]) -> Iterable[Any]:
    return content.values() if isinstance(content, dict) else content


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise DataError(f"the key {twice!r} appears twice in one object; keep one of them")
    return mapping
