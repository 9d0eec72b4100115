"""Differences from memorybench that change a value are warnings."""

from __future__ import annotations

import warnings


class MemorybenchDifference(UserWarning):
    """A value that differs from memorybench's on purpose."""


def warn_of(message: str) -> None:
    """Warn that a value differs, once for each computation."""
    warnings.warn(f"{message} See docs/migration/memorybench.md", MemorybenchDifference, stacklevel=3)
