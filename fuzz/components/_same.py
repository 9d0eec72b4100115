"""Two ways to read one thing, which must agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay import AssayError
from fuzz.component import SilentDifference


def same(what: str, first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """What both say; a difference where only one refuses, or where they say different things."""
    said, other = _outcome(first), _outcome(second)
    if isinstance(said, AssayError) != isinstance(other, AssayError):
        raise SilentDifference(f"{what}: {said!r:.500} and {other!r:.500}")
    if isinstance(said, AssayError):
        raise said
    if said != other:
        raise SilentDifference(f"{what}: {said!r:.500} and {other!r:.500}")
    return said


def _outcome(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except AssayError as error:
        return error
