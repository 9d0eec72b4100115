"""Numbers: what may be a score or a grade."""

from __future__ import annotations

import math
import numbers

import numpy as np


def as_number(value: object) -> float | None:
    """The value as a float; None for text, None, nan, and whole numbers too large to be one."""
    if not isinstance(value, numbers.Real | np.number | np.bool_) or isinstance(value, np.complexfloating):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return None if math.isnan(number) else number


def is_finite_number(value: object) -> bool:
    """Whether the value is a number other than an infinity."""
    number = as_number(value)
    return number is not None and math.isfinite(number)
