"""Document fields: the tags and the popularity of a document, as its metadata say them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.model.values import as_number, is_finite_number
from assay.text import shortened

TAGS, POPULARITY = "tags", "popularity"
DOCUMENT_FIELDS = (TAGS, POPULARITY)
"""The metadata fields of documents that metrics of result lists read."""
TAG_SEPARATORS = ("|", ";", ",")
"""The separators of tags in one text; the first of these that occurs is used."""


def split_tags(value: object) -> tuple[str, ...]:
    """The tags in a value, each once: a list, or a text such as `news|sport`, `news; sport` or `news, sport`."""
    if value is None:
        return ()
    parts: Iterable[object] = value if isinstance(value, list | tuple | AbstractSet | np.ndarray) else _split(str(value))
    names = (str(part).strip() for part in parts if part is not None and part == part)
    return tuple(dict.fromkeys(name for name in names if name))


def _split(text: str) -> list[str]:
    separator = next((each for each in TAG_SEPARATORS if each in text), None)
    return text.split(separator) if separator else [text]


def document_tags(metadata: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The tags of a document; empty if it has none."""
    return split_tags((metadata or {}).get(TAGS))


def document_popularity(metadata: Mapping[str, Any] | None) -> float | None:
    """How popular a document is, such as how often it was viewed; None if unknown."""
    value = (metadata or {}).get(POPULARITY)
    return None if value is None or value != value else parse_popularity(value)


def parse_popularity(value: object) -> float:
    """A number of at least 0."""
    number = as_number(value)
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            number = None
    if number is None or not is_finite_number(number) or number < 0:
        raise DataError(f"the popularity must be a number of at least 0, not {shortened(value)}")
    return float(number)
