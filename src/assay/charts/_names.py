"""Names as charts show them: short enough for an axis, and no two alike."""

from __future__ import annotations

from collections.abc import Sequence

from assay.charts._drawing import harmless
from assay.text import display_width

LONGEST_NAME = 44
"""Columns of a name on an axis."""


def label(name: str, most: int = LONGEST_NAME) -> str:
    """A name as an axis shows it. Of a long one the middle is left out, for names mostly differ at an end."""
    text = harmless(name)
    if display_width(text) <= most:
        return text
    tail = _fitting(text[::-1], most // 3)[::-1]
    return f"{_fitting(text, most - 1 - display_width(tail))}…{tail}"


def labels(names: Sequence[str]) -> list[str]:
    """Names as an axis shows them; those that look alike then get numbers."""
    short = [label(name) for name in names]
    return [
        one if short.count(one) == 1 else f"{label(one, LONGEST_NAME - 5)} ({place})" for place, one in enumerate(short, 1)
    ]


def listed(parts: Sequence[str], most: int = 12) -> str:
    """A sentence's list, cut where it grows long."""
    kept = "; ".join(parts[:most])
    return kept if len(parts) <= most else f"{kept}; and {len(parts) - most} more"


def _fitting(text: str, columns: int) -> str:
    """The beginning of a text, as much as fits."""
    end = 0
    while end < len(text) and display_width(text[: end + 1]) <= columns:
        end += 1
    return text[:end]
