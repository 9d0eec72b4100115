"""JSON, read strictly: no key twice, nothing too deep or too long to be read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from assay.datasets._source import FileSource
from assay.errors import DataError
from assay.text import shortened


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; whatever is wrong with it is a ValueError."""
    try:
        value = json.loads(text, object_pairs_hook=_without_twins)
        if b"\\ud" in text.lower() if isinstance(text, bytes) else "\\ud" in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise DataError("nested too deeply") from None
    except UnicodeEncodeError:
        raise DataError("holds half a letter, an escape such as \\ud800 without its other half") from None
    return value


def read_json(source: FileSource) -> Any:
    """A whole JSON document; a key that comes twice is an error rather than a silent loss."""
    content = source.content()
    try:
        return parse_json(content)
    except json.JSONDecodeError as error:
        raise DataError(f"{source.label}:{error.lineno}: not JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise DataError(f"{source.label}: not valid UTF-8") from None
    except ValueError as error:
        raise DataError(f"{source.label}: not JSON that can be used: {error}") from None


def read_json_records(source: FileSource, key: str) -> Any:
    """A JSON document that holds an object or a list, perhaps under a key."""
    content = read_json(source)
    if isinstance(content, dict) and _holds_queries(content.get(key)):
        content = content[key]
    if not isinstance(content, dict | list):
        raise DataError(f"{source.label}: expected an object or a list, found {shortened(content)}")
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
        raise DataError(f"the key {twice!r} comes twice in one object")
    return mapping
