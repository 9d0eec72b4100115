"""checked: an argument of a drop-in, read as a parameter of assay is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from assay.errors import BadParameter

T = TypeVar("T")


def checked(parse: Callable[[str], T], name: str, value: Any) -> T:
    """The value as `parse` reads it; what it cannot read is told with the argument's name."""
    try:
        return parse(str(value))
    except ValueError as error:
        raise BadParameter(f"{name} is {error}, not {value!r}") from None
