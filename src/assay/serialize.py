"""Plain JSON: whatever the API gives, in what JSON has words for."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def to_json(content: Any) -> bytes:
    """Plain JSON in ASCII; what JSON has no word for, nan and what is infinite, is null."""
    return json.dumps(_plain(content), allow_nan=False, separators=(",", ":")).encode("ascii")


def _plain(value: Any) -> Any:
    """The value made of dicts, lists, texts and finite numbers."""
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def plain_value(value: Any) -> Any:
    """The value; None in place of nan and of what is infinite, which JSON has no word for."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same for all values of a mapping."""
    return {name: plain_value(value) for name, value in values.items()}
