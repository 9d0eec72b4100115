"""Numbers: what may be a score or a grade."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import Any

import numpy as np


def as_number(value: object) -> float | None:
    """The value as a float; None for text, None, nan, and whole numbers too large to be one.

    An array or tensor without dimensions is the one number in it.
    """
    if not isinstance(value, numbers.Real | np.number | np.bool_ | Decimal):
        inside = _inside(value)
        return None if inside is None else as_number(inside)
    if isinstance(value, np.complexfloating):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):  # the latter is what a signalling nan gives
        return None
    return None if math.isnan(number) else number


def _inside(value: Any) -> object | None:
    """What an array without dimensions holds; None for anything else."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else None


def as_score(value: object) -> float | None:
    """The value as a float that can be ranked by; None also for truth values, which rank nothing."""
    return None if is_truth_value(value) else as_number(value)


def is_truth_value(value: object) -> bool:
    """Whether the value is True or False, which Python takes for 1 and 0."""
    return isinstance(value, bool | np.bool_) or isinstance(_inside(value), bool)


def parse_number(value: Any) -> float:
    """The number that a field of a file or record holds; a ValueError or TypeError where it holds none.

    Text is read as other tools read it: `1_0` and digits of other scripts, which Python would take, are no numbers.
    """
    if isinstance(value, str):
        if "_" in value or not value.isascii():
            raise ValueError(f"not a number: {value!r}")
    elif is_truth_value(value):
        raise TypeError(f"a truth value, not a number: {value!r}")
    return float(value)


def is_finite_number(value: object) -> bool:
    """Whether the value is a number other than an infinity."""
    number = as_number(value)
    return number is not None and math.isfinite(number)
