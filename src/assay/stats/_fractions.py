"""Levels and chances: numbers between 0 and 1, checked in one place."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import BadParameter


def checked_fraction(name: str, value: Any, example: float = 0.05) -> float:
    """A number between 0 and 1, both left out; anything else is an error that says so."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 < value < 1:
        raise BadParameter(f"{name} is a number between 0 and 1, such as {example:g}, not {value!r}")
    return float(value)
