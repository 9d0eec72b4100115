"""Document fields: the tags and the popularity of a document, parsed from its metadata when they are needed."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.model.values import parse_number
from assay.text import shortened

TAGS, POPULARITY = "tags", "popularity"
DOCUMENT_FIELDS: Mapping[str, tuple[str, ...]] = {
    TAGS: ("tags", "tag", "categories", "category", "genres", "genre"),
    POPULARITY: ("popularity", "views", "view_count", "n_views", "clicks", "click_count", "n_clicks", "downloads"),
}
"""What metrics of result lists read in the metadata of documents → names of the field, the most likely first."""
MOST_POPULAR = 1e100
"""The largest popularity of a document."""
TAG_SEPARATORS = ("|", ";", ",")
"""The separators of tags in one text; the first of these that occurs is used."""
ENTRY = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\s,'\"]+)")
"""An entry of a list that Python or NumPy wrote as text."""


def fields_for(role: str, names: Iterable[str], named: str = "") -> list[str]:
    """The metadata fields that fit a role: the one that the user named, then those with the likeliest names."""
    places = {_folded(name): place for place, name in enumerate(DOCUMENT_FIELDS[role])}
    if named:
        places[_folded(named)] = -1
    fits = {name: places[_folded(name)] for name in names if _folded(name) in places}
    return sorted(fits, key=lambda name: (fits[name], name != named))


def _folded(name: object) -> str:
    return re.sub(r'[\s"_-]', "", str(name)).lower()


def split_tags(value: object) -> tuple[str, ...]:
    """The tags in a value, each once: a list, the text of a list, or a text such as `news|sport` or `news, sport`."""
    if value is None:
        return ()
    parts: Iterable[object] = value if isinstance(value, list | tuple | AbstractSet | np.ndarray) else _split(str(value))
    names = (str(part).strip() for part in parts if part is not None and part == part)
    return tuple(dict.fromkeys(name for name in names if name))


def _split(text: str) -> list[Any]:
    if text.strip()[:1] == "[" and text.strip()[-1:] == "]":
        return _entries(text.strip())
    separator = next((each for each in TAG_SEPARATORS if each in text), None)
    return text.split(separator) if separator else [text]


def _entries(text: str) -> list[Any]:
    """The entries of a list in JSON, or as Python or NumPy writes it."""
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError):
        return [single or double or plain for single, double, plain in ENTRY.findall(text[1:-1])]
    return entries if isinstance(entries, list) else [text]


def document_tags(metadata: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The tags of a document; empty if it has none."""
    return split_tags(_value(metadata, TAGS))


def document_popularity(metadata: Mapping[str, Any] | None) -> float | None:
    """How popular a document is, such as how often it was viewed; None if unknown."""
    return known_popularity(_value(metadata, POPULARITY))


def _value(metadata: Mapping[str, Any] | None, role: str) -> object:
    fields = fields_for(role, metadata) if metadata else []
    return metadata[fields[0]] if metadata and fields else None


def known_popularity(value: object) -> float | None:
    """A number of at least 0; None for an empty value and for nan."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return None if isinstance(value, float | np.floating) and np.isnan(value) else parse_popularity(value)


def parse_popularity(value: object) -> float:
    """A number from 0 to a limit below which the popularity of all documents can be added up."""
    try:
        number = parse_number(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise DataError(f"the popularity must be a number of at least 0, not {shortened(value)}")
    if number > MOST_POPULAR:
        raise DataError(f"the popularity must be at most {MOST_POPULAR:g}, not {shortened(value)}")
    return number
