"""plain: numbers as JSON knows them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def plain_value(value: Any) -> Any:
    """The value; None in place of nan and of what is infinite, which JSON has no word for."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """The same for all values of a mapping."""
    return {name: plain_value(value) for name, value in values.items()}
