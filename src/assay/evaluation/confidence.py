"""Confidence: where a metric's true figure may lie, given the queries at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.serialize import plain_values


@dataclass(frozen=True)
class Confidence:
    """An interval: with other queries of the same kind, the figure would lie in it as often as the level says."""

    low: float
    high: float
    level: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; None for an end that nobody knows."""
        return plain_values({"low": self.low, "high": self.high, "level": self.level, "method": self.method})
