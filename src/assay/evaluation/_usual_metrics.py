"""Usual metrics: what is measured where nobody says what; benchmarks of some formats have metrics of their own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assay.datasets import FORMAT, HPO, Probe, bundled, detect
from assay.metrics import BoundMetric, find_metrics, parse_metrics
from assay.text import is_file

USUAL = {FORMAT.name: ("mrr", "hit@1", "hit@10", "max_ont_sim@10")}
"""Format → its metrics: of phrases and their terms, where the right one stands, and how near the best one comes."""


def usual_metrics(formats: Iterable[str]) -> list[BoundMetric]:
    """The metrics of the one format that all benchmarks have; the default group where there are several, or it has none."""
    found = set(formats)
    usual = USUAL.get(found.pop()) if len(found) == 1 else None
    return find_metrics(usual) if usual else parse_metrics(None)


def formats_of(benchmarks: Any, given: Any = None) -> list[str]:
    """The format of each benchmark by name or path, as far as it matters here; empty for all other ones."""
    names = benchmarks if isinstance(benchmarks, list | tuple) else [benchmarks]
    return [str(given) if given else _format(str(name)) for name in names]


def _format(name: str) -> str:
    first = name.partition(":")[0]
    if first in bundled() and first.startswith(HPO):
        return FORMAT.name
    file = Path(name)
    return FORMAT.name if is_file(file) and detect(Probe(file)) else ""
