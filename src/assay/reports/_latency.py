"""Latency as people read it: a word where the time of one query is not known."""

from __future__ import annotations

from collections.abc import Sequence

from assay.evaluation import Result
from assay.text import printable


def latency_notes(results: Sequence[Result]) -> list[str]:
    """One sentence about providers that were asked in batches: only the mean time of their queries is known."""
    names = [printable(result.name) for result in results if result.has_shared_times and _asks_for_quantiles(result)]
    return [f"asked in batches, so that only the mean time of a query is known: {', '.join(names)}."] if names else []


def _asks_for_quantiles(result: Result) -> bool:
    return any(metric.name.startswith("latency_p") and metric.name not in result.beside for metric in result.metrics)
