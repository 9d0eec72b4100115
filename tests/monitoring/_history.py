"""What the monitoring tests share: results on one benchmark, and points of a history as the store gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tests._results import make_result

from assay import Result


def result(scores: Mapping[str, Sequence[float]], name: str = "bm25", **more: Any) -> Result:
    """A result on the benchmark rag."""
    return make_result(scores, name, **{"benchmark": "rag", **more})


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
    result: int = 0


def points(values: Sequence[float | None], provider: str = "bm25", **more: Any) -> list[Stored]:
    """One point each night."""
    return [
        Stored(f"e{night}", f"2026-11-{night % 28 + 1:02}", "rag", provider, value, **more)
        for night, value in enumerate(values)
    ]
