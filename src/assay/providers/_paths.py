"""Paths: where something stands in a JSON answer: `hits.hits`, `data.results[0].docs`, `groups[*].docs`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.errors import ProviderError
from assay.providers._answers import names_in
from assay.text import counted, shortened

STEP = re.compile(r"\[(\*|-?\d+)\]|\.?([^.\[\]]+)")
SHAPE = re.compile(r"(?:[^.\[\]]+|\[(?:\*|-?\d+)\])(?:\.[^.\[\]]+|\[(?:\*|-?\d+)\])*")


def path(text: str) -> str:
    """A path, as written; a ValueError where it is none."""
    if text and not SHAPE.fullmatch(text):
        raise ValueError("a path such as hits.hits or data.results[0].docs")
    return text


def follow(content: Any, path: str) -> Any:
    """What stands at the path; with `[*]` in it, everything that does, lists run together."""
    found, is_several, walked = [content], False, ""
    for step in STEP.finditer(path):
        index, name = step.groups()
        if index == "*":
            is_several = True
            found = [child for one in found for child in _list(one, path, walked)]
        elif index is not None:
            found = [_at(_list(one, path, walked), int(index), path, walked) for one in found]
        else:
            found = [_named(one, name, path, walked) for one in found]
        walked += step[0]
    if not is_several:
        return found[0]
    return [child for one in found for child in (one if isinstance(one, list) else [one])]


def _list(content: Any, path: str, walked: str) -> list[Any]:
    if not isinstance(content, list):
        raise _missing(path, walked, f"is no list but {shortened(content)}")
    return content


def _at(content: list[Any], index: int, path: str, walked: str) -> Any:
    try:
        return content[index]
    except IndexError:
        raise _missing(path, walked, f"has {counted(len(content), 'entry')}") from None


def _named(content: Any, name: str, path: str, walked: str) -> Any:
    if not isinstance(content, Mapping):
        raise _missing(path, walked, f"is no object but {shortened(content)}")
    if name not in content:
        raise _missing(path, walked, f"has {names_in(content)}")
    return content[name]


def _missing(path: str, walked: str, what: str) -> ProviderError:
    return ProviderError(f"there is no {path}: {walked.lstrip('.') or 'it'} {what}")
