"""Intervals of the figures that a chart shows."""

from __future__ import annotations

import math
from collections.abc import Sequence

from assay.evaluation import Result, with_intervals


def intervals_of(results: Sequence[Result], metric: str) -> tuple[str, list[tuple[float, float]]]:
    """The level in words, and the ends of each result's interval; nan where it has none.

    Those that the results have are taken, if all have them at one level; else 95 % intervals are calculated.
    """
    kept = [result.intervals.get(metric) for result in results]
    if None in kept or len({one.level for one in kept if one}) != 1:
        kept = [with_intervals(result, metrics=[metric]).intervals.get(metric) for result in results]
    level = next((one.level for one in kept if one), 0.95)
    return f"{100 * level:g} %", [(one.low, one.high) if one else (math.nan, math.nan) for one in kept]
