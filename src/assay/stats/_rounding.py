"""Rounding: which differences come from arithmetic, not from the systems."""

from __future__ import annotations

import numpy as np

from assay.model import Floats

ROUNDING = 1e-12
"""Differences up to this share of the largest score come from arithmetic, not from the systems."""


def rounding_of(*scores: Floats) -> Floats:
    """Per column, the largest difference that is rounding only."""
    return ROUNDING * np.max([np.abs(part).max(axis=0, initial=0.0) for part in scores], axis=0)
