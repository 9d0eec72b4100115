"""Points of a history, as the store gives them."""

from __future__ import annotations

from typing import NamedTuple


class Stored(NamedTuple):
    """A point as the store gives it."""

    evaluation: str
    started: str
    benchmark: str
    provider: str
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 40
    dataset: str = "d1"
    was_baseline: bool = False


def points(values, provider="bm25", **more):
    return [
        Stored(f"e{night}", f"2026-11-{night % 28 + 1:02}", "rag", provider, value, **more)
        for night, value in enumerate(values)
    ]
