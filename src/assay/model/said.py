"""Said: what a record says under one of several names; cells that are empty, and nan, say nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import DataError
from assay.grammar import flag
from assay.model.numeric import as_number
from assay.text import shortened


def is_said(value: Any) -> bool:
    """Whether a cell holds anything: None, nan and blanks do not; an empty list does."""
    if isinstance(value, str):
        return not (value == "" or value.isspace())
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def said_under(fields: Mapping[str, Any], names: Iterable[str]) -> tuple[str, Any]:
    """The first of these fields that says something, and what; an empty name where none does."""
    for name in names:
        if name in fields and is_said(value := fields[name]):
            return name, value
    return "", None


def said_yes(fields: Mapping[str, Any], names: Iterable[str]) -> bool | None:
    """True or false, also as tables and frames write it: yes, on, 1, 1.0; None where nothing is said."""
    name, value = said_under(fields, names)
    if not name:
        return None
    if value is True or value is False:
        return bool(value)
    number = as_number(value)
    try:
        return flag(value.strip() if isinstance(value, str) else f"{number:g}" if number is not None else "")
    except ValueError:
        raise DataError(f"{name} is true or false, not {shortened(value)}") from None
