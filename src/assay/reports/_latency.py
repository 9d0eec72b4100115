"""Latency as people read it: milliseconds with a unit, and a word where the time of one query is not known."""

from __future__ import annotations

from collections.abc import Sequence

from assay.evaluation.result import Result
from assay.text import printable


def milliseconds(value: float) -> str:
    """`0.09 ms`, `12.3 ms`, `1,234 ms`: no more digits than a clock is good for."""
    return f"{value:,.{2 if value < 1 else 1 if value < 100 else 0}f} ms"


def latency_notes(results: Sequence[Result]) -> list[str]:
    """One sentence about providers that were asked in batches: only the mean time of their queries is known."""
    names = [printable(result.name) for result in results if _is_batched(result) and _asks_for_quantiles(result)]
    return [f"asked in batches, so that only the mean time of a query is known: {', '.join(names)}."] if names else []


def _asks_for_quantiles(result: Result) -> bool:
    return any(metric.name.startswith("latency_p") and metric.name not in result.beside for metric in result.metrics)


def _is_batched(result: Result) -> bool:
    """Whether only the mean is known; queries that were asked one by one have quantiles as well."""
    times = result.provenance.get("latency_ms") or {}
    return "mean" in times and "p50" not in times
