"""Differences: the warning of a drop-in that gives another result than the original, because the original is wrong there."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

PACKAGE = str(Path(__file__).parents[1])


class DifferenceWarning(UserWarning):
    """A drop-in gave another result than the original. Its page in docs/migration lists all such differences."""


def warn_difference(text: str) -> None:
    """Warn at the line of the user's code that called the drop-in. Python shows the same text once for each line."""
    warnings.warn(text, DifferenceWarning, stacklevel=_depth_of_user())


def _depth_of_user() -> int:
    """How many calls above `warn_difference` the first file outside assay is."""
    frame, depth = sys._getframe(2), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, depth = frame.f_back, depth + 1
    return depth
